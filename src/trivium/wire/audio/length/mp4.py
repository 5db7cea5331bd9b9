"""MP4, M4A and MOV: the movie header, wherever it is. Source: ISO/IEC 14496-12, read 2026-11-21."""

from typing import Final

from trivium.wire.audio.length.window import Asking, Window

_BOXES_MAX: Final = 10_000


def seconds(window: Window) -> Asking[float | None]:
    """From ``moov/mvhd``, else from ``moov/mvex/mehd`` where it is in fragments."""
    moov = yield from _find(window, b"moov", 0, None)
    if moov is None:
        return None
    mvhd = yield from _find(window, b"mvhd", *moov)
    if mvhd is None:
        return None
    body = yield from window.at(mvhd[0], 32)
    if len(body) < 32:
        return None
    wide = body[0] == 1
    scale = int.from_bytes(body[20:24] if wide else body[12:16], "big")
    length = int.from_bytes(body[24:32] if wide else body[16:20], "big")
    unsaid = length in (0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
    if unsaid:
        length = yield from _fragments(window, moov)
    return length / scale if scale and length else None


def _fragments(window: Window, moov: tuple[int, int]) -> Asking[int]:
    mvex = yield from _find(window, b"mvex", *moov)
    mehd = None if mvex is None else (yield from _find(window, b"mehd", *mvex))
    if mehd is None:
        return 0
    body = yield from window.at(mehd[0], 12)
    return int.from_bytes(body[4:12] if body[:1] == b"\x01" else body[4:8], "big")


def _find(window: Window, name: bytes, at: int, end: int | None) -> Asking[tuple[int, int] | None]:
    """Where the content of the first box of that name begins and ends."""
    for _ in range(_BOXES_MAX):
        if end is not None and at >= end:
            return None
        head = yield from window.at(at, 16)
        if len(head) < 8:
            return None
        size, start = int.from_bytes(head[:4], "big"), at + 8
        if size == 1:
            size, start = int.from_bytes(head[8:16], "big"), at + 16
        elif size == 0:  # to the end of the file
            size = (1 << 62) - at
        if head[4:8] == name:
            return start, at + size
        if size < start - at:
            return None
        at += size
    return None
