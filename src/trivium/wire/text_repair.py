"""Text of a vendor that is no text: half characters and bytes that are no UTF-8.

JSON may write a character beyond U+FFFF as two escapes, and servers that cut their text by such
halves send one in each delta; no decoder of ours takes either. So the event that ends in a first
half waits for the next piece of the same text, and both halves go into that. A half without the
other, and each byte that is no UTF-8, becomes U+FFFD. For answers that are read: what passes in the
caller's own shape passes as it is.
"""

import re
from typing import Final

from trivium.wire import sse

_BACKSLASH: Final = 92
_hint: Final = re.compile(rb"\\u[dD][89a-fA-F]").search
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape: a whole pair, a half alone (the group), or any other."""
_ends_in_half: Final = re.compile(
    rb'"(\w++)"\s*+:\s*+"[^"\\]*+(?:\\(?!u[dD][89abAB][0-9a-fA-F]{2}").[^"\\]*+)*+'
    rb'(\\u[dD][89abAB][0-9a-fA-F]{2})"',
    re.DOTALL,
).search
_starting_with_half: Final = re.compile(
    rb'"(\w++)"\s*+:\s*+"(?=\\u[dD][c-fC-F][0-9a-fA-F]{2})'
).finditer
_indexes: Final = re.compile(rb'index"\s*+:\s*+(\d++)').findall
"""Of the choice, block, item or part that a piece belongs to."""
_FAR: Final = 8
"""Events between two halves, at most."""
_HELD_BYTES_MAX: Final = 65_536
_ESCAPES_MAX: Final = 16_384
MENDED_BYTES_MAX: Final = 2 * 1024 * 1024
"""What has more is left as it is, and refused by whoever decodes it: to mend it takes too long."""


class RepairingSplitter(sse.Splitter):
    """Cuts a byte stream as its parent does; its blocks hold text that can be decoded."""

    __slots__ = ()

    def feed(self, data: bytes) -> bytes:
        """All blocks completed by ``data`` but those that wait for half a character."""
        # what is no UTF-8 is seen by whoever decodes a block
        run = super().feed(data)
        if run.find(_BACKSLASH) < 0 or not _can_be_mended(run):
            return run
        blocks, waiting = _joined(sse.blocks(run))
        if waiting:
            held = b"".join(blocks[-waiting:])
            if len(held) <= _HELD_BYTES_MAX:
                del blocks[-waiting:]
                if not self.parts:
                    self._tail = b""
                self.parts.insert(0, held)
                self._size += len(held)
        return _replaced(b"".join(blocks))

    def waiting(self) -> bytes:
        """Whole blocks that waited for half a character, which are forgotten: none will come.

        Whatever ends a stream, what they say was said. The open block stays for ``take``.
        """
        rest = self.rest
        end = sse.last_boundary(rest) if rest else 0
        if not end:
            return b""
        super().take()
        if end < len(rest):
            self._keep(rest[end:])
        return _replaced(rest[:end])

    def take(self) -> bytes:
        """The open block's bytes, which are forgotten: the stream has ended."""
        rest = super().take()
        return _replaced(rest) if _can_be_mended(rest) else rest


def sound(data: bytes) -> bytes:
    """JSON with U+FFFD for what is no text; the same object where all of it is."""
    if len(data) > MENDED_BYTES_MAX:
        return data
    data = _utf8(data)
    return _replaced(data) if _can_be_mended(data) else data


def _can_be_mended(data: bytes) -> bool:
    """Whether there may be halves, in pairs or not, among no more escapes than can be looked at."""
    return (
        len(data) <= MENDED_BYTES_MAX
        and _hint(data) is not None
        and data.count(b"\\") <= _ESCAPES_MAX
    )


def _utf8(data: bytes) -> bytes:
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace").encode()
    return data


def _replaced(data: bytes) -> bytes:
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)


def _joined(blocks: list[bytes]) -> tuple[list[bytes], int]:
    """The blocks with halves made whole; how many at the end wait for what is to come."""
    for at, block in enumerate(blocks):
        half = _ends_in_half(block)
        if half is None:
            continue
        of = _indexes(block)
        for later in range(at + 1, min(at + 1 + _FAR, len(blocks))):
            if _follows(blocks[later], of):
                break
        else:
            if len(blocks) - at <= _FAR:
                return blocks, len(blocks) - at
            continue
        other = blocks[later]
        begun = [found.end() for found in _starting_with_half(other) if found[1] == half[1]]
        if begun:
            blocks[at] = block[: half.start(2)] + block[half.end(2) :]
            blocks[later] = other[: begun[0]] + half[2] + other[begun[0] :]
    return blocks, 0


def _follows(block: bytes, of: list[bytes]) -> bool:
    """Whether a block speaks of the same place or of the answer: no heartbeat, no other place."""
    found = _indexes(block)
    return found == of if found else not block.startswith(b":") and b'"ping"' not in block
