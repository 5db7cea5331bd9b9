"""Media between ``inlineData`` or ``fileData`` and canonical parts."""

import binascii
import re
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from trivium.conversation.parts import Audio, Document, Image, Inline, Remote, Stored, Video

Media = Image | Audio | Video | Document

_TO_STANDARD: Final = str.maketrans("-_", "+/")
_OWN: Final = re.compile(
    r"(?:files/|gs://|https?://generativelanguage\.googleapis\.com/)", re.IGNORECASE
)
"""Addresses that only the vendor itself can read."""
_TUBE: Final = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"})
_ENDINGS: Final = MappingProxyType(
    {
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
)


def standard(text: str) -> str | None:
    """Base64 of either alphabet, padded or not, in the standard one; ``None`` when it is none."""
    if "-" in text or "_" in text:
        text = text.translate(_TO_STANDARD)
    text += "=" * (-len(text) % 4)
    try:
        binascii.a2b_base64(text, strict_mode=True)
    except ValueError:  # binascii.Error and non-ASCII text
        return None
    return text


def inline(mime: str, data: str, name: str | None = None, detail: str | None = None) -> Media:
    """A part made of bytes; ``data`` is standard base64."""
    return _of(mime, Inline(mime, data, name), detail)


def remote(uri: str, mime: str | None, name: str | None = None, detail: str | None = None) -> Media:
    """A part made of an address: the vendor's own file or anybody's."""
    try:
        split = urlsplit(uri)
        host, path = split.hostname, split.path
    except ValueError:  # no address at all: the vendor will say so
        host, path = None, ""
    if host in _TUBE:
        return Video(source=Remote(uri, mime, name))
    known = mime or _ENDINGS.get(path.rpartition(".")[2].lower(), "")
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
