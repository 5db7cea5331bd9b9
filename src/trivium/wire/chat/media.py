"""Images, sound and files in the chat shape's spelling: data URLs and bare base64.

Source: OpenAI's API reference, chat completions, content parts, read 2026-11-21.
"""

from typing import Final

from trivium.conversation.parts import Inline, Remote
from trivium.wire import data_url as data_urls

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

_ENDINGS: Final = {
    "application/pdf": "document.pdf",
    "text/plain": "document.txt",
    "text/markdown": "document.md",
    "text/csv": "document.csv",
    "text/html": "document.html",
    "application/json": "document.json",
}


def source(url: str, fallback: str, name: str | None = None) -> Inline | Remote | None:
    """What a URL names: bytes of a ``data:`` URL, else what the vendor is to fetch.

    ``fallback`` is the type of bytes that say none and show none. ``None``: it is no URL at all, or
    a ``data:`` URL that cannot be read.
    """
    if not data_urls.is_data(url):
        return Remote(url, name=name) if "://" in url[:32] else None
    found = data_urls.split(url)
    data = None if found is None else data_urls.content(found)
    if found is None or data is None:
        return None
    return Inline(found.mime or sniffed(data) or fallback, data, name)


def sniffed(data: str) -> str | None:
    """The type that the first bytes of base64 show."""
    if data.startswith(_RIFF):
        return "audio/wav" if data[10:16].startswith("BXQVZF") else "image/webp"
    return next((mime for magic, mime in _MAGIC if data.startswith(magic)), None)


def text_of(inline: Inline) -> str | None:
    """The words of bytes of a text type; ``None`` for other types and for broken text."""
    if not inline.mime.startswith("text/"):
        return None
    data = data_urls.decoded(inline.data)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def file_name(inline: Inline, title: str | None) -> str:
    """A name for a file part, which has to have one."""
    return inline.name or title or _ENDINGS.get(inline.mime, "document")


def audio_mime(form: str) -> str:
    """The type of an ``input_audio.format``."""
    return "audio/mpeg" if form == "mp3" else f"audio/{form}"
