"""How large a picture is and of what type, read from its first bytes; nothing is decoded.

Sources: the PNG specification (11.2.1), GIF89a (18), ITU T.81 (B.2.2), Google's WebP container
specification, read 2026-11-21.
"""

import base64
from typing import Final, Literal

import msgspec

from trivium.conversation.parts import Inline

_SIZED: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers of frames, which carry the size; the three left out are tables and arithmetic."""
_BARE: Final = frozenset(range(0xD0, 0xDA)) | {0x01, 0xFF}
"""JPEG markers without a length."""


_ALIASES: Final = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
}
"""Names that are no types, and what is meant."""


def typed(picture: Inline) -> Inline:
    """A picture with the type that its bytes have, whatever its sender calls it.

    OpenAI looks at the bytes, so its clients call every picture ``image/jpeg``, or ``image/jpg``;
    Anthropic and Google refuse the second, and Anthropic any that is not what it is called.
    """
    called = picture.mime
    found = _shown(picture.data) or _ALIASES.get(called, called)
    return picture if found == called else msgspec.structs.replace(picture, mime=found)


def is_drawing(picture: Inline) -> bool:
    """Whether a picture is a drawing of lines, which no vendor's model takes: all refuse it."""
    return picture.mime.lower().startswith("image/svg")


NO_DRAWING: Final = "drawings of lines are not taken, only pictures made of points"


def _shown(data: str) -> str | None:
    try:
        return type_of(base64.b64decode(data[:16]))
    except ValueError:  # binascii.Error, and letters beyond ASCII
        return None


def type_of(data: bytes) -> str | None:
    """The media type of a picture by its first twelve bytes, which is never what somebody says it
    is; ``None`` for what is none of PNG, JPEG, GIF and WebP.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; ``None`` for what is none of PNG, JPEG, GIF and WebP."""
    found = None
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        found = _pair(data, 16, 20, 4, "big")
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        found = _pair(data, 6, 8, 2, "little")
    elif data.startswith(b"\xff\xd8"):
        found = _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = _webp(data)
    return found if found and min(found) > 0 else None


def _pair(
    data: bytes, first: int, second: int, width: int, order: Literal["big", "little"]
) -> tuple[int, int] | None:
    if len(data) < max(first, second) + width:
        return None
    one, two = data[first : first + width], data[second : second + width]
    return int.from_bytes(one, order), int.from_bytes(two, order)


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _SIZED:
            return _pair(data, at + 7, at + 5, 2, "big")
        at += 1 if marker == 0xFF else 2
        if marker not in _BARE:
            at += max(2, int.from_bytes(data[at : at + 2], "big"))
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    form = data[12:16]
    if form == b"VP8X":
        found = _pair(data, 24, 27, 3, "little")
        return found and (found[0] + 1, found[1] + 1)
    if form == b"VP8 ":
        found = _pair(data, 26, 28, 2, "little")
        return found and (found[0] & 0x3FFF, found[1] & 0x3FFF)
    if form == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None
