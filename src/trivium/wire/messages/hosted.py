"""The messages body where a cloud hosts it: the model in the path, version and betas in the body.

Amazon Bedrock and Vertex AI take what Anthropic's own API takes, but for some members. Bedrock's
has neither ``model`` nor ``stream``, which are in the path, and ``anthropic_beta`` in the place of
the header; Vertex's has no ``model``. Both insist on ``anthropic_version``, each with a word of its
own for the older version; of the newer one the SDKs of 2026 send the date to either.

Source: ``lib/bedrock`` and ``lib/vertex`` of anthropic-sdk-python 2.11.0, and the vendors' pages
"Anthropic Claude Messages API" (Bedrock) and "Use Claude models" (Vertex), read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import mistyped
from trivium.wire.messages.version import VERSIONS
from trivium.wire.peek import Members

BEDROCK: Final = "bedrock-2023-05-31"
VERTEX: Final = "vertex-2023-10-16"
VERSION: Final = "anthropic_version"
BETA: Final = "anthropic_beta"
BETAS_MAX: Final = 100
"""Betas of one request; the vendor has some thirty."""
_MEANS: Final = {BEDROCK: VERSIONS[0], VERTEX: VERSIONS[0]} | dict.fromkeys(VERSIONS, "")

_encode = msgspec.json.Encoder().encode


class Hosting(NamedTuple):
    """What a caller says beside the members that the messages shape has."""

    version: str
    """The protocol's own word for the version of the body."""
    betas: tuple[str, ...] = ()
    """Extensions, in the caller's order."""


def read(body: Members, own: str) -> Hosting:
    """What a hosted body says. Raises MISSING_MEMBER, INVALID_TYPE and INVALID_VALUE.

    ``own``: the cloud's word for the older version, for the text of a refusal.
    """
    said = body.string(VERSION)
    if said is None:
        raise Fault(
            Kind.MISSING_MEMBER,
            f'{VERSION}: is required: "{own}" says that the body is one of the messages protocol.',
            param=VERSION,
        )
    if said not in _MEANS:
        accepted = ", ".join(f"`{known}`" for known in _MEANS)
        raise Fault(
            Kind.INVALID_VALUE,
            f"{VERSION}: is `{said[:40]}`; accepted are {accepted}.",
            param=VERSION,
        )
    return Hosting(version=_MEANS[said] or said, betas=_betas(body))


def _betas(body: Members) -> tuple[str, ...]:
    found = body.value(BETA)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise mistyped(BETA, "be a list of texts")
    if len(found) > BETAS_MAX:
        raise Fault(Kind.INVALID_VALUE, f"{BETA}: has more than {BETAS_MAX} items.", param=BETA)
    for one in found:
        if not one.isascii() or not one.isprintable() or "," in one:
            raise Fault(
                Kind.INVALID_VALUE, f"{BETA}: `{one[:40]}` is not the name of a beta.", param=BETA
            )
    return tuple(one.strip() for one in found if one.strip())


def joined(*lists: tuple[str, ...]) -> tuple[str, ...]:
    """Betas of several places, each once, in order."""
    return tuple(dict.fromkeys(one for each in lists for one in each))


def split(header: str) -> tuple[str, ...]:
    """The betas of a header's value."""
    return tuple(one for each in header.split(",") if (one := each.strip()))[:BETAS_MAX]


def unhosted(model: str, *, stream: bool | None) -> dict[str, bytes | None]:
    """What makes a hosted body one of the shape itself; ``stream``: ``None`` where it says so."""
    changes: dict[str, bytes | None] = {VERSION: None, BETA: None, "model": _encode(model)}
    if stream is not None:
        changes["stream"] = b"true" if stream else b"false"
    return changes


def for_bedrock(hosting: Hosting) -> Mapping[str, bytes | None]:
    """What makes a body of the shape one for Bedrock's InvokeModel."""
    changes: dict[str, bytes | None] = {
        "model": None,
        "stream": None,
        VERSION: _encode(_version(hosting, BEDROCK)),
    }
    if hosting.betas:
        changes[BETA] = _encode(hosting.betas)
    return changes


def for_bedrock_count(hosting: Hosting) -> Mapping[str, bytes | None]:
    """The same of a body whose tokens are counted: one that could be answered, with the least."""
    return {**for_bedrock(hosting), "max_tokens": b"1", "thinking": None}


def for_vertex(hosting: Hosting) -> Mapping[str, bytes | None]:
    """What makes a body of the shape one for Vertex's rawPredict: betas stay in their header."""
    return {"model": None, VERSION: _encode(_version(hosting, VERTEX))}


def for_vertex_count(hosting: Hosting) -> Mapping[str, bytes | None]:
    """The same of a count of tokens, whose address names no model."""
    return {VERSION: _encode(_version(hosting, VERTEX))}


def _version(hosting: Hosting, own: str) -> str:
    return own if hosting.version == VERSIONS[0] else hosting.version
