"""Undoes gzip and deflate while an answer streams, in slices, so that a bomb cannot fill memory.

We ask every vendor for ``identity``; some compress errors all the same. Brotli and zstd are not
worth a dependency for an answer that ignores what was asked.
"""

import zlib
from collections.abc import Iterator
from typing import Final

SLICE_BYTES: Final = 65_536
"""Most that one step expands to: the size of the caller's write buffer before reading pauses."""

_WINDOW_BYTES: Final = 4096
"""Input given to zlib at a time: what a full slice leaves over is copied back."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
_DEFLATE_METHOD: Final = 8


class CodingError(Exception):
    """The body is not what its content coding says; the text may be shown."""


class Inflater:
    """Expands one body."""

    def __init__(self, coding: bytes) -> None:
        """Raises ``CodingError`` for a coding that is not ``gzip``, ``x-gzip`` or ``deflate``."""
        if coding not in (b"gzip", b"x-gzip", b"deflate"):
            shown = coding[:40].decode("ascii", "replace")
            raise CodingError(
                f"The upstream compressed its answer with {shown!r}; identity was asked for."
            )
        self._gzip = coding != b"deflate"
        self._stream = zlib.decompressobj(_GZIP) if self._gzip else None
        self._input = b""
        self._at = 0
        self._full = False
        self._begun = False
        self.running = False
        """The owner's mark that it is in the middle of ``slices``."""

    @property
    def waiting(self) -> bool:
        """Whether fed bytes may still expand."""
        return self._full or self._at < len(self._input)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        self._input = self._input[self._at :] + data
        self._at = 0
        self._begun = self._begun or bool(data)

    def slices(self) -> Iterator[bytes]:
        """What the fed bytes expand to, at most ``SLICE_BYTES`` each; may be left half-way.

        Raises ``CodingError``.
        """
        while self.waiting:
            stream = self._stream or self._sniffed()
            if stream is None:
                return
            if stream.eof:
                stream = self._next_member()
            window = self._input[self._at : self._at + _WINDOW_BYTES]
            try:
                out = stream.decompress(window, SLICE_BYTES)
            except zlib.error:
                raise CodingError("The upstream's compressed answer is damaged.") from None
            left = stream.unused_data if stream.eof else stream.unconsumed_tail
            self._at += len(window) - len(left)
            # a full slice: more may be held inside zlib even when all input is taken
            self._full = len(out) == SLICE_BYTES and not stream.eof
            if out:
                yield out

    def finish(self) -> None:
        """The body is whole. Raises ``CodingError`` when what it expands to is not."""
        if self._begun and (self._stream is None or not self._stream.eof):
            raise CodingError("The upstream's compressed answer is cut short.")

    def _sniffed(self) -> "zlib._Decompress | None":
        """Deflate means zlib (RFC 9110, 8.4.1.2), but servers that send it bare are common."""
        if len(self._input) < 2:
            return None
        wrapped = self._input[0] & 15 == _DEFLATE_METHOD and (
            int.from_bytes(self._input[:2], "big") % 31 == 0
        )
        self._stream = zlib.decompressobj(_ZLIB if wrapped else _RAW)
        return self._stream

    def _next_member(self) -> "zlib._Decompress":
        """A gzip body may be several, one after the other (RFC 1952, 2.2)."""
        if not self._gzip:
            raise CodingError("The upstream's compressed answer goes on after its end.")
        self._stream = zlib.decompressobj(_GZIP)
        return self._stream
