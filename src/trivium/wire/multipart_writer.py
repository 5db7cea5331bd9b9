"""Writes a form for an upstream: every part's head afresh, files by reference. Pure.

Nothing of the caller's framing is copied, so no upstream can read another form than we did: other
boundaries, doubled parameters and headers that we do not know stay behind.
"""

from collections.abc import Iterable
from typing import Final

from trivium.wire.multipart import Part

BOUNDARY_BYTES: Final = 24
"""Of a boundary, at random: no file can hold it but by guessing 192 bits."""


def written(parts: Iterable[Part], boundary: bytes) -> list[bytes | Part]:
    """The form's pieces in order: bytes as they are, and file parts whose content goes there.

    A file part with a ``value`` is one that is at hand. ``boundary`` must occur in no file.
    """
    pieces: list[bytes | Part] = []
    text: list[bytes] = []
    for part in parts:
        text.append(b"--%b\r\n%b\r\n" % (boundary, _head(part)))
        if part.is_file and part.size:
            pieces += [b"".join(text), part]
            text = [b"\r\n"]
        else:
            text += [part.value, b"\r\n"]
    return [*pieces, b"".join([*text, b"--%b--\r\n" % boundary])]


def size_of(pieces: Iterable[bytes | Part]) -> int:
    """Bytes of all of them."""
    return sum(piece.size if isinstance(piece, Part) else len(piece) for piece in pieces)


def _head(part: Part) -> bytes:
    lines = b'content-disposition: form-data; name="%b"' % _quoted(part.name)
    if part.filename is not None:
        lines += b'; filename="%b"' % _quoted(part.filename)
    if part.content_type:
        lines += b"\r\ncontent-type: %b" % part.content_type.encode("latin-1")
    return lines + b"\r\n"


def _quoted(text: str) -> bytes:
    """As browsers and the SDKs write it (HTML, multipart/form-data encoding algorithm)."""
    escaped = text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.encode("utf-8", "replace")
