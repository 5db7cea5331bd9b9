"""WebM and Matroska: the length in the header, else the time of the last block.

Browsers record without knowing how long it will be: their files have neither a length nor sizes of
their clusters, so these are walked through. Source: RFC 8794 and RFC 9559, read 2026-11-21.
"""

import struct
from typing import Final

from trivium.wire.audio.length.window import Asking, Window

_SEGMENT, _INFO, _SCALE, _DURATION = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4489
_CLUSTER, _TIME, _BLOCK, _SIMPLE, _GROUP = 0x1F43B675, 0xE7, 0xA1, 0xA3, 0xA0
_READ: Final = frozenset({_SCALE, _DURATION, _TIME, _BLOCK, _SIMPLE})
_ENTERED: Final = frozenset({_SEGMENT, _INFO, _CLUSTER, _GROUP})
_SCALE_NS: Final = 1_000_000
_ELEMENTS_MAX: Final = 5_000_000


def seconds(window: Window) -> Asking[float | None]:
    """From the header where it says so, else from the blocks."""
    at = 0
    told = _Told()
    for _ in range(_ELEMENTS_MAX):
        head = yield from window.at(at, 12)
        found = _element(head)
        if found is None:
            break
        name, size, begins = found
        start = at + begins
        if name in _ENTERED:
            at = start
            continue
        if size is None:
            break  # only what is entered may have no size
        if name in _READ:
            told.read(name, (yield from window.at(start, min(size, 8))))
            if name == _TIME and told.duration:
                break
        at = start + size
    return (told.duration or told.last) * told.scale / 1e9 or None


class _Told:
    """What the elements have told so far, in units of ``scale`` nanoseconds."""

    __slots__ = ("_cluster", "duration", "last", "scale")

    def __init__(self) -> None:
        self.scale = _SCALE_NS
        self.duration = 0.0
        self.last = 0
        self._cluster = 0

    def read(self, name: int, value: bytes) -> None:
        """The first bytes of an element."""
        if name == _DURATION:
            self.duration = _float(value)
        elif name == _SCALE:
            self.scale = int.from_bytes(value, "big") or _SCALE_NS
        elif name == _TIME:
            self._cluster = int.from_bytes(value, "big")
        elif len(value) >= 4:  # a block: its track, then its time from the cluster's
            self.last = max(
                self.last, self._cluster + int.from_bytes(value[1:3], "big", signed=True)
            )


def _element(head: bytes) -> tuple[int, int | None, int] | None:
    """Id, size and bytes of both; a size of ``None`` is not known."""
    if not head or not head[0]:
        return None
    id_bytes = 9 - head[0].bit_length()
    if id_bytes > 4 or len(head) <= id_bytes or not head[id_bytes]:
        return None
    size_bytes = 9 - head[id_bytes].bit_length()
    raw = head[id_bytes : id_bytes + size_bytes]
    if len(raw) < size_bytes:
        return None
    size = int.from_bytes(raw, "big") & (1 << 7 * size_bytes) - 1
    unknown = size == (1 << 7 * size_bytes) - 1
    return int.from_bytes(head[:id_bytes], "big"), None if unknown else size, id_bytes + size_bytes


def _float(value: bytes) -> float:
    if len(value) == 4:
        return float(struct.unpack(">f", value)[0])
    return float(struct.unpack(">d", value)[0]) if len(value) == 8 else 0.0
