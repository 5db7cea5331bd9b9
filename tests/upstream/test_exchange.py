"""What a sink is told, when it holds back, and when it or the vendor leaves."""

import asyncio
import gzip
import random

import pytest
from tests.content_codings import PACK
from tests.scripted_upstream import (
    Close,
    Double,
    Flood,
    Recorder,
    Reset,
    Send,
    Stall,
    Until,
    Wait,
    chunked,
    sized,
    until_close,
)
from tests.upstream.conftest import ask, limits

from trivium.faults import Kind
from trivium.upstream.content_coding import SLICE_BYTES

TEXT = b"one two three " * 20
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


async def run(client, *script, **asked):
    """One call against a script, to its end."""
    async with Double([list(script)]) as double:
        sink = Recorder()
        await client.open(ask(double, **asked), sink)
        return await sink.end()


@pytest.mark.parametrize(
    ("script", "body"),
    [
        ([Send(sized(TEXT), cut=7)], TEXT),
        ([Send(chunked(TEXT[:50], TEXT[50:]), cut=1)], TEXT),
        ([Send(until_close(TEXT)), Close()], TEXT),
        ([Send(b"HTTP/1.1 204 No\r\n\r\n")], b""),
        ([Send(b"HTTP/1.1 100 Continue\r\n\r\n"), Wait(0.01), Send(sized(TEXT))], TEXT),
    ],
    ids=["sized", "chunked", "until close", "no body", "interim"],
)
@pytest.mark.asyncio
async def test_every_framing_comes_out_whole(client, script, body):
    """In whatever pieces the network brings it."""
    sink = await run(client, *script)
    assert (body, "done", None) == (sink.body, sink.log[-1], sink.fault)


@pytest.mark.asyncio
async def test_all_chunks_of_a_read_come_in_one_call(client):
    """One write to the caller for each read from the vendor."""
    sink = await run(client, Send(chunked(*[b"chunk"] * 100)))
    assert [b"chunk" * 100] == sink.parts


@pytest.mark.parametrize(
    ("script", "log"),
    [
        ([Send(sized(TEXT)[:-1]), Close()], ["head", "data", "broke"]),
        ([Send(chunked(TEXT)[:-1]), Close()], ["head", "data", "broke"]),
        ([Send(chunked(TEXT)[:-1]), Wait(0.05), Reset()], ["head", "data", "broke"]),
        ([Send(until_close(TEXT)), Wait(0.05), Reset()], ["head", "data", "broke"]),
        ([Send(b"HTTP/1.1 200"), Close()], ["broke"]),
        ([Close()], ["broke"]),
        ([Reset()], ["broke"]),
        ([Send(b"<html>")], ["broke"]),
        ([Send(CHUNKED + b"2\r\nhi\r\nzz")], ["head", "data", "broke"]),
        ([Send(sized(TEXT, headers=b"A: %s\r\n" % (b"a" * 70_000)))], ["broke"]),
    ],
)
@pytest.mark.asyncio
async def test_a_broken_answer_is_a_fault(client, standing, script, log):
    """What had come is handed on; the fault names neither host nor address."""
    sink = await run(client, *script)
    assert log == sink.log
    assert Kind.UPSTREAM_BROKE is sink.fault.kind
    assert "127.0.0.1" not in sink.fault.message
    assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_head_request_ends_with_the_head(client, standing):
    """And the connection may serve again."""
    payload = b"HEAD /v1/x HTTP/1.1\r\nHost: x\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
    sink = await run(client, Send(head), payload=payload)
    assert ["head", "done"] == sink.log


GZIPPED = gzip.compress(TEXT, mtime=0)


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.asyncio
async def test_a_compressed_answer_is_expanded(client, coding):
    """And no header describes the bytes that were not handed on."""
    packed = PACK[coding](TEXT)
    for cut in (None, 1):
        header = b"Content-Encoding: %s\r\n" % coding
        sink = await run(client, Send(sized(packed, headers=header + b"X-A: b\r\n"), cut=cut))
        assert (TEXT, "done") == (sink.body, sink.log[-1])
        assert [(b"x-a", b"b")] == sink.headers


