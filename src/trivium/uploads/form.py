"""One multipart form: its parts, and where the bytes of its files are."""

from collections.abc import AsyncIterator, Sequence

from trivium.uploads.spool import BLOCK_BYTES, Spool
from trivium.wire.multipart import Part
from trivium.wire.multipart_writer import size_of, written


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


class OutgoingForm:
    """The :class:`~trivium.upstream.call.Body` of a form; may be sent more than once."""

    def __init__(self, upload: Upload, parts: Sequence[Part], boundary: bytes) -> None:
        """``parts``: the upload's own, changed, left out and added to as the channel needs it."""
        self.parts = tuple(parts)
        self._upload = upload
        self._pieces = written(parts, boundary)
        self.size = size_of(self._pieces)
        self.content_type = b"multipart/form-data; boundary=" + boundary

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield all of the form from the start. Raises ``Fault`` when a file cannot be read."""
        for piece in self._pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            at = 0
            while at < piece.size:
                data = await self._upload.read(piece, at, BLOCK_BYTES)
                if not data:
                    return  # whoever counts finds it too short
                yield data
                at += len(data)
