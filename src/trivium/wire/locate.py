"""Finding the few blocks of a stream that matter among the many that only pass through.

A read of a hundred frames is searched for a word at C speed; only a block in which the word
stands is taken out and parsed. The word may be part of a text, so who asks must look again.
"""

from collections.abc import Iterable

from trivium.wire.sse import blocks

_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")


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
    for word in words:
        # from the right: CPython's rfind is two to four times as fast here as find
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
