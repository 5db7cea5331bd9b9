"""Undoes gzip and deflate while an answer streams, in slices, so that a bomb cannot fill memory.

We ask every vendor for ``identity``; some compress errors all the same. Brotli and zstd are not
worth a dependency for an answer that ignores what was asked.
"""

import zlib
from typing import Final

from trivium.upstream.slices import SLICE_BYTES, Slices

_WINDOW_BYTES: Final = 4096
"""Input given to zlib at a time: what a full slice leaves over is copied back."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
_DEFLATE_METHOD: Final = 8
_SNIFFED_BYTES: Final = 2
"""Of a deflate body that say how it is wrapped."""
_CALLS_MAX: Final = 256
"""Calls of zlib in one step: a gzip body may be a million members that expand to nothing."""


class CodingError(Exception):
    """The body is not what its content coding says; the text may be shown."""


class Inflater(Slices):
    """Expands one body."""

    __slots__ = ("_begun", "_full", "_gzip", "_stream")

    def __init__(self, coding: bytes) -> None:
        """Raises ``CodingError`` for a coding that is not ``gzip``, ``x-gzip`` or ``deflate``."""
        if coding not in (b"gzip", b"x-gzip", b"deflate"):
            shown = coding[:40].decode("ascii", "replace")
            raise CodingError(
                f"The upstream compressed its answer with {shown!r}; identity was asked for."
            )
        super().__init__()
        self._gzip = coding != b"deflate"
        self._stream = zlib.decompressobj(_GZIP) if self._gzip else None
        self._full = False
        self._begun = False

    @property
    def waiting(self) -> bool:
        """Whether fed bytes may still expand."""
        if self._stream is None and len(self._input) < _SNIFFED_BYTES:
            return False
        return self._full or self._at < len(self._input)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        super().feed(data)
        self._begun = self._begun or bool(data)

    def step(self) -> bytes:
        """What comes next, at most ``SLICE_BYTES``. Raises ``CodingError``."""
        for _ in range(_CALLS_MAX):
            stream = self._stream or self._sniffed()
            if stream is None:
                break
            if stream.eof:
                stream = self._next_member()
            out = self._expanded(stream)
            if out:
                return out
            if not self.waiting:
                break
        return b""

    def _expanded(self, stream: "zlib._Decompress") -> bytes:
        window = self._input[self._at : self._at + _WINDOW_BYTES]
        try:
            out = stream.decompress(window, SLICE_BYTES)
        except zlib.error:
            raise CodingError("The upstream's compressed answer is damaged.") from None
        left = stream.unused_data if stream.eof else stream.unconsumed_tail
        self._at += len(window) - len(left)
        # a full slice: more may be held inside zlib even when all input is taken
        self._full = len(out) == SLICE_BYTES and not stream.eof
        return out

    def finish(self) -> None:
        """The body is whole. Raises ``CodingError`` when what it expands to is not."""
        if self._begun and (self._stream is None or not self._stream.eof):
            raise CodingError("The upstream's compressed answer is cut short.")

    def _sniffed(self) -> "zlib._Decompress | None":
        """Deflate means zlib (RFC 9110, 8.4.1.2), but servers that send it bare are common."""
        if len(self._input) < _SNIFFED_BYTES:
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
