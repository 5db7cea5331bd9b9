"""Hostile byte streams on one connection: what they may cost, and that they end there."""

import asyncio
import gc
import tracemalloc

import pytest
import structlog

from edge.wires import EchoHost, serving, wire
from growth.measuring import FACTOR, growth
from trivium.edge.connection import CallerConnection
from trivium.edge.limits import ServerLimits
from trivium.edge.request_parser import PIECES_MAX, STEP_BYTES, STEPS_MAX

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
OFFERS = {
    "any": b"GET / HTTP/1.1\r\nHost:a\r\nUpgrade:a\r\nConnection:Upgrade\r\n\r\n",
    "h2c": b"GET / HTTP/1.1\r\nHost:a\r\nUpgrade:h2c\r\nConnection:Upgrade\r\n\r\n",
    "with a body": b"POST / HTTP/1.1\r\nHost:a\r\nUpgrade:a\r\nConnection:Upgrade\r\n"
    b"Content-Length: 3\r\n\r\nabc",
    "none": b"GET / HTTP/1.1\r\nHost:a\r\n\r\n",
}
CHUNKED = b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class Transport:
    """What a connection writes to, without a network."""

    def __init__(self):
        self.sent = bytearray()
        self.is_reading = True
        self.is_aborted = False

    def get_extra_info(self, _):
        return ("127.0.0.1", 1)

    def set_write_buffer_limits(self, **_):
        pass

    def pause_reading(self):
        self.is_reading = False

    def resume_reading(self):
        self.is_reading = True

    def can_write_eof(self):
        return True

    def write_eof(self):
        pass

    def write(self, data):
        self.sent += data

    def abort(self):
        self.is_aborted = True

    close = abort


def connected(host):
    line = CallerConnection(host)
    transport = Transport()
    line.connection_made(transport)
    return line, transport


@pytest.mark.asyncio
@pytest.mark.parametrize("name", OFFERS)
async def test_pipelined_requests_are_all_answered_in_order(name):
    """Thousands at once, each offering another protocol: none deepens the stack."""
    host = EchoHost()
    line, transport = connected(host)
    for _ in range(3):
        line.data_received(OFFERS[name] * 1000)
        async with asyncio.timeout(20):
            while not transport.is_reading:
                await asyncio.sleep(0)
    async with asyncio.timeout(20):
        while line.busy or not transport.is_reading:
            await asyncio.sleep(0)
    expected = b"abc" if name == "with a body" else b""
    assert [expected] * 3000 == [body for _, _, body in host.seen]
    assert 3000 == transport.sent.count(b"HTTP/1.1 200 OK")
    assert not transport.is_aborted


