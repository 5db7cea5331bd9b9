"""A form on its way to an upstream, its files read from the spool as the connection takes them."""

from collections.abc import AsyncIterator, Sequence

from trivium.uploads.form import Upload
from trivium.uploads.spool import BLOCK_BYTES
from trivium.wire.multipart import Part
from trivium.wire.multipart_writer import size_of, written


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
