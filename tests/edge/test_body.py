"""Bodies put together from pieces of any size, within a limit and without a second copy."""

import tracemalloc

import pytest

from edge.wires import asked
from trivium.edge.body import BLOCK_BYTES, PIECES_MAX, BodyBuffer
from trivium.edge.body_memory import BodyMemory, MemoryShare
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind


def pieces(size, of):
    return [b"%c" % (65 + at % 26) * min(of, size - at) for at in range(0, size, of)]


@pytest.mark.parametrize(
    ("size", "of"),
    [(0, 1), (5, 5), (5, 1), (PIECES_MAX + 5, 1), (3 * BLOCK_BYTES + 7, 65_536), (BLOCK_BYTES, 7)],
)
def test_a_body_is_what_was_fed(size, of):
    """One piece, many of one byte, and more than is kept as pieces."""
    body, exchange = (
        BodyBuffer(ServerLimits(), MemoryShare(BodyMemory(), None, large=False)),
        asked(),
    )
    for piece in pieces(size, of):
        body.feed(piece)
    assert not body.full(lambda: None)
    body.finish(exchange)
    assert b"".join(pieces(size, of)) == exchange.body
    assert size == body.size


def test_a_body_beyond_its_limit_is_refused():
    """At the first byte too many."""
    body = BodyBuffer(ServerLimits(body_bytes_max=10), MemoryShare(BodyMemory(), None, large=False))
    body.feed(b"a" * 10)
    with pytest.raises(Fault) as refused:
        body.feed(b"a")
    assert Kind.BODY_TOO_LARGE is refused.value.kind


@pytest.mark.parametrize(
    ("size", "of", "more"),
    [(60_000, 1, 70_000), (8_000_000, 700, 1_500_000), (12_000_000, 262_144, 1_500_000)],
)
def test_a_body_takes_little_more_memory_than_its_own_size(size, of, more):
    """Whatever its pieces are: neither a second copy at the end, nor an object for each byte."""
    piece = memoryview(b"a" * of)
    tracemalloc.start()
    try:
        body, exchange = (
            BodyBuffer(ServerLimits(), MemoryShare(BodyMemory(), None, large=False)),
            asked(),
        )
        for _ in range(size // of):
            body.feed(bytes(piece))
        body.finish(exchange)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size // of * of == len(exchange.body)
    assert peak < 1.15 * size + more
