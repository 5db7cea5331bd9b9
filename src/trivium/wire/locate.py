"""Finding the few blocks of a stream that matter among the many that only pass through.

A read of a hundred frames is searched for a word at C speed; only a block in which the word
stands is taken out and parsed. The word may be part of a text, so who asks must look again.

HOT: which way to search, for a word that is seldom there: from the left up to ``LONG`` bytes, as
that is a sixth faster; from the right beyond, where CPython 3.11 changes to another algorithm
that takes three times as long from the left (3.11.2, 26 KB: 3.1 and 3.8 us; 60 KB: 27 and 7.4 us;
2026-11-21). Never ``in``: it is slower on short runs, and no faster on long ones.
"""

from collections.abc import Iterable
from typing import Final

from trivium.wire.sse import blocks

LONG: Final = 30_000
_LF: Final = 10
_ENDS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")


def span(run: bytes, at: int) -> tuple[int, int]:
    """Where the block around offset ``at`` starts and stops in a run of whole blocks.

    Wider than one block where blocks end in different ways; it never cuts a block in two.
    """
    for end in _ENDS:
        if run.endswith(end):
            start = run.rfind(end, 0, at)
            return 0 if start < 0 else start + len(end), run.find(end, at) + len(end)
    return 0, len(run)


def holding(run: bytes, words: Iterable[bytes]) -> list[tuple[int, bytes]]:
    """Offset and bytes of every block in which one of ``words`` stands, in order."""
    found: dict[int, bytes] = {}
    if run.endswith(b"\n\n") and run.find(b"\r") < 0:
        # HOT: with no other line end each span is one block: 3.7 -> 2.5 us for three blocks of
        # 14 KB (2026-11-21)
        forward = len(run) < LONG
        search = run.find if forward else run.rfind
        for word in words:
            at = search(word)
            while at >= 0:
                start = run.rfind(b"\n\n", 0, at)
                start = start + 2 if start >= 0 else 0
                block = found.get(start)
                if block is None:
                    stop = run.find(b"\n", at) + 1  # of one character: far faster than of two
                    stop = stop + 1 if run[stop] == _LF else run.find(b"\n\n", stop) + 2
                    found[start] = block = run[start:stop]
                at = search(word, start + len(block)) if forward else search(word, 0, start)
        return sorted(found.items())
    for word in words:
        at = run.rfind(word)
        while at >= 0:
            start, stop = span(run, at)
            if start not in found:
                offset = start
                for block in blocks(run[start:stop]):
                    if word in block:
                        found[offset] = block
                    offset += len(block)
            at = run.rfind(word, 0, start)
    return sorted(found.items())