@pytest.mark.asyncio
async def test_a_compressed_answer_until_close_is_expanded(client):
    """The end of the connection is the end of the body."""
    header = b"Content-Encoding: gzip\r\n"
    sink = await run(client, Send(until_close(GZIPPED, headers=header)), Close())
    assert (TEXT, "done") == (sink.body, sink.log[-1])
    sink = await run(client, Send(until_close(GZIPPED[:-1], headers=header)), Close())
    assert "cut short" in sink.fault.message


@pytest.mark.parametrize(
    ("coding", "body", "words"),
    [
        (b"compress", b"x", "identity was asked for"),
        (b"br", b"\xff" * 9, "damaged"),
        (b"zstd", b"plain", "damaged"),
        (b"gzip", b"plain", "damaged"),
        (b"gzip", GZIPPED[:-1], "cut short"),
    ],
)
@pytest.mark.asyncio
async def test_a_coding_that_fails_is_a_fault(client, standing, coding, body, words):
    """With words that say what to look for."""
    sink = await run(client, Send(sized(body, headers=b"Content-Encoding: %s\r\n" % coding)))
    assert Kind.UPSTREAM_BROKE is sink.fault.kind
    assert words in sink.fault.message
    assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_bomb_stops_when_the_caller_is_slow(client, standing):
    """Each resume lets one slice through; the rest stays compressed."""
    bomb = gzip.compress(b"\0" * (8 << 20), mtime=0)
    calls = []
    sink = Recorder(on_data=lambda _: calls[0].pause())
    async with Double([[Send(sized(bomb, headers=b"Content-Encoding: gzip\r\n"))]]) as double:
        calls.append(await client.open(ask(double), sink))
        largest = rounds = 0
        while not sink.ended.is_set():
            before = sum(map(len, sink.parts))
            calls[0].resume()
            await asyncio.sleep(0)
            largest = max(largest, sum(map(len, sink.parts)) - before)
            rounds += 1
        assert SLICE_BYTES == largest
        assert rounds >= 128
        assert (8 << 20, "done") == (len(sink.body), sink.log[-1])
        assert 1 == standing(client).idle


@pytest.mark.parametrize("ending", ["garbage", "close", "lost"])
@pytest.mark.asyncio
async def test_what_follows_a_held_back_body_is_told_after_it(client, standing, ending):
    """Everything that came is handed on first, in order, whatever has happened since."""
    packed = gzip.compress(bytes(5 * SLICE_BYTES), mtime=0)
    header = b"Content-Encoding: gzip\r\n"
    script = {
        "garbage": [Send(CHUNKED[:-2] + header + b"\r\n%x\r\n%b\r\nzz" % (len(packed), packed))],
        "close": [Send(until_close(packed, headers=header)), Close()],
        "lost": [Send(sized(packed, headers=header)), Stall()],
    }[ending]
    calls = []
    sink = Recorder(on_data=lambda _: calls[0].pause())
    async with Double([script]) as double:
        calls.append(await client.open(ask(double), sink))
        while not sink.parts:
            await asyncio.sleep(0.001)
        if ending == "lost":
            calls[0]._connection.connection_lost(None)
        while not sink.ended.is_set():
            calls[0].pause()
            calls[0].resume()
            await asyncio.sleep(0.001)  # with none the loop never comes to read
        assert bytes(5 * SLICE_BYTES) == sink.body
        assert ("broke" if ending == "garbage" else "done") == sink.log[-1]
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_bomb_ends_when_the_sink_aborts(client, standing):
    """Between two slices."""
    bomb = gzip.compress(b"\0" * (8 << 20), mtime=0)
    calls = []
    sink = Recorder(on_data=lambda _: len(sink.parts) > 3 and calls[0].abort())
    async with Double([[Send(sized(bomb, headers=b"Content-Encoding: gzip\r\n"))]]) as double:
        calls.append(await client.open(ask(double), sink))
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
        assert 4 == len(sink.parts)
        assert 0 == standing(client).open


