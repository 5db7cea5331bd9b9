"""WAV: a header that says how many bytes a second has, and how many bytes there are.

Decoders of plain samples go by their rate, channels and bits, whatever the header says of a second,
and read on behind the first piece of sound: so it is counted here. Writers that stream do not know
the number of bytes and write 0 or 0xFFFFFFFF: then it is what follows.
Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", read 2026-11-21.
"""

import struct
from typing import Final

from trivium.wire.audio.length.window import BLOCK_BYTES, Asking, Window

_CHUNKS_MAX: Final = 64
_UNSAID: Final = (0, 0xFFFFFFFF)
PCM: Final = 1
_PLAIN: Final = frozenset({PCM, 3, 6, 7, 0xFFFE})
"""Formats whose samples have as many bits as the header says: PCM, float, A-law, mu-law, PCM."""
_FORMAT: Final = struct.Struct("<HHIIHH")
RATE: Final = 24_000
"""Samples a second of the raw format: 16 bits, little-endian, one channel. Source: OpenAI's guide
to text to speech, read 2026-11-21."""
SAMPLE_BYTES: Final = 2


def seconds(window: Window, size: int | None) -> Asking[float | None]:
    """``size``: of the file; ``None``: not known, then what follows is counted."""
    at, second_bytes, sound = 12, 0, 0
    for _ in range(_CHUNKS_MAX):
        head = yield from window.at(at, 8)
        if len(head) < 8:
            return sound / second_bytes if sound and second_bytes else None
        name, length = struct.unpack("<4sI", head)
        if name == b"fmt ":
            second_bytes = _second((yield from window.at(at + 8, _FORMAT.size)))
        elif name == b"data":
            if size is not None:
                rest = size - at - 8
                length = rest if length in _UNSAID else min(length, rest)
            elif length in _UNSAID:
                length = yield from _rest(window, at + 8)
            sound += length
        at += 8 + length + (length & 1)
    return None


def _second(described: bytes) -> int:
    """Bytes of a second; 0: it does not say."""
    if len(described) < _FORMAT.size:
        return 0
    kind, channels, rate, told, _, bits = _FORMAT.unpack(described)
    return rate * channels * bits // 8 if kind in _PLAIN else int(told)


def _rest(window: Window, at: int) -> Asking[int]:
    count = 0
    while block := (yield from window.at(at + count, BLOCK_BYTES)):
        count += len(block)
    return count


def header(size: int, rate: int) -> bytes:
    """The head of a WAV file with so many bytes of 16-bit samples of one channel."""
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, PCM, 1),
        *(rate, rate * SAMPLE_BYTES, SAMPLE_BYTES, 8 * SAMPLE_BYTES, b"data", size),
    )
