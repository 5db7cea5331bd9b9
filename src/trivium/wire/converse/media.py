"""Formats of the converse shape and media types, both ways.

Source: ``ImageFormat``, ``DocumentFormat``, ``VideoFormat`` and ``AudioFormat`` of botocore 1.44's
model of the service, read on 2026-11-28.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SHAPE: Final = "converse"
"""What ``Native.shape`` says of this shape's own JSON."""

IMAGES: Final = MappingProxyType(
    {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
)
"""Formats of pictures by media type, as in all of the following tables."""
DOCUMENTS: Final = MappingProxyType(
    {
        "application/pdf": "pdf",
        "text/csv": "csv",
        "application/msword": "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.ms-excel": "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "text/html": "html",
        "text/plain": "txt",
        "text/markdown": "md",
    }
)
VIDEOS: Final = MappingProxyType(
    {
        "video/x-matroska": "mkv",
        "video/matroska": "mkv",
        "video/quicktime": "mov",
        "video/mov": "mov",
        "video/mp4": "mp4",
        "video/webm": "webm",
        "video/x-flv": "flv",
        "video/mpeg": "mpeg",
        "video/mpg": "mpg",
        "video/x-ms-wmv": "wmv",
        "video/wmv": "wmv",
        "video/3gpp": "three_gp",
    }
)
SOUNDS: Final = MappingProxyType(
    {
        "audio/mpeg": "mp3",
        "audio/mp3": "mp3",
        "audio/opus": "opus",
        "audio/wav": "wav",
        "audio/x-wav": "wav",
        "audio/wave": "wav",
        "audio/aac": "aac",
        "audio/flac": "flac",
        "audio/x-flac": "flac",
        "audio/mp4": "mp4",
        "audio/ogg": "ogg",
        "audio/x-matroska": "mka",
        "audio/x-aac": "x-aac",
        "audio/m4a": "m4a",
        "audio/x-m4a": "m4a",
        "audio/pcm": "pcm",
        "audio/l16": "pcm",
        "audio/webm": "webm",
    }
)

_WORDY: Final = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-yaml"}
)
"""Media types that are text though they do not say so."""


def _back(table: Mapping[str, str]) -> Mapping[str, str]:
    """The media type of each format: the first that the table has for it."""
    found: dict[str, str] = {}
    for mime, name in table.items():
        found.setdefault(name, mime)
    return MappingProxyType(found)


IMAGE_TYPES: Final = _back(IMAGES)
"""Media types by format, as in all of the following tables."""
DOCUMENT_TYPES: Final = _back(DOCUMENTS)
VIDEO_TYPES: Final = MappingProxyType({**_back(VIDEOS), "mpg": "video/mpeg"})
SOUND_TYPES: Final = MappingProxyType(
    {**_back(SOUNDS), "mkv": "audio/x-matroska", "mpga": "audio/mpeg", "mpeg": "audio/mpeg"}
)


def bare(mime: str) -> str:
    """A media type without its parameters, in lower case."""
    return mime.partition(";")[0].strip().lower()


def document_format(mime: str) -> str | None:
    """The format of a document; ``None`` for what the shape takes none of. Any text is ``txt``."""
    mime = bare(mime)
    found = DOCUMENTS.get(mime)
    if found is None and (mime.startswith("text/") or mime in _WORDY):
        return "txt"
    return found
