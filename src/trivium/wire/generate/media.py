"""Media between ``inlineData`` or ``fileData`` and canonical parts."""

import re
from typing import Any, Final

from trivium.conversation.addresses import WATCHED, ending, host
from trivium.conversation.parts import Audio, Document, Image, Inline, Remote, Stored, Video

Media = Image | Audio | Video | Document

_OWN: Final = re.compile(
    r"(?:files/|gs://|https?://generativelanguage\.googleapis\.com/)", re.IGNORECASE
)
"""Addresses that only the vendor itself can read."""
_ENDINGS: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "heic": "image/heic",
    "mp3": "audio/mp3",
    "wav": "audio/wav",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "mov": "video/mov",
    "webm": "video/webm",
}


def inline(mime: str, data: str, name: str | None = None, detail: str | None = None) -> Media:
    """A part made of bytes; ``data`` is standard base64."""
    return _of(mime, Inline(mime, data, name), detail)


def remote(uri: str, mime: str | None, name: str | None = None, detail: str | None = None) -> Media:
    """A part made of an address: the vendor's own file or anybody's."""
    if host(uri) in WATCHED:
        return Video(source=Remote(uri, mime, name))
    known = mime or _ENDINGS.get(ending(uri), "")
    source = Stored("generate", uri, mime) if _OWN.match(uri) else Remote(uri, mime, name)
    return _of(known, source, detail)


def _of(mime: str, source: Inline | Remote | Stored, detail: str | None) -> Media:
    kind = mime.partition("/")[0].lower()
    if kind == "image":
        return Image(source=source, detail=detail)
    if kind == "audio":
        return Audio(source=source)
    if kind == "video":
        return Video(source=source)
    return Document(source=source)


def member(source: Inline | Remote | Stored) -> dict[str, Any]:
    """``inlineData`` or ``fileData`` as the one member of a part."""
    if isinstance(source, Inline):
        return {"inlineData": {"mimeType": source.mime, "data": source.data}}
    data: dict[str, Any] = {"fileUri": source.id if isinstance(source, Stored) else source.url}
    if source.mime:
        data = {"mimeType": source.mime, **data}
    return {"fileData": data}
