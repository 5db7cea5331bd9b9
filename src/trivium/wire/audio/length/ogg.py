"""Ogg (Opus, Vorbis, FLAC, Speex): the last page says how many samples there have been.

Sources: RFC 3533 (pages), RFC 7845 (Opus in Ogg), the Vorbis I specification, the FLAC-to-Ogg
mapping, read 2026-11-21.
"""

import struct
from typing import Final

from trivium.wire.audio.length.window import Asking, Window

_HEAD: Final = struct.Struct("<4sBBqI")
_HEAD_BYTES: Final = 27
_NONE: Final = -1
_OPUS_RATE: Final = 48_000


def seconds(window: Window) -> Asking[float | None]:
    """Of the first stream whose codec is known."""
    at, last = 0, 0
    rate, skip, serial = 0, 0, None
    while True:
        head = yield from window.at(at, _HEAD_BYTES)
        if len(head) < _HEAD_BYTES or not head.startswith(b"OggS"):
            break
        _, _, _, granule, owner = _HEAD.unpack_from(head)
        lengths = yield from window.at(at + _HEAD_BYTES, head[26])
        start = at + _HEAD_BYTES + len(lengths)
        if serial is None:
            packet = yield from window.at(start, 64)
            rate, skip = _codec(packet)
            serial = owner if rate else None
        elif owner == serial and granule != _NONE:
            last = granule
        at = start + sum(lengths)
    return max(0, last - skip) / rate if rate and last else None


def _codec(packet: bytes) -> tuple[int, int]:
    """Samples a second, and how many of the first are not heard; 0: an unknown codec."""
    if packet.startswith(b"OpusHead") and len(packet) >= 12:
        return _OPUS_RATE, int.from_bytes(packet[10:12], "little")
    if packet.startswith(b"\x01vorbis") and len(packet) >= 16:
        return int.from_bytes(packet[12:16], "little"), 0
    if packet.startswith(b"\x7fFLAC") and len(packet) >= 30:
        return int.from_bytes(packet[27:30], "big") >> 4, 0
    if packet.startswith(b"Speex   ") and len(packet) >= 40:
        return int.from_bytes(packet[36:40], "little"), 0
    return 0, 0
