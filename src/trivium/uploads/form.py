"""One multipart form: its parts, and where the bytes of its files are."""

from collections.abc import Sequence

from trivium.uploads.spool import Spool
from trivium.wire.multipart import Part


class Upload:
    """A complete form. The handler of the request closes it; until then its files can be read."""

    __slots__ = ("_spool", "parts", "size")

    def __init__(self, parts: Sequence[Part], spool: Spool, size: int) -> None:
        """``size``: bytes of the request's body."""
        self.parts = tuple(parts)
        self.size = size
        self._spool = spool

    async def ready(self) -> None:
        """Wait until the files can be read. Raises ``Fault`` when they could not be kept."""
        await self._spool.settled()

    async def read(self, part: Part, start: int, size: int) -> bytes:
        """Up to ``size`` bytes of a file, from a place in it; fewer only at its end."""
        size = max(0, min(size, part.size - start))
        return await self._spool.read(part.start + start, size) if size else b""

    def close(self) -> None:
        """Release the files. May be called again."""
        self._spool.close()
