"""Frames that begin with their length, for streams that are not server-sent events.

A reader of such a stream feeds what came and takes whole frames, as it takes blocks of ``sse.py``.
"""

from typing import Final

FRAME_BYTES_MAX: Final = 16_777_216
"""What one frame may take; as with ``sse.py`` a stream that begins a larger one is broken."""


class Frames:
    """Cuts bytes, which may come cut anywhere, into frames. One object per stream."""

    __slots__ = ("_bytes_max", "_counts_all", "_held", "_width")

    def __init__(
        self, *, width: int = 4, counts_all: bool = False, bytes_max: int = FRAME_BYTES_MAX
    ) -> None:
        """``width``: bytes of the length, big-endian. ``counts_all``: it counts its own bytes too,
        and they belong to the frame.
        """
        self._width = width
        self._counts_all = counts_all
        self._bytes_max = bytes_max
        self._held = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that became whole. Raises ``ValueError`` for a length that cannot be."""
        held = self._held
        held += data
        out: list[bytes] = []
        at, width = 0, self._width
        while len(held) - at >= width:
            size = int.from_bytes(held[at : at + width])
            begin = at if self._counts_all else at + width
            if size > self._bytes_max or (self._counts_all and size < width):
                raise ValueError(f"a frame of {size} bytes")
            if len(held) < begin + size:
                break
            out.append(bytes(held[begin : begin + size]))
            at = begin + size
        del held[:at]
        return out
