"""One range of bytes that a caller asks for (RFC 9110, section 14).

A range that is not understood, of several parts, or of another unit is no range: the whole answer
is right then. One that lies outside the content is an error with the content's length.
"""

import re
from typing import Final

import msgspec

_ONE: Final = re.compile(rb"bytes=[ \t]*(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))[ \t]*")


class ByteRange(msgspec.Struct, frozen=True, gc=False):
    """Bytes from ``start`` to before ``end``."""

    start: int
    end: int

    def content_range(self, size: int) -> bytes:
        """The value of ``content-range`` in a 206 answer."""
        return b"bytes %d-%d/%d" % (self.start, self.end - 1, size)


class Unsatisfiable(Exception):  # noqa: N818 - the RFC's word
    """The range lies outside of the content: 416."""


def is_one(header: bytes) -> bool:
    """Whether a ``range`` header asks for one range of bytes, wherever the content ends."""
    found = _ONE.fullmatch(header)
    if found is None:
        return False
    first, last, _ = found.groups()
    return not last or int(first) <= int(last)


def span(header: bytes | None, size: int) -> ByteRange | None:
    """What a ``range`` header asks of ``size`` bytes; ``None``: all of them.

    Raises Unsatisfiable.
    """
    found = _ONE.fullmatch(header) if header is not None else None
    if found is None:
        return None
    first, last, suffix = found.groups()
    if suffix is not None:
        length = min(int(suffix), size)
        if not length:
            raise Unsatisfiable
        return ByteRange(size - length, size)
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end)