@pytest.mark.asyncio
async def test_a_resume_from_within_data_does_not_recurse(client):
    """A sink that changes its mind at once gets everything in order."""
    # no bomb: what expands more than is allowed is refused
    whole = (random.Random(7).randbytes(8_192) + b"\0" * 516_096) * 160
    packed = gzip.compress(whole, compresslevel=1, mtime=0)
    calls = []

    def waver(_):
        calls[0].pause()
        calls[0].resume()

    sink = Recorder(on_data=waver)
    async with Double([[Send(sized(packed, headers=b"Content-Encoding: gzip\r\n"))]]) as double:
        calls.append(await client.open(ask(double), sink))
        await sink.end()
        assert sink.fault is None
        assert whole == bytes(sink.body)


@pytest.mark.asyncio
async def test_back_pressure_reaches_the_vendor(client):
    """While paused nothing is read: the vendor's writes fill the kernel's buffers and stop."""
    block = b"%x\r\n%b\r\n" % (1 << 16, b"x" * (1 << 16))
    async with Double([[Send(CHUNKED), Flood(block, 800), Send(b"0\r\n\r\n")]]) as double:
        sink = Recorder(on_data=lambda _: call.pause())
        call = await client.open(ask(double, limits=limits(idle=0.3)), sink)
        async with asyncio.timeout(20):
            while not sink.parts:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        stuck, got = double.sent, len(sink.body)
        await asyncio.sleep(0.6)
        assert not sink.ended.is_set(), "the idle limit ran while paused"
        assert (stuck, got) == (double.sent, len(sink.body))
        assert got <= 1 << 20
        assert stuck < 40 << 20
        sink._on_data = None
        call.resume()
        await sink.end(10)
        assert (800 << 16, "done") == (len(sink.body), sink.log[-1])


@pytest.mark.asyncio
async def test_the_idle_limit_runs_again_after_a_pause(client):
    """From the moment of resuming."""
    async with Double([[Send(CHUNKED + b"1\r\na\r\n"), Stall()]]) as double:
        sink = Recorder()
        call = await client.open(ask(double, limits=limits(idle=0.3)), sink)
        call.pause()
        await asyncio.sleep(0.6)
        assert not sink.ended.is_set()
        call.resume()
        await sink.end(2)
        assert "idle limit" in sink.fault.message


@pytest.mark.asyncio
async def test_the_total_limit_runs_while_paused(client):
    """A caller that never reads does not keep a connection for ever."""
    async with Double([[Send(CHUNKED + b"1\r\na\r\n"), Stall()]]) as double:
        sink = Recorder()
        call = await client.open(ask(double, limits=limits(total=0.3)), sink)
        call.pause()
        await sink.end(2)
        assert "total limit" in sink.fault.message


@pytest.mark.asyncio
async def test_a_connection_is_read_again_after_a_paused_call(client):
    """A sink that pauses in its last read must not silence the next call."""
    calls = []
    async with Double([[Send(sized(b"{}"))]]) as double:
        for _ in range(2):
            sink = Recorder(on_data=lambda _: calls[-1].pause())
            calls.append(await client.open(ask(double), sink))
            assert "done" == (await sink.end()).log[-1]
        assert 1 == double.connections


