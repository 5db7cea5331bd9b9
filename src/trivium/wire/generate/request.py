"""Generate-content requests on the pass-through lane: what is read, checked and replaced.

The model and the method stand in the address; a body that names a model as well must name the
same one. Members may be spelled in camelCase or snake_case, because SDKs mix them at every depth;
both spellings of one member are refused, since parsers disagree on which of the two counts.
Source: the vendor's reference, proto3's JSON mapping and google-genai 3.4, read on 2026-11-21.
"""

import functools
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.faults import Fault
from trivium.wire.checks import missing, mistyped, spelled_twice, wrong
from trivium.wire.generate.path import bare
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members, members

_encode: Final = msgspec.json.Encoder().encode
_elements: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_HUMP: Final = re.compile(r"_([a-z0-9])")
_CAPITAL: Final = re.compile(r"([A-Z])")
_ARRAY: Final = ord("[")
_OBJECT: Final = ord("{")
_WHOLE: Final = re.compile(r"[0-9]{1,18}")

_OWN_PREFIXES: Final = ("models/", "tunedModels/")
"""Resource names that are written as they are."""


def facts(body: Members, *, stream: bool = False) -> RequestFacts:
    """What a request for an answer says about itself; the model, and whether a stream is an array,
    come from the address. Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE, DUPLICATE_MEMBER.
    """
    _spelled_once(body)
    if not _has_contents(body):
        raise missing("contents")
    config = _object(body, "generationConfig")
    if config is None:
        return RequestFacts(model="", stream=stream)
    choices = _number(config, "candidateCount") or 1
    # 0 is proto3's way of leaving a number out
    limit = _number(config, "maxOutputTokens") or None
    return RequestFacts(
        model="",
        stream=stream,
        output_max=None if limit is None else limit * choices,
        choices=choices,
    )


def count_facts(body: Members) -> RequestFacts:
    """What a request for a token count says: contents, or a whole request for an answer."""
    _spelled_once(body)
    if not _has_contents(body) and _object(body, "generateContentRequest") is None:
        raise missing("contents")
    return RequestFacts(model="", output_max=0)


def embed_facts(body: Members) -> RequestFacts:
    """What a request for one embedding says."""
    _spelled_once(body)
    if body.raw("content") is None:
        raise missing("content")
    return RequestFacts(model="", output_max=0)


def embed_batch_facts(body: Members) -> RequestFacts:
    """What a request for several embeddings says."""
    _spelled_once(body)
    requests = _requests(body)
    if not requests:
        raise missing("requests")
    return RequestFacts(model="", output_max=0, choices=len(requests))


def changes(
    body: Members,
    facts: RequestFacts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - these streams always carry usage
) -> Mapping[str, bytes | None]:
    """The model's name at the vendor, where the body repeats it.

    Raises INVALID_VALUE when the body names another model than the address.
    """
    name = _renamed(body, "model", facts.model, upstream_model)
    return {} if name is None else {"model": name}


def count_changes(
    body: Members, facts: RequestFacts, upstream_model: str, ask_usage: bool
) -> Mapping[str, bytes | None]:
    """The same, also inside ``generateContentRequest``."""
    out = dict(changes(body, facts, upstream_model, ask_usage))
    inner = _object(body, "generateContentRequest")
    if inner is not None:
        name = _spelling(body, "generateContentRequest")
        new = _renamed(inner, f"{name}.model", facts.model, upstream_model)
        if new is not None:
            out[name] = inner.splice({"model": new})
    return out


def embed_batch_changes(
    body: Members, facts: RequestFacts, upstream_model: str, ask_usage: bool
) -> Mapping[str, bytes | None]:
    """The same, also inside each of ``requests``; everything else there stays byte for byte."""
    out = dict(changes(body, facts, upstream_model, ask_usage))
    elements: list[bytes] = []
    changed = False
    for at, raw in enumerate(_requests(body)):
        inner = _inside(raw, f"requests[{at}]")
        new = _renamed(inner, f"requests[{at}].model", facts.model, upstream_model)
        elements.append(raw if new is None else inner.splice({"model": new}))
        changed = changed or new is not None
    if changed:
        out["requests"] = b"[" + b",".join(elements) + b"]"
    return out


def _spelled_once(body: Members) -> None:
    for name in body:
        if "_" in name:
            camel = _HUMP.sub(lambda found: found[1].upper(), name)
            if camel != name and camel in body:
                raise spelled_twice(camel, name, name)


def _spelling(body: Members, name: str) -> str:
    """How the body, in which nothing is in both ways, spells a member; absent: in camelCase."""
    table = body.table
    if name in table:
        return name
    snake = _snake(name)
    return snake if snake in table else name


@functools.cache
def _snake(name: str) -> str:
    """The other spelling of a member that we name; once for each of the few there are."""
    return _CAPITAL.sub(lambda found: "_" + found[1].lower(), name)


def _has_contents(body: Members) -> bool:
    """Whether contents are there: an array, or one content, as the vendor's parser takes it and its
    examples for curl write it.
    """
    if body.opening("contents") == _OBJECT and _is_content(body):
        return True
    return _is_array(body, "contents")


def _is_content(body: Members) -> bool:
    raw = body.raw("contents")
    return raw is not None and _inside(raw, "contents").raw("parts") is not None


def _is_array(body: Members, name: str) -> bool:
    """Whether a member that must be an array is there."""
    opening = body.opening(name)
    if opening and opening != _ARRAY:
        raise mistyped(name, "be an array")
    return bool(opening)


def _object(body: Members, name: str) -> Members | None:
    spelled = _spelling(body, name)
    raw = body.raw(spelled)
    if raw is None:
        return None
    inner = _inside(raw, spelled)
    _spelled_once(inner)
    return inner


def _inside(raw: bytes, path: str) -> Members:
    if not raw.startswith(b"{"):
        raise mistyped(path, "be an object")
    try:
        return members(raw)
    except Fault as fault:
        raise _inner(fault, path) from None


def _requests(body: Members) -> list[bytes]:
    raw = body.raw("requests") if _is_array(body, "requests") else None
    if raw is None:
        return []
    return [bytes(element) for element in _elements(raw)]


def _renamed(body: Members, path: str, model: str, upstream_model: str) -> bytes | None:
    """JSON of the new ``model`` member; ``None`` when there is none or it can stay."""
    try:
        given = body.value("model")
    except Fault as fault:
        raise _inner(fault, path) from None
    if given is None or given == "":
        return None
    if not isinstance(given, str):
        raise mistyped(path, "be a string")
    if bare(given) != model:
        raise wrong(path, f"name the model of the address, `{model[:200]}`, or be left out")
    if model == bare(upstream_model):
        return None
    prefixed = given.startswith(_OWN_PREFIXES) and not upstream_model.startswith(_OWN_PREFIXES)
    return _encode(f"models/{upstream_model}" if prefixed else upstream_model)


def _number(config: Members, name: str) -> int | None:
    """A whole number of the generation config; SDKs send some as text or as a float."""
    spelled = _spelling(config, name)
    try:
        value = config.value(spelled)
    except Fault as fault:
        raise _inner(fault, f"generationConfig.{spelled}") from None
    if value is None or (type(value) is int and value >= 0):
        return value
    path = f"generationConfig.{spelled}"
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise mistyped(path, "be a whole number")
    if value < 0:
        raise wrong(path, "be at least 0")
    return value


def _inner(fault: Fault, path: str) -> Fault:
    """The fault of a member that was asked for by its last name only."""
    return Fault(fault.kind, f"`{path}`: {fault.message}", param=path)
