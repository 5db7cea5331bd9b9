"""Undoes content codings while an answer streams, in slices, so that a bomb cannot fill memory.

We ask every vendor for ``identity``; some compress errors all the same, and networks before them
may compress everything, in what browsers take: gzip, Brotli (RFC 7932) and Zstandard (RFC 8878).
"""

import sys
import zlib
from collections.abc import Callable, Mapping
from typing import Final, Protocol

SLICE_BYTES: Final = 32_768
"""Most that is handed on in one turn of the loop: a hundred ordinary frames, and three thousand of
the smallest."""


class Slices:
    """Cuts what it is fed; a content coding undoes itself on the way
    (``upstream/content_coding.py``).
    """

    __slots__ = ("_at", "_input")

    def __init__(self) -> None:
        self._input = b""
        self._at = 0

    @property
    def waiting(self) -> bool:
        """Whether fed bytes have yet to be handed on."""
        return self._at < len(self._input)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        self._input = self._input[self._at :] + data if self._at < len(self._input) else data
        self._at = 0

    def step(self) -> bytes:
        """The next slice, at most ``SLICE_BYTES``, possibly empty though more is waiting.

        Raises ``CodingError`` for a body that is not what its coding says.
        """
        at = self._at
        self._at = at + SLICE_BYTES
        return self._input[at : at + SLICE_BYTES]

    def bound(self) -> None:
        """Raise ``CodingError`` for a body that grows on its way to far more than was sent."""

    def finish(self) -> None:
        """The body is whole. Raises ``CodingError`` when what it expands to is not."""


_WINDOW_BYTES: Final = 4096
"""Input given to a decoder at a time: what a full slice leaves over is copied back."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
_DEFLATE_METHOD: Final = 8
_SNIFFED_BYTES: Final = 2
"""Of a deflate body that say how it is wrapped."""
_CALLS_MAX: Final = 64
"""Calls of a decoder in one step: a body may be a million members that expand to nothing, and the
decoder of a Zstandard frame takes 16 us to make."""
_BROTLI_BYTES: Final = SLICE_BYTES // 2
"""The decoder gives whole blocks of its own, of a little less than a slice at first, until it has
this much."""
_ZSTD_LOG_MAX: Final = 23
"""The history that a body may refer to: 8 MiB, as RFC 9659 has it; the format allows gibibytes.
Brotli's own limit is 16 MiB."""
_FREE_BYTES: Final = 8_388_608
_TIMES_MAX: Final = 128
"""Beyond this size a body may expand to so many times its own: JSON comes to ten or twenty times,
the longest run of one letter to a thousand and more."""


class CodingError(Exception):
    """The body is not what its content coding says; the text may be shown."""


