"""The caller's side of HTTP on raw sockets: framing, limits, order, and what is refused."""

import asyncio

import msgspec
import pytest
import uvloop

from edge.wires import EchoHost, Wire, serving, wire
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"


def post(body: bytes, *extra: bytes, path: bytes = b"/b") -> bytes:
    lines = [b"POST %b HTTP/1.1" % path, b"Host: x", b"Content-Length: %d" % len(body), *extra]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


CHUNKED = b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def exchange(raw: bytes, limits: ServerLimits | None = None):
    """One request on a connection of its own: the answer, and what the host saw."""
    host = EchoHost(limits)
    async with serving(host) as port, wire(port) as line:
        await line.send(raw)
        status, headers, body = await line.answer()
        return status, headers, body, host


WELL_FORMED = {
    "get": (GET, b"/a "),
    "sized": (post(b"hello"), b"/b hello"),
    "empty body": (post(b""), b"/b "),
    "chunked": (CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"/c abcde"),
    "chunked with trailer": (CHUNKED + b"3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n", b"/c abc"),
    "chunk extension": (CHUNKED + b"3;a=b\r\nabc\r\n0\r\n\r\n", b"/c abc"),
    "absolute form": (b"GET http://h:1/a?q HTTP/1.1\r\nHost: x\r\n\r\n", b"/a "),
    "asterisk form": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", b"/* "),
    "bracketed host": (b"GET /a HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", b"/a "),
    "http 1.0 without host": (b"GET /a HTTP/1.0\r\n\r\n", b"/a "),
    "h2c offer is ignored": (
        post(b"abc", b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: A"),
        b"/b abc",
    ),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", WELL_FORMED)
async def test_a_well_formed_request_is_understood_whole_and_byte_by_byte(name):
    """Where the network cuts a request does not matter."""
    raw, expected = WELL_FORMED[name]
    status, headers, body, _ = await exchange(raw)
    assert (200, expected) == (status, body)
    assert headers[b"x-request-id"] == headers[b"request-id"]

    host = EchoHost()
    async with serving(host) as port, wire(port) as line:
        for i in range(len(raw)):
            line.writer.write(raw[i : i + 1])
            await asyncio.sleep(0)
        assert expected == (await line.answer())[2]
    assert 1 == len(host.seen)


REFUSED = {
    # request smuggling: two readings of one length
    "both lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both lengths, other order": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two equal lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "two different lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "list of lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc",
    "signed length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc",
    "negative length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "hexadecimal length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc",
    "empty length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n",
    "overflowing length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "coding twice": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "coding in two headers": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "coding identity": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n",
    "coding then identity": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "coding gzip": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "coding with a tab": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "coding misspelt": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "space before the colon": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "folded header": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "coding with http 1.0": b"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bare line feeds": b"GET / HTTP/1.1\nHost: x\n\n",
    "bare carriage return in a header": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n",
    "nul in a header": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n",
    "chunk size overflow": CHUNKED + b"fffffffffffffffff\r\nabc",
    "chunk size with a sign": CHUNKED + b"+3\r\nabc\r\n0\r\n\r\n",
    "chunk size in 0x form": CHUNKED + b"0x3\r\nabc\r\n0\r\n\r\n",
    "chunk longer than its size": CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n",
    "chunk ended by a line feed": CHUNKED + b"3\nabc\n0\n\n",
    # what the parser accepts and must not be accepted
    "no version": b"GET /a\r\n\r\n",
    "version 0.9": b"GET /a HTTP/0.9\r\nHost: x\r\n\r\n",
    "version 2.0": b"GET /a HTTP/2.0\r\nHost: x\r\n\r\n",
    "no host": b"GET /a HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "host that is no host": b"GET /a HTTP/1.1\r\nHost: x:4000/#@evil\r\n\r\n",
    "empty host": b"GET /a HTTP/1.1\r\nHost: \r\n\r\n",
    "target without a path": b"GET a HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls on a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "unknown method": b"GRAB / HTTP/1.1\r\nHost: x\r\n\r\n",
    "expectation": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: more\r\n\r\nabc",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", REFUSED)
async def test_an_ambiguous_request_is_refused_in_json_and_the_connection_closed(name):
    """Nothing that two parsers could read differently gets through, and nothing after it is read."""
    host = EchoHost()
    async with serving(host) as port, wire(port) as line:
        await line.send(REFUSED[name] + GET)
        status, headers, body = await line.answer()
        assert (400, b"close") == (status, headers[b"connection"])
        error = msgspec.json.decode(body)
        assert ["error", "type", "request_id"] == list(error)
        assert headers[b"x-request-id"].decode() == error["request_id"]
        assert await line.ended()
    assert [] == [seen for seen in host.seen if seen[1] == b"/a"]


@pytest.mark.asyncio
async def test_requests_in_one_write_are_answered_in_order():
    """Pipelining: three requests, three answers, none mixed."""
    host = EchoHost()
    async with serving(host) as port, wire(port) as line:
        await line.send(GET + post(b"two") + CHUNKED + b"5\r\nthree\r\n0\r\n\r\n" + GET)
        answers = [(await line.answer())[2] for _ in range(4)]
    assert [b"/a ", b"/b two", b"/c three", b"/a "] == answers


@pytest.mark.asyncio
async def test_a_pipelined_request_waits_for_the_answer_before_it():
    """The second request is not even started while the first is being answered."""
    host = EchoHost()
    host.hold = []
    async with serving(host) as port, wire(port) as line:
        await line.send(post(b"one") + post(b"two"))
        await asyncio.sleep(0.05)
        assert 1 == len(host.hold)
        first = host.hold[0]
        first.begin(200, b"text/plain")
        first.write(b"1")
        await asyncio.sleep(0.02)
        assert 1 == len(host.hold)
        first.finish()
        assert b"1" == (await line.answer())[2]
        host.hold[1].answer(200, b"2")
        assert b"2" == (await line.answer())[2]


@pytest.mark.asyncio
async def test_a_caller_that_pipelines_without_end_is_read_no_further():
    """Requests behind the current one are bounded: the rest stays in the kernel."""
    host = EchoHost(ServerLimits(pipeline_max=4))
    host.hold = []
    async with serving(host) as port, wire(port) as line:
        for _ in range(200):
            line.writer.write(post(b"x" * 1000))
        await asyncio.sleep(0.2)
        (connection,) = host.connections
        assert not connection._reading
        for _ in range(200):
            await asyncio.sleep(0)
            while not host.hold:
                await asyncio.sleep(0.001)
            host.hold.pop().answer(200, b"ok")
        for _ in range(200):
            assert b"ok" == (await line.answer())[2]


@pytest.mark.asyncio
async def test_a_fault_behind_a_running_request_waits_for_its_turn():
    """Garbage after a good request is answered after it, then the connection closes."""
    host = EchoHost()
    host.hold = []
    async with serving(host) as port, wire(port) as line:
        await line.send(GET + b"\x00\x01garbage\r\n\r\n")
        await asyncio.sleep(0.05)
        host.hold[0].answer(200, b"fine")
        assert (200, b"fine") == (await line.answer())[::2]
        assert 400 == (await line.answer())[0]
        assert await line.ended()


@pytest.mark.asyncio
async def test_the_connection_is_kept_for_further_requests_until_asked_to_close():
    """HTTP/1.1 keeps, `Connection: close` and HTTP/1.0 close."""
    async with serving(EchoHost()) as port:
        async with wire(port) as line:
            for _ in range(3):
                await line.send(GET)
                assert 200 == (await line.answer())[0]
            await line.send(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b"close" == (await line.answer())[1][b"connection"]
            assert await line.ended()
        async with wire(port) as line:
            await line.send(b"GET /a HTTP/1.0\r\n\r\n")
            await line.answer()
            assert await line.ended()
        async with wire(port) as line:
            await line.send(b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            assert b"keep-alive" == (await line.answer())[1][b"connection"]
            await line.send(GET)
            assert 200 == (await line.answer())[0]


@pytest.mark.asyncio
async def test_a_caller_that_expects_100_continue_gets_it_before_sending_its_body():
    """curl waits a second for it otherwise."""
    async with serving(EchoHost()) as port, wire(port) as line:
        await line.send(
            b"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        )
        assert b"HTTP/1.1 100 Continue\r\n\r\n" == await line.reader.readexactly(25)
        await line.send(b"abc")
        assert b"/b abc" == (await line.answer())[2]


@pytest.mark.asyncio
@pytest.mark.parametrize("length", [3, 9_000_000])
async def test_a_refused_caller_is_told_before_it_sends_its_body(length):
    """No 100 Continue for a request that will not be served, however small; it waits for one."""
    host = EchoHost()
    host.refuse = Fault(Kind.KEY_UNKNOWN, "The key is not valid.")
    async with serving(host) as port, wire(port) as line:
        await line.send(
            b"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
            % length
        )
        assert 401 == (await line.answer())[0]
        assert await line.ended()


@pytest.mark.asyncio
async def test_a_refused_request_with_a_small_body_keeps_its_connection():
    """A wrong key costs one request, not the connection."""
    host = EchoHost()
    host.refuse = Fault(Kind.KEY_UNKNOWN, "The key is not valid.")
    async with serving(host) as port, wire(port) as line:
        for _ in range(2):
            await line.send(post(b"abc"))
            assert 401 == (await line.answer())[0]
    assert [] == host.seen


LIMITS = ServerLimits(
    header_bytes_max=2000, headers_max=20, body_bytes_max=5000, linger_s=0.3,
    header_timeout_s=0.3, body_timeout_s=0.3, keepalive_s=0.4,
)  # fmt: skip

TOO_LARGE = {
    "long header": (b"GET /a HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 3000, 431),
    "long target": (b"GET /" + b"a" * 3000, 431),
    "many headers": (b"GET /a HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 30 + b"\r\n", 431),
    "many bytes of headers": (
        b"GET /a HTTP/1.1\r\nHost: x\r\n" + (b"A: " + b"b" * 200 + b"\r\n") * 15,
        431,
    ),
    "long header, all at once": (
        b"GET /a HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 3000 + b"\r\n\r\n",
        431,
    ),
    "sized body": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5001\r\n\r\nabc", 413),
    "chunked body": (CHUNKED + b"1771\r\n" + b"a" * 6001 + b"\r\n0\r\n\r\n", 413),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", TOO_LARGE)
async def test_what_exceeds_a_limit_is_refused_in_json(name):
    """A limit is an answer, not a cut connection."""
    raw, expected = TOO_LARGE[name]
    status, headers, body, host = await exchange(raw, LIMITS)
    assert (expected, b"close") == (status, headers[b"connection"])
    assert msgspec.json.decode(body)["error"]["message"]
    assert [] == host.seen


@pytest.mark.asyncio
async def test_a_caller_in_the_middle_of_an_upload_still_reads_why_it_was_refused():
    """The connection lingers while request bytes are under way, instead of being reset."""
    async with serving(EchoHost(LIMITS)) as port, wire(port) as line:
        await line.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n")
        for _ in range(50):
            line.writer.write(b"a" * 10_000)
            await asyncio.sleep(0)
        assert 413 == (await line.answer())[0]


SLOW = {
    "nothing after the request line": [b"GET /a HTTP/1.1\r\n"],
    "one header byte at a time": [b"GET /a HTTP/1.1\r\nA: "] + [b"a"] * 20,
    "silence in the body": [b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"],
    "one body byte at a time": [b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"]
    + [b"a"] * 20,
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", SLOW)
async def test_a_request_that_dawdles_is_refused(name):
    """Slow loris: a drip of bytes buys no more time than silence."""
    async with serving(EchoHost(LIMITS)) as port, wire(port) as line:
        reading = asyncio.ensure_future(line.answer())
        for piece in SLOW[name]:
            if line.writer.is_closing():
                break
            line.writer.write(piece)
            await asyncio.sleep(0.05)
        status, _, body = await reading
        assert (400, "request_timeout") == (status, msgspec.json.decode(body)["error"]["code"])
        assert await line.ended()


@pytest.mark.asyncio
async def test_an_idle_connection_is_closed_without_a_word():
    """Both a fresh one and one that has served."""
    async with serving(EchoHost(LIMITS)) as port:
        async with wire(port) as line:
            assert await line.ended(20)
        async with wire(port) as line:
            await line.send(GET)
            await line.answer()
            assert b"" == await asyncio.wait_for(line.reader.read(), 20)


@pytest.mark.asyncio
async def test_head_is_answered_without_a_body():
    """The length of what GET would have sent, and nothing after the head."""
    async with serving(EchoHost()) as port, wire(port) as line:
        await line.send(b"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        status, headers, _ = await line.answer(head_only=True)
        assert (200, b"3") == (status, headers[b"content-length"])
        assert b"/a " == (await line.answer())[2]


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["close", "reset", "half-close"])
async def test_a_caller_that_leaves_cancels_what_runs_for_it(how):
    """Within one turn of the loop, in whatever way the caller went."""
    host = EchoHost()
    host.hold = []
    async with serving(host) as port:
        line = await Wire.to(port)
        await line.send(GET)
        await asyncio.sleep(0.05)
        task = asyncio.ensure_future(asyncio.sleep(10))
        host.hold[0].task = task
        if how == "half-close":
            line.writer.write_eof()
        elif how == "reset":
            line.writer.transport.abort()
        else:
            await line.close()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        assert host.hold[0].gone
        host.hold[0].answer(200, b"too late")
        await line.close()


@pytest.mark.asyncio
async def test_a_half_closed_caller_is_answered_when_the_setting_says_so():
    """`half_closed = "answer"`: the request was whole before the sending side was shut."""
    host = EchoHost(ServerLimits(half_closed_cancels=False))
    host.hold = []
    async with serving(host) as port, wire(port) as line:
        await line.send(GET)
        line.writer.write_eof()
        await asyncio.sleep(0.1)
        host.hold[0].answer(200, b"still here")
        assert b"still here" == (await line.answer())[2]


@pytest.mark.asyncio
async def test_a_connection_beyond_the_limit_is_refused_in_json():
    """The limit on connections is an answer too."""
    host = EchoHost(ServerLimits(connections_max=1, linger_s=0.1))
    async with serving(host) as port, wire(port) as first:
        await first.send(GET)
        await first.answer()
        async with wire(port) as second:
            assert 503 == (await second.answer())[0]
            assert b"" == await asyncio.wait_for(second.reader.read(), 20)
            # it never closes its side, and is cut after the linger all the same
            await asyncio.sleep(0.2)
            assert 1 == len(host.connections)


@pytest.mark.asyncio
async def test_a_broken_off_answer_is_seen_as_broken():
    """A chunked answer that cannot be completed has no last chunk."""
    host = EchoHost()
    host.hold = []
    async with serving(host) as port, wire(port) as line:
        await line.send(GET)
        await asyncio.sleep(0.05)
        host.hold[0].begin(200, b"text/plain")
        host.hold[0].write(b"half")
        await asyncio.sleep(0.05)
        host.hold[0].break_off()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError, ValueError)):
            await line.answer()


@pytest.mark.asyncio
async def test_a_websocket_is_declined_with_an_ordinary_answer():
    """A client that would rather speak WebSocket falls back at once."""
    async with serving(EchoHost()) as port, wire(port) as line:
        await line.send(
            b"GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert b"close" == (await line.answer())[1][b"connection"]
        assert await line.ended()


LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_request_that_comes_before_the_gateway_is_ready_waits(loop):
    """The port is open before keys are known: nobody is refused for being early."""

    async def context():
        host = EchoHost()
        host.ready = False
        async with serving(host) as port, wire(port) as line:
            await line.send(GET[:9])
            await asyncio.sleep(0.05)
            await line.send(GET[9:] + post(b"hello"))
            await asyncio.sleep(0.05)
            assert [] == host.seen
            host.ready = True
            for connection in host.connections:
                connection.ready()
            return [(await line.answer())[2] for _ in range(2)]

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        assert [b"/a ", b"/b hello"] == runner.run(context())
