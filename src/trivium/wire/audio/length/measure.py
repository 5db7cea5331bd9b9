"""Which container a recording is in, and how long it is; by its size where nobody can tell."""

from typing import Final

from trivium.wire.audio.length import flac, matroska, mp3, mp4, ogg, wav
from trivium.wire.audio.length.window import Asking, Window

ASSUMED_BYTES_A_SECOND: Final = 4_000
"""Of a recording that cannot be read: speech at 32 kbit/s, what phones and browsers record at."""
SECONDS_MAX: Final = 1_000_000.0
"""A header that says more is wrong."""
BYTES_A_SECOND_MAX: Final = 8_000_000
"""So is one that says so little that a second would have more: eight channels of 32 bits at 192 kHz
have 6.1 million, and a telephone's film 7 million."""


def measure(size: int | None) -> Asking[float | None]:
    """Seconds of a recording; ``None`` when its container is not known or does not say.

    ``size``: bytes of the file; ``None``: it streams by, and its end is not known.
    """
    window = Window()
    head = yield from window.at(0, 16)
    if head.startswith(b"OggS"):
        found = yield from ogg.seconds(window)
    elif head.startswith(b"fLaC"):
        found = yield from flac.seconds(window)
    elif head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        found = yield from wav.seconds(window, size)
    elif head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide"):
        found = yield from mp4.seconds(window)
    elif head.startswith(b"\x1a\x45\xdf\xa3"):
        found = yield from matroska.seconds(window)
    elif mp3.is_frame(head):
        found = yield from mp3.seconds(window)
    else:
        found = None
    if found is None or not 0 < found <= SECONDS_MAX:
        return None
    return found if (size or 0) <= found * BYTES_A_SECOND_MAX else None


def assumed(size: int) -> float:
    """Seconds of a recording that nobody can read, by its size."""
    return size / ASSUMED_BYTES_A_SECOND


class LengthMeter:
    """Measures what streams by: ``feed`` it all, then ask for ``seconds``."""

    __slots__ = ("_at", "_data", "_found", "_measure", "_size", "_want", "raw")

    def __init__(self, *, raw: bool = False) -> None:
        """``raw``: bare samples, as the speech shape's ``pcm`` has them."""
        self.raw = raw
        self._data = bytearray()
        self._at = 0
        self._size = 0
        self._found: float | None = None
        self._measure: Asking[float | None] | None = measure(None)
        self._want = next(self._measure)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the recording."""
        self._size += len(data)
        if self.raw or self._measure is None:
            return
        ahead = self._want[0] - self._at - len(self._data)
        if ahead > 0:  # a place further on was asked for: nothing before it will be
            self._at += len(self._data) + min(ahead, len(data))
            self._data.clear()
            data = data[ahead:]
        self._data += data
        while self._measure is not None and self._want[0] + self._want[1] <= self._size:
            self._step()

    def seconds(self) -> float | None:
        """Of all that was fed; ``None`` when it cannot be told."""
        if self.raw:
            return self._size / (wav.RATE * wav.SAMPLE_BYTES)
        while self._measure is not None:
            self._step()
        return self._found

    def _step(self) -> None:
        """Give what was asked for, and forget what lies before it: nobody goes back."""
        assert self._measure is not None
        start, size = self._want
        del self._data[: max(0, start - self._at)]
        self._at = max(self._at, start)
        try:
            self._want = self._measure.send(bytes(self._data[:size]))
        except StopIteration as done:
            self._found = done.value
            self._measure = None
            self._data = bytearray()
