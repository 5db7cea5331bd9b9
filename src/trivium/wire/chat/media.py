"""Images, sound and files in the chat shape's spelling: data URLs and bare base64.

Source: OpenAI's API reference, chat completions, content parts, read 2026-11-21.
"""

import base64
import binascii
import re
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote_to_bytes

from trivium.conversation.parts import Inline, Remote

_DATA: Final = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)

_MAGIC: Final = (
    # first bytes in base64
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("JVBERi", "application/pdf"),
    ("SUQz", "audio/mpeg"),
    ("//uQ", "audio/mpeg"),
    ("//uS", "audio/mpeg"),
    ("//sw", "audio/mpeg"),
    ("T2dnUw", "audio/ogg"),
    ("ZkxhQw", "audio/flac"),
)
_RIFF: Final = "UklGR"

_FORMATS: Final = MappingProxyType(
    {
        "audio/wav": "wav",
        "audio/x-wav": "wav",
        "audio/wave": "wav",
        "audio/mpeg": "mp3",
        "audio/mp3": "mp3",
    }
)

_ENDINGS: Final = MappingProxyType(
    {
        "application/pdf": "document.pdf",
        "text/plain": "document.txt",
        "text/markdown": "document.md",
        "text/csv": "document.csv",
        "text/html": "document.html",
        "application/json": "document.json",
    }
)


def source(url: str, fallback: str, name: str | None = None) -> Inline | Remote | None:
    """What a URL names: bytes of a ``data:`` URL, else what the vendor is to fetch.

    ``fallback`` is the type of bytes that say none and show none. ``None``: it is no URL at all.
    """
    if url[:5].lower() != "data:":
        return Remote(url, name=name) if "://" in url[:32] else None
    head = _DATA.match(url)
    if head is None:
        return None
    data = url[head.end() :]
    if head[2].lower().endswith(";base64"):
        data = standard(unquote_to_bytes(data).decode("latin-1") if "%" in data else data)
    else:
        data = base64.b64encode(unquote_to_bytes(data)).decode()
    return Inline(head[1].lower() or sniffed(data) or fallback, data, name)


def standard(data: str) -> str:
    """Base64 of either alphabet, with or without padding, in the standard form."""
    if "-" in data or "_" in data:
        data = data.replace("-", "+").replace("_", "/")
    if "\n" in data or " " in data:
        data = "".join(data.split())
    lack = len(data) % 4
    return data + "=" * (4 - lack) if lack else data


def sniffed(data: str) -> str | None:
    """The type that the first bytes of base64 show."""
    if data.startswith(_RIFF):
        return "audio/wav" if data[10:16].startswith("BXQVZF") else "image/webp"
    return next((mime for magic, mime in _MAGIC if data.startswith(magic)), None)


def data_url(inline: Inline) -> str:
    """The ``data:`` URL of bytes."""
    return f"data:{inline.mime};base64,{inline.data}"


def text_of(inline: Inline) -> str | None:
    """The words of bytes of a text type; ``None`` for other types and for broken text."""
    if not inline.mime.startswith("text/"):
        return None
    try:
        return base64.b64decode(inline.data).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def file_name(inline: Inline, title: str | None) -> str:
    """A name for a file part, which has to have one."""
    return inline.name or title or _ENDINGS.get(inline.mime, "document")


def audio_mime(form: str) -> str:
    """The type of an ``input_audio.format``."""
    return "audio/mpeg" if form == "mp3" else f"audio/{form}"


def audio_format(mime: str) -> str | None:
    """The ``input_audio.format`` of a type; ``None``: the shape has none."""
    return _FORMATS.get(mime)
