"""A large body that is held is written in pieces."""

import pytest

from scripted_upstream import Double, Recorder, Send, sized
from trivium.upstream.held_body import PIECE_BYTES, HeldBody
from upstream.test_body_writer import upload


@pytest.mark.asyncio
async def test_a_large_body_that_is_held_arrives_whole(make_client):
    """From the start each time it is asked for."""
    client = make_client()
    data = bytes(range(256)) * 3_000
    body = HeldBody(data)
    async with Double([[Send(sized(b"ok"))]]) as double:
        for _ in range(2):
            sink = Recorder()
            await client.open(upload(double, body), sink)
            await sink.end()
            assert b"ok" == sink.body
        assert [data, data] == [seen.body for seen in double.requests]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES, PIECE_BYTES + 1])
async def test_no_byte_is_left_out(size):
    """Of a last piece that is short, or of none."""
    body = HeldBody(b"a" * size)
    pieces = [piece async for piece in body.pieces()]
    assert (size, b"a" * size) == (body.size, b"".join(pieces))
    assert max([0, *map(len, pieces)]) <= PIECE_BYTES