@pytest.mark.parametrize(
    "script",
    [
        [Stall()],
        [Send(b"HTTP/1.1 200 OK\r\n"), Stall()],
        [Send(CHUNKED), Stall()],
        [Send(CHUNKED + b"1\r\na\r\n"), Stall()],
        [Send(CHUNKED), Flood(b"1\r\na\r\n" * 4096, 2000)],
    ],
    ids=["before the answer", "in the head", "after the head", "in the body", "in a flood"],
)
@pytest.mark.asyncio
async def test_an_abort_reaches_the_vendor_at_once(client, standing, script):
    """In every phase; the sink hears nothing more."""
    async with Double([script]) as double:
        sink = Recorder()
        call = await client.open(ask(double), sink)
        while not double.requests:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.03)
        heard = len(sink.parts)
        call.abort()
        call.abort()
        async with asyncio.timeout(20):
            await double.peers[0].left.wait()
        await asyncio.sleep(0.01)
        assert heard == len(sink.parts)
        assert not sink.ended.is_set()
        assert 0 == standing(client).open


@pytest.mark.parametrize("when", ["head", "data", "done"])
@pytest.mark.asyncio
async def test_a_sink_may_abort_from_any_of_its_calls(client, standing, when):
    """Nothing more is called, and the place is free."""
    calls = []

    class Leaves(Recorder):
        def head(self, status, headers):
            super().head(status, headers)
            if when == "head":
                calls[0].abort()

        def data(self, data):
            super().data(data)
            if when == "data":
                calls[0].abort()

        def done(self, rest=b""):
            super().done(rest)
            calls[0].abort()

    answer = sized(TEXT)
    pieces = [Send(answer[:-1]), Wait(0.02), Send(answer[-1:])]
    async with Double([[Wait(0.02), *pieces]]) as double:
        sink = Leaves()
        calls.append(await client.open(ask(double), sink))
        async with asyncio.timeout(20):
            while when not in sink.log:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert when == sink.log[-1]
        assert (1 if when == "done" else 0) == standing(client).open


@pytest.mark.asyncio
async def test_a_handle_does_nothing_after_the_end(client):
    """The connection may be another's by then."""
    gate = asyncio.Event()
    async with Double([[Send(sized(b"{}"))], [Until(gate), Send(sized(b"{}"))]]) as double:
        first = Recorder()
        old = await client.open(ask(double), first)
        await first.end()
        second = Recorder()
        await client.open(ask(double), second)
        old.pause()
        old.resume()
        old.abort()
        gate.set()
        assert "done" == (await second.end()).log[-1]
        assert 1 == double.connections


@pytest.mark.asyncio
async def test_a_pause_survives_a_retry(client):
    """The fresh connection is not read either."""
    ok = [Send(sized(b"{}"))]
    async with Double([ok, [Close()], ok]) as double:
        await client.open(ask(double), first := Recorder())
        await first.end()
        sink = Recorder()
        call = await client.open(ask(double), sink)
        while len(double.requests) < 2:
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            while call.retrying is None:
                await asyncio.sleep(0)
        call.pause()
        while len(double.requests) < 3:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        assert [] == sink.log
        call.resume()
        assert "done" == (await sink.end()).log[-1]


@pytest.mark.asyncio
async def test_a_slow_upload_waits_for_its_first_byte_from_its_end(client):
    """While a large request leaves, its answer cannot be late."""
    size = 24 << 20
    gate = asyncio.Event()
    payload = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size
    double = Double([[Wait(0.4), Send(sized(b"{}"))]])
    double.before_reading = gate
    async with double:
        sink = Recorder()
        await client.open(ask(double, payload=payload, limits=limits(first_byte=5.0)), sink)
        await asyncio.sleep(4.8)
        gate.set()
        assert "done" == (await sink.end(20)).log[-1]


@pytest.mark.asyncio
async def test_an_answer_before_the_request_has_left_ends_the_connection(client, standing):
    """A vendor that refuses a large request early has not read it to its end."""
    size = 24 << 20
    payload = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size
    refusal = sized(b"{}", status=b"413 Too Large")
    hold = asyncio.Event()
    async with Double([[Send(refusal), Until(hold)]]) as double:
        double.read_bodies = False
        sink = Recorder()
        await client.open(ask(double, payload=payload), sink)
        await sink.end()
        assert (413, "done") == (sink.status, sink.log[-1])
        assert 0 == standing(client).open
