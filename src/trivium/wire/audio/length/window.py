"""Reading a file without doing I/O: whoever measures asks for bytes, whoever drives has them.

A measure is a generator: it yields ``(start, size)`` and is sent the bytes from there, fewer only
at the end of the file. So the same code measures a spooled upload and an answer that streams by.
"""

from collections.abc import Generator
from typing import Final, TypeAlias, TypeVar

BLOCK_BYTES: Final = 65_536
"""Asked for at a time."""

_T = TypeVar("_T")
Asking: TypeAlias = Generator[tuple[int, int], bytes, _T]


class Window:
    """The part of a file that was asked for last."""

    __slots__ = ("_data", "_start")

    def __init__(self) -> None:
        self._data = b""
        self._start = 0

    def at(self, start: int, size: int) -> Asking[bytes]:
        """Up to ``size`` bytes from a place."""
        offset = start - self._start
        if offset < 0 or offset + size > len(self._data):
            self._data = yield start, max(size, BLOCK_BYTES)
            self._start = start
            offset = 0
        return self._data[offset : offset + size]
