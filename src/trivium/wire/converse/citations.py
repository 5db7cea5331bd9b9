"""Citations of the converse shape and canonical ones, both ways.

A citation covers its whole text; only a source with an address means anything in other shapes.
Source: ``Citation`` of botocore 1.44's model of the service, read on 2026-11-28.
"""

from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from trivium.conversation.parts import Citation, Native
from trivium.wire import caps
from trivium.wire.converse.answer_structs import ConverseCitation
from trivium.wire.converse.media import SHAPE
from trivium.wire.lenient import decoded, objects_of, string

_decode: Final = msgspec.json.Decoder(ConverseCitation).decode
_encode: Final = msgspec.json.Encoder().encode
_HOST_MAX: Final = 2048
"""Characters of an address in which its host is looked for."""
_ADDRESSES: Final = ("http://", "https://")


def read(raw: bytes | msgspec.Raw) -> Citation | None:
    """One citation; ``None`` when it is no object."""
    seen = decoded(_decode, raw)
    if seen is None:
        return None
    return Citation(
        url=_address(seen),
        title=string(seen.title),
        quoted=pieces(seen.sourceContent) or None,
        native=Native(SHAPE, bytes(raw)),
    )


def read_all(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of a caller's text; none when the member is null, absent or nonsense."""
    return tuple(found for row in caps.rows(raw) if (found := read(row)) is not None)


def written(citation: Citation) -> bytes | None:
    """One citation as JSON; ``None`` for a source that this shape cannot name."""
    native = citation.native
    if native is not None and native.shape == SHAPE:
        return native.data
    url = citation.url
    if url is None:
        return None
    out: dict[str, Any] = {"location": {"web": {"url": url, "domain": _domain(url)}}}
    if citation.title is not None:
        out["title"] = citation.title
    if citation.quoted is not None:
        out["sourceContent"] = [{"text": citation.quoted}]
    return _encode(out)


def _domain(url: str) -> str:
    try:
        return urlsplit(url[:_HOST_MAX]).hostname or ""
    except ValueError:
        return ""


def answered(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of a text of an answer. Raises ``Fault`` when there are too many."""
    return tuple(found for row in caps.cited(raw) if (found := read(row)) is not None)


def pieces(value: Any) -> str:
    """The words of a list of texts, as they stand one after the other."""
    return "".join([text for row in objects_of(value) if (text := string(row.get("text")))])


def _address(seen: ConverseCitation) -> str | None:
    """The address of a source: that of a page, or the name of a result that is one."""
    location = seen.location
    web = location.get("web") if isinstance(location, dict) else None
    for found in (web.get("url") if isinstance(web, dict) else None, seen.source):
        if isinstance(found, str) and found.startswith(_ADDRESSES):
            return found
    return None
