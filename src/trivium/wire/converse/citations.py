"""Citations of the Converse shape and canonical ones, both ways.

One covers the whole text of its ``citationsContent``; only sources with an address mean anything
in other shapes. Source: ``bedrock-runtime`` of botocore 1.44, read on 2026-11-28.
"""

from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from trivium.conversation.parts import Citation, Native
from trivium.wire import caps
from trivium.wire.converse.media import SHAPE
from trivium.wire.lenient import decoded, objects_of, string

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_encode: Final = msgspec.json.Encoder().encode
_SCHEMES: Final = ("http://", "https://")
_HOST_MAX: Final = 2048


def read(raw: bytes | msgspec.Raw) -> Citation | None:
    """One citation; ``None`` when it is no object."""
    if (seen := decoded(_decode, raw)) is None:
        return None
    url = string(seen.get("source"))
    location = seen.get("location")
    if isinstance(location, dict) and isinstance(location.get("web"), dict):
        url = string(location["web"].get("url")) or url
    quoted = "".join(
        [string(piece.get("text")) or "" for piece in objects_of(seen.get("sourceContent"))]
    )
    return Citation(
        url=url if url is not None and url.startswith(_SCHEMES) else None,
        title=string(seen.get("title")),
        quoted=quoted or None,
        native=Native(SHAPE, bytes(raw)),
    )


def read_all(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Citations of a caller's text; none when the member is null, absent or nonsense."""
    return tuple([found for row in caps.rows(raw) if (found := read(row)) is not None])


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
