"""MP3 and AAC in ADTS frames: every frame says how long it is, so they are added up.

A bit rate and a size would do for constant rates alone. Sources: ISO/IEC 11172-3 and 13818-3 (frame
header), 14496-3 (ADTS), id3.org ("ID3v2.4.0 structure"), read 2026-11-21.
"""

from typing import Final

from trivium.wire.audio.length.window import Asking, Window

_BITRATES: Final = {
    (3, 3): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (3, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (3, 1): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 3): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 1): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Thousands of bits a second by (version, layer), as the header codes both; 2 stands for 2.5."""
_RATES: Final = {
    3: (44_100, 48_000, 32_000),
    2: (22_050, 24_000, 16_000),
    0: (11_025, 12_000, 8000),
}
_ADTS_RATES: Final = (
    *(96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000),
    *(22_050, 16_000, 12_000, 11_025, 8_000, 7_350),
)
_ID3: Final = b"ID3"
_LOST_MAX: Final = 65_536
"""Bytes between two frames that are searched for the next; beyond it the file is none of these."""
_SHORTEST: Final = 7


def seconds(window: Window) -> Asking[float | None]:
    """The frames' lengths together; ``None`` when there are none."""
    at = yield from _after_tags(window)
    total, found, lost = 0.0, 0, 0
    while True:
        head = yield from window.at(at, _SHORTEST)
        if len(head) < 4:
            break
        frame = _frame(head)
        if frame is None:
            lost += 1
            if lost > _LOST_MAX:
                break
            at += 1
            continue
        size, length = frame
        if not found and (yield from _tells(window, at)):
            length = 0.0  # the first frame may hold a table of contents instead of sound
        found += 1
        lost = 0
        total += length
        at += size
    return total if found else None


def is_frame(head: bytes) -> bool:
    """Whether a file that begins so may be one of these."""
    return head.startswith(_ID3) or (len(head) >= _SHORTEST and _frame(head) is not None)


def _after_tags(window: Window) -> Asking[int]:
    head = yield from window.at(0, 10)
    if not head.startswith(_ID3) or len(head) < 10:
        return 0
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 127
    return 10 + size + (10 if head[5] & 16 else 0)


def _frame(head: bytes) -> tuple[int, float] | None:
    """Bytes and seconds of the frame that begins here."""
    if head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    if layer == 0:
        return _adts(head)
    if version == 1 or head[2] >> 4 == 15 or head[2] >> 2 & 3 == 3:
        return None
    bits = _BITRATES[3 if version == 3 else 2, layer][head[2] >> 4] * 1000
    rate = _RATES[version][head[2] >> 2 & 3]
    if not bits:
        return None
    padding = head[2] >> 1 & 1
    if layer == 3:
        samples, size = 384, (12 * bits // rate + padding) * 4
    else:
        samples = 576 if layer == 1 and version != 3 else 1152
        size = samples // 8 * bits // rate + padding
    return size, samples / rate


def _adts(head: bytes) -> tuple[int, float] | None:
    if len(head) < _SHORTEST or head[1] & 0xF6 != 0xF0 or head[2] >> 2 & 15 >= len(_ADTS_RATES):
        return None
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    if size < _SHORTEST:
        return None
    return size, 1024 * ((head[6] & 3) + 1) / _ADTS_RATES[head[2] >> 2 & 15]


def _tells(window: Window, at: int) -> Asking[bool]:
    body = yield from window.at(at, 64)
    return b"Xing" in body or b"Info" in body or b"VBRI" in body
