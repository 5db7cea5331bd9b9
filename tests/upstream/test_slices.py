"""Bytes come out as they went in, a slice at a time, and a turn of the loop each."""

import asyncio
import gzip
from collections import Counter

import msgspec
import pytest
from tests.doubles import Close, Double, Recorder, Send, Stall, chunked, sized, until_close
from tests.upstream.conftest import ask

from trivium.upstream.slices import SLICE_BYTES, Slices


@pytest.mark.parametrize("sizes", [[1], [SLICE_BYTES], [SLICE_BYTES + 1], [9 * SLICE_BYTES, 5]])
def test_slices_joined_are_what_was_fed(sizes):
    """None longer than a slice, and nothing waits in the end."""
    slices = Slices()
    reads = [bytes([at % 256]) * size for at, size in enumerate(sizes)]
    taken = []
    for data in reads:
        slices.feed(data)
        taken.append(slices.step())
    while slices.waiting:
        taken.append(slices.step())
    slices.finish()
    assert b"".join(reads) == b"".join(taken)
    assert max(map(len, taken)) <= SLICE_BYTES


def test_nothing_waits_before_anything_came():
    """So that nobody asks for a step."""
    assert not Slices().waiting


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def paced(double, **asked):
    """A request whose answer is taken apart as it comes."""
    return msgspec.structs.replace(ask(double, **asked), paced=True)


FRAMES = b"".join(b"data: %06d\n\n" % at for at in range(40_000))
PACED_ENDS = {
    "sized": ([Send(sized(FRAMES))], "done"),
    "chunked": ([Send(chunked(FRAMES[:99], FRAMES[99:]))], "done"),
    "until close": ([Send(until_close(FRAMES)), Close()], "done"),
    "gzip": ([Send(sized(gzip.compress(FRAMES), headers=b"Content-Encoding: gzip\r\n"))], "done"),
    "cut": ([Send(sized(FRAMES + b"x")[:-1]), Close()], "broke"),
    "garbage": ([Send(CHUNKED + b"%x\r\n%b\r\nzz" % (len(FRAMES), FRAMES))], "broke"),
}


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", PACED_ENDS)
@pytest.mark.asyncio
async def test_a_large_read_is_handed_on_in_turns_of_the_loop(make_client, authority, name, secure):
    """Slice by slice, others in between; in order, and the end behind the last of them."""
    script, ending = PACED_ENDS[name]
    context = authority.server("localhost") if secure else None
    turns = [0]

    async def others():
        while True:
            turns[0] += 1
            await asyncio.sleep(0)

    taken = []
    sink = Recorder(on_data=lambda data: taken.append((turns[0], len(data))))
    client = make_client(ca_file=str(authority.ca_file))
    async with Double([script], tls=context) as double:
        aside = asyncio.create_task(others())
        named = {"scheme": "https", "host": "localhost"} if secure else {}
        await client.open(paced(double, **named), sink)
        await sink.end()
        aside.cancel()
    assert (FRAMES, ending) == (sink.body[: len(FRAMES)], sink.log[-1])
    assert len(sink.body) <= len(FRAMES) + 1
    assert max(size for _, size in taken) <= SLICE_BYTES
    # two where one read ends and the next begins
    assert max(Counter(turn for turn, _ in taken).values()) <= 2


@pytest.mark.asyncio
async def test_what_was_read_before_a_connection_was_lost_is_handed_on(client):
    """And then that it was lost."""
    calls = []
    sink = Recorder(on_data=lambda _: calls[0]._connection.connection_lost(None))
    async with Double([[Send(sized(FRAMES + b"x")[:-1]), Stall()]]) as double:
        calls.append(await client.open(paced(double), sink))
        await sink.end()
        assert "in the middle" in sink.fault.message
        assert len(sink.body) > SLICE_BYTES
        assert FRAMES.startswith(sink.body)


@pytest.mark.asyncio
async def test_a_paced_call_may_be_paused_and_left_between_two_slices(client, standing):
    """It goes on where it stood, and once left nothing more comes."""
    calls = []
    sink = Recorder(on_data=lambda _: calls[0].pause())
    async with Double([[Send(sized(FRAMES))]]) as double:
        calls.append(await client.open(paced(double), sink))
        while len(sink.parts) < 3:
            before = len(sink.parts)
            await asyncio.sleep(0.005)
            assert len(sink.parts) <= before + 1
            calls[0].resume()
            calls[0].pause()
            calls[0].resume()
        calls[0].abort()
        heard = len(sink.parts)
        await asyncio.sleep(0.01)
        assert heard == len(sink.parts)
        assert FRAMES.startswith(sink.body)
        assert 0 == standing(client).open