@pytest.mark.asyncio
@pytest.mark.parametrize("name", OFFERS)
async def test_of_many_pipelined_requests_only_a_few_are_taken_in_at_once(name):
    """One read of a megabyte is not ten thousand exchanges: the rest stays bytes."""
    host = EchoHost()
    host.hold = []
    line, transport = connected(host)
    data = OFFERS[name] * (1_000_000 // len(OFFERS[name]))
    gc.collect()
    tracemalloc.start()
    try:
        line.data_received(data)
        grown = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert host.count <= host.limits.pipeline_max + STEP_BYTES // len(OFFERS["none"]) + 2
    assert not transport.is_reading
    assert grown < 1_000_000
    line.connection_lost(None)


@pytest.mark.asyncio
async def test_requests_that_are_answered_at_once_let_others_have_their_turn():
    """A refusal waits for nothing, so none of them waits behind another."""
    host = EchoHost()
    line, transport = connected(host)
    line.data_received(OFFERS["none"] * 20_000)
    assert host.count <= (STEPS_MAX + 1) * STEP_BYTES // len(OFFERS["none"]) + 1
    async with asyncio.timeout(30):
        while host.count < 20_000 or not transport.is_reading:
            await asyncio.sleep(0)
    assert 20_000 == transport.sent.count(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("name", OFFERS)
def test_the_time_of_pipelined_requests_grows_with_their_number(name):
    """Twice as many take twice as long, not four times."""

    async def serve(count):
        line, transport = connected(EchoHost())
        line.data_received(OFFERS[name] * count)
        while line.busy or not transport.is_reading:
            await asyncio.sleep(0)
        assert count == transport.sent.count(b"HTTP/1.1 200 OK")

    _, _, factor = growth(lambda count: lambda: asyncio.run(serve(count)), 2000, 2)
    assert factor <= FACTOR


@pytest.mark.asyncio
async def test_what_came_before_the_gateway_was_ready_is_served_then():
    """A thousand offers that waited neither end the start nor their neighbour."""
    host = EchoHost()
    host.ready = False
    line, transport = connected(host)
    other, answers = connected(host)
    line.data_received(OFFERS["any"] * 500)
    line.data_received(OFFERS["any"] * 500)
    other.data_received(GET)
    assert [] == host.seen
    host.ready = True
    line.ready()
    other.ready()
    async with asyncio.timeout(20):
        while line.busy or other.busy or not transport.is_reading:
            await asyncio.sleep(0)
    assert 1000 == transport.sent.count(b"HTTP/1.1 200 OK")
    assert answers.sent.startswith(b"HTTP/1.1 200 OK")
    assert transport.is_reading
    assert answers.is_reading


@pytest.mark.asyncio
@pytest.mark.parametrize("where", ["head", "dispatch", "later"])
async def test_an_exception_closes_its_own_connection_and_is_one_line_of_the_log(where):
    """Whatever nobody planned: while it is read, and while it is served from the queue."""
    host = EchoHost()
    bug = LookupError("a bug\nof two lines")

    def broken(exchange):
        if exchange.path == b"/bug":
            raise bug
        usual = EchoHost.head if where == "head" else EchoHost.dispatch
        return usual(host, exchange)

    setattr(host, "head" if where == "head" else "dispatch", broken)
    first = GET if where == "later" else b""
    async with serving(host) as port, wire(port) as line, wire(port) as other:
        with structlog.testing.capture_logs() as logs:
            await line.send(first + GET.replace(b"/a", b"/bug") + GET)
            assert await line.ended()
        await other.send(GET)
        assert 200 == (await other.answer())[0]
    assert ["connection_failed"] == [entry["event"] for entry in logs]
    assert ("LookupError", str(bug)) == (logs[0]["error"], logs[0]["said"])


FRAMING = {
    "many trailers": [b"3\r\nabc\r\n0\r\n", *[b"a: b\r\n" * 1000] * 40],
    "one long trailer": [b"3\r\nabc\r\n0\r\na: ", *[b"b" * 5000] * 40],
    "trailers behind a large body": [
        b"%x\r\n%b\r\n0\r\n" % (4_000_000, b"a" * 4_000_000),
        *[b"a: b\r\n" * 1000] * 40,
    ],
    "trailers behind many chunks": [b"1\r\na\r\n" * 8_000 + b"0\r\n", *[b"a: b\r\n" * 1000] * 40],
    "one long extension": [b"3;a=", *[b"b" * 5000] * 40],
    "an extension to each chunk": [(b"1;" + b"e" * 60 + b"\r\na\r\n") * 20] * 200,
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FRAMING)
async def test_what_stands_around_a_body_is_limited_like_a_head(name):
    """Trailers and chunk extensions: counted, not kept, and refused in JSON."""
    host = EchoHost(ServerLimits(linger_s=0.3))
    line, transport = connected(host)
    line.data_received(CHUNKED)
    tracemalloc.start()
    try:
        for number, piece in enumerate(FRAMING[name]):
            line.data_received(piece)
            while not transport.is_reading and not transport.sent:
                await asyncio.sleep(0)
            if number == 0:
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
        grown = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert transport.sent.startswith(b"HTTP/1.1 431 ")
    assert grown < 300_000
    assert [] == host.seen
    line.connection_lost(None)


SOUND = {
    "chunks of one byte": (b"1\r\na\r\n" * 50_000 + b"0\r\n\r\n", b"a" * 50_000),
    "chunks of one byte with a short extension": (
        b"1;ab=cd\r\na\r\n" * 50_000 + b"0\r\n\r\n",
        b"a" * 50_000,
    ),
    "a checksum as trailer": (b"3\r\nabc\r\n0\r\nDigest: sha-256=abc\r\n\r\n", b"abc"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", SOUND)
async def test_chunks_of_any_size_are_taken(name):
    """What the lines around chunks must take is not held against anybody."""
    raw, expected = SOUND[name]
    host = EchoHost(ServerLimits(header_bytes_max=2000))
    async with serving(host) as port, wire(port) as line:
        await line.send(CHUNKED + raw + GET)
        assert b"/c " + expected == (await line.answer())[2]
        assert b"/a " == (await line.answer())[2]


@pytest.mark.asyncio
async def test_a_body_in_many_chunks_lets_others_have_their_turn():
    """However many reads a turn brings: what is behind so many pieces stays as it is."""
    host = EchoHost()
    line, transport = connected(host)
    line.data_received(CHUNKED)
    taken = []
    for _ in range(20):
        before = line._reader.body.size
        line.data_received(b"1\r\na\r\n" * 1_000)
        async with asyncio.timeout(20):
            while True:
                taken.append(line._reader.body.size - before)
                before = line._reader.body.size
                if transport.is_reading:
                    break
                await asyncio.sleep(0)
    assert max(taken) <= PIECES_MAX + STEP_BYTES // 6 + 1
    taken.clear()
    line.data_received(b"1\r\na\r\n" * 40_000 + b"0\r\n\r\n")
    assert not transport.is_reading
    assert line._reader.body.size - 20_000 <= PIECES_MAX + STEP_BYTES // 6 + 1
    async with asyncio.timeout(20):
        while not host.seen:
            await asyncio.sleep(0)
    assert b"a" * 60_000 == host.seen[0][2]


@pytest.mark.asyncio
async def test_a_trailer_is_no_header():
    """Not even where a header is repeated, and all lines are kept."""
    host = EchoHost()
    found = []
    host.dispatch = lambda exchange: (
        found.append((exchange.values(b"x-a"), exchange.values(b"x-forwarded-for"))),
        exchange.answer(200, b""),
    )
    twice = CHUNKED[:-2] + b"X-A: 1\r\nX-A: 2\r\n\r\n"
    trailer = b"3\r\nabc\r\n0\r\nX-Forwarded-For: 10.0.0.1\r\nX-A: 3\r\n\r\n"
    async with serving(host) as port, wire(port) as line:
        await line.send(twice + trailer + GET)
        await line.answer()
        await line.answer()
    assert [([b"1", b"2"], []), ([], [])] == found
