"""A large body that is held, as a ``Body``: written piece by piece, it is not copied once more."""

from collections.abc import AsyncIterator
from typing import Final

PIECE_BYTES: Final = 262_144


class HeldBody:
    """A large body that is sent in pieces, from bytes in memory."""

    __slots__ = ("_data", "content_type", "size")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.content_type = b"application/json"

    async def pieces(self) -> AsyncIterator[bytes]:
        """All of it, from the start."""
        view = memoryview(self._data)
        for at in range(0, self.size, PIECE_BYTES):
            yield bytes(view[at : at + PIECE_BYTES])
