"""Finding the few blocks of a stream that matter among the many that only pass through.

A read of a hundred frames is searched for a word at C speed; only a block in which the word
stands is taken out and parsed. The word may be part of a text, so who asks must look again.

A word that is seldom there is looked for from the right (``rfind``), everywhere in ``wire``.
In 60 KB ``"error"`` takes 5.7 us so, 40 with ``in`` and 54 with ``find``; in 26 KB all take 2,
and 2.4, 9.2 and 9.1 in a CPython built without optimizations (3.11, 2026-11-24, timeit).
"""

from collections.abc import Iterable
from typing import Final

from trivium.wire.sse import blocks

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
        # HOT: with no other line end each span is one block: 15.2 -> 10.7 us for a stream
        # (2026-11-24, bench/hot.py --case watch.responses.run)
        for word in words:
            at = run.rfind(word)
            while at >= 0:
                start = run.rfind(b"\n\n", 0, at)
                start = start + 2 if start >= 0 else 0
                block = found.get(start)
                if block is None:
                    stop = run.find(b"\n", at) + 1  # of one character: far faster than of two
                    stop = stop + 1 if run[stop] == _LF else run.find(b"\n\n", stop) + 2
                    found[start] = block = run[start:stop]
                at = run.rfind(word, 0, start)
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