class _Decoder(Protocol):
    """Expands one member of a body."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        ...

    def take(self, window: bytes) -> tuple[bytes, bytes, bool]:
        """What comes next, at most a slice; what is left of the window; whether more comes without
        input. Raises ``CodingError``.
        """
        ...


class _Zlib:
    """A member of gzip or deflate."""

    __slots__ = ("_stream",)

    def __init__(self, bits: int) -> None:
        self._stream = zlib.decompressobj(bits)

    @property
    def eof(self) -> bool:
        """Return whether the coded stream has ended."""
        return self._stream.eof

    def take(self, window: bytes) -> tuple[bytes, bytes, bool]:
        """Expand a slice, as ``_Decoder`` says."""
        stream = self._stream
        try:
            out = stream.decompress(window, SLICE_BYTES)
        except zlib.error:
            raise _damaged() from None
        left = stream.unused_data if stream.eof else stream.unconsumed_tail
        # a full slice: more may be held inside zlib even when all input is taken
        return out, left, len(out) == SLICE_BYTES and not stream.eof


class _Brotli:
    """A body in Brotli: its decoder refuses what comes behind the end."""

    __slots__ = ("_error", "_stream")

    def __init__(self) -> None:
        import brotli

        self._stream = brotli.Decompressor()
        self._error = brotli.error

    @property
    def eof(self) -> bool:
        """Return whether the coded stream has ended."""
        return self._stream.is_finished() is True

    def take(self, window: bytes) -> tuple[bytes, bytes, bool]:
        """Expand a slice, as ``_Decoder`` says."""
        stream = self._stream
        ready = stream.can_accept_more_data()
        try:
            out: bytes = stream.process(window if ready else b"", output_buffer_limit=_BROTLI_BYTES)
        except self._error:
            raise _damaged() from None
        rest = b"" if ready else window
        # a full block: more may be held inside even when all input is taken
        full = len(out) >= _BROTLI_BYTES or not stream.can_accept_more_data()
        return out, rest, full and not stream.is_finished()


class _Zstd:
    """A frame of Zstandard."""

    __slots__ = ("_error", "_stream")

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        limit = {int(zstd.DecompressionParameter.window_log_max): _ZSTD_LOG_MAX}
        self._stream = zstd.ZstdDecompressor(options=limit)
        self._error = zstd.ZstdError

    @property
    def eof(self) -> bool:
        """Return whether the coded stream has ended."""
        return self._stream.eof

    def take(self, window: bytes) -> tuple[bytes, bytes, bool]:
        """Expand a slice, as ``_Decoder`` says."""
        stream = self._stream
        ready = stream.needs_input
        try:
            out = stream.decompress(window if ready else b"", SLICE_BYTES)
        except self._error:
            raise _damaged() from None
        rest = b"" if ready else window
        if stream.eof:
            return out, stream.unused_data + rest, False
        return out, rest, not stream.needs_input


def _gzip() -> _Decoder:
    return _Zlib(_GZIP)


_DECODERS: Final[Mapping[bytes, Callable[[], _Decoder]]] = {
    b"gzip": _gzip,
    b"x-gzip": _gzip,
    b"zstd": _Zstd,
    b"br": _Brotli,
}
"""The codings that say how they are wrapped."""
_SEVERAL: Final = frozenset({b"gzip", b"x-gzip", b"zstd"})
"""A body may be several members, one after the other (RFC 1952, 2.2; RFC 8878, 3)."""


class Inflater(Slices):
    """Expands one body's content coding, a bounded slice at a time."""

    __slots__ = ("_begun", "_coding", "_full", "_read", "_stream", "_window", "_written")

    def __init__(self, coding: bytes) -> None:
        """Raises ``CodingError`` for a coding that nobody knows here."""
        make = _DECODERS.get(coding)
        if make is None and coding != b"deflate":
            shown = coding[:40].decode("ascii", "replace")
            raise CodingError(
                f"The upstream compressed its answer with {shown!r}; identity was asked for."
            )
        super().__init__()
        self._coding = coding
        self._stream = None if make is None else make()
        self._window = b""
        """Input that the decoder has seen and left over."""
        self._full = False
        self._begun = False
        self._read = self._written = 0

    @property
    def waiting(self) -> bool:
        """Whether fed bytes may still expand."""
        if self._stream is None and len(self._input) < _SNIFFED_BYTES:
            return False
        return self._full or bool(self._window) or self._at < len(self._input)

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
            if not self._window and not self._full:
                self._window = self._input[self._at : self._at + _WINDOW_BYTES]
                self._at += len(self._window)
                self._read += len(self._window)
            out, self._window, self._full = stream.take(self._window)
            if out:
                self._written += len(out)
                return out
            if not self.waiting:
                break
        return b""

    def bound(self) -> None:
        """Raise ``CodingError`` for a body that expands to far more than any answer does."""
        if self._written > max(_FREE_BYTES, _TIMES_MAX * self._read):
            raise CodingError(
                f"The upstream's compressed answer expands to over {_TIMES_MAX} times its size."
            )

    def finish(self) -> None:
        """The body is whole. Raises ``CodingError`` when what it expands to is not."""
        if self._begun and (self._stream is None or not self._stream.eof):
            raise CodingError("The upstream's compressed answer is cut short.")

    def _sniffed(self) -> _Decoder | None:
        """Deflate means zlib (RFC 9110, 8.4.1.2), but servers that send it bare are common."""
        if len(self._input) < _SNIFFED_BYTES:
            return None
        wrapped = self._input[0] & 15 == _DEFLATE_METHOD and (
            int.from_bytes(self._input[:2], "big") % 31 == 0
        )
        self._stream = _Zlib(_ZLIB if wrapped else _RAW)
        return self._stream

    def _next_member(self) -> _Decoder:
        if self._coding not in _SEVERAL:
            raise CodingError("The upstream's compressed answer goes on after its end.")
        self._stream = _DECODERS[self._coding]()
        return self._stream


def _damaged() -> CodingError:
    return CodingError("The upstream's compressed answer is damaged.")
