"""Whatever is sent: each request is answered or waited for, and nothing of ours breaks.

Requests are put together from pieces that parsers are known to disagree on, cut anywhere.
"""

import asyncio
import random

import msgspec
import pytest

from edge.wires import EchoHost, serving, wire
from trivium.edge.connection import CallerConnection
from trivium.edge.limits import ServerLimits

METHODS = (
    b"GET", b"POST", b"HEAD", b"OPTIONS", b"CONNECT", b"PRI", b"M-SEARCH", b"SOURCE", b"TRACE",
    b"PUT", b"get", b"QUERY", b"DELETE", b"",
)  # fmt: skip
TARGETS = (
    b"/", b"/a?b=c", b"*", b"http://x/y", b"https://u@x:1/y", b"a:443", b"//x", b"/%zz", b"/\xff",
    b"", b"/ a", b"?x", b"http://", b"x://y/z",
)  # fmt: skip
VERSIONS = (
    b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.2", b"", b"http/1.1",
    b"HTTP/1.1 ", b"ICE/1.0", b"RTSP/1.0",
)  # fmt: skip
LINES = (
    b"Host: x", b"Host: y", b"Host:", b"host : x", b"Content-Length: 3", b"Content-Length: 0",
    b"Content-Length: +3", b"Content-Length: 99999999999999999999", b"Content-Length: 3, 3",
    b"Content-Length: -1", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: identity", b"Connection: close", b"Connection: Upgrade",
    b"Connection: keep-alive, Upgrade", b"Upgrade: h2c", b"Upgrade: websocket",
    b"Upgrade: foo, websocket", b"Upgrade:", b"Expect: 100-continue", b"Expect: x",
    b"A: " + b"b" * 900, b"\xff: \xfe", b" folded", b"X:\ty", b"Content-Encoding: gzip",
    b"Content-Type: multipart/form-data; boundary=x", b"Proxy-Connection: x",
    b"HTTP2-Settings: A", b"X: a\x00b", b"Connection: close, upgrade\r\nUpgrade: h2c",
)  # fmt: skip
BODIES = (
    b"", b"abc", b"3\r\nabc\r\n0\r\n\r\n", b"zz\r\n", b"0\r\nTrailer: x\r\n\r\n",
    b"3;ext=1\r\nabc\r\n0\r\n\r\n", b"\x16\x03\x01",
)  # fmt: skip


LIMITS = ServerLimits(header_bytes_max=2000, body_bytes_max=5000, linger_s=0.3)


class Transport(asyncio.Transport):
    """Remembers what is written, and how it ends."""

    def __init__(self):
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.sent = b""
        self.over = False

    def write(self, data):
        self.sent += data

    def can_write_eof(self):
        return True

    def write_eof(self):
        self.over = True

    def close(self):
        self.over = True

    def abort(self):
        self.over = True

    def is_closing(self):
        return self.over

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


def request(draw):
    """One request, more often right than wrong."""
    usual = draw.random() < 0.6
    method = draw.choice(METHODS[:4] if usual else METHODS)
    target = draw.choice(TARGETS[:2] if draw.random() < 0.6 else TARGETS)
    version = VERSIONS[0] if draw.random() < 0.7 else draw.choice(VERSIONS)
    lines = [draw.choice(LINES) for _ in range(draw.randrange(5))]
    if draw.random() < 0.8:
        lines.insert(0, b"Host: x")
    head = b" ".join([method, target, version])
    return b"\r\n".join([head, *lines, b"", b""]) + draw.choice(BODIES)


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(8))
async def test_whatever_is_sent_is_answered_or_waited_for(seed):
    """No exception leaves the connection, and what it answers is HTTP."""
    draw = random.Random(seed)
    host = EchoHost(ServerLimits(header_bytes_max=2000))
    for _ in range(500):
        raw = b"".join(request(draw) for _ in range(draw.choice((1, 1, 2, 3))))
        cut = draw.randrange(len(raw))
        connection, transport = CallerConnection(host), Transport()
        connection.connection_made(transport)
        for piece in (raw[:cut], raw[cut:]):
            if piece and not transport.over:
                connection.data_received(piece)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        assert not transport.sent or transport.sent.startswith(b"HTTP/1.1 "), raw
        assert transport.sent or not transport.over, raw
        connection.connection_lost(None)


@pytest.mark.asyncio
async def test_each_of_several_heads_has_the_limit_of_its_own():
    """Two that came together are as long as both; the longer one is found all the same."""
    small = b"GET /a HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 1500 + b"\r\n\r\n"
    large = b"GET /b HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 3000 + b"\r\n\r\n"
    async with serving(EchoHost(LIMITS)) as port, wire(port) as line:
        await line.send(small + small + large)
        assert [200, 200, 431] == [(await line.answer())[0] for _ in range(3)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("lines", "expected"),
    [(b"Expect: x", 400), (b"Host: y", 400), (b"Content-Length: 5001", 413),
     (b"A: " + b"a" * 3000, 431), (b"Content-Encoding: gzip", 415)],
)  # fmt: skip
async def test_a_request_that_offers_an_upgrade_is_refused_like_any_other(lines, expected):
    """It is read twice, and what is wrong is found the second time (``curl --http2``)."""
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n"
    raw = b"POST /a HTTP/1.1\r\nHost: x\r\n" + offer + lines + b"\r\n\r\n"
    async with serving(EchoHost(LIMITS)) as port, wire(port) as line:
        await line.send(raw)
        status, headers, body = await line.answer()
        assert (expected, b"close") == (status, headers[b"connection"])
        assert msgspec.json.decode(body)["error"]["message"]


@pytest.mark.asyncio
@pytest.mark.parametrize("target", [b"example.org:443", b"/v1/models", b"*"])
async def test_a_tunnel_is_refused_in_json(target):
    """CONNECT is the one upgrade that cannot be left out of a request: it is read only once."""
    raw = b"CONNECT %b HTTP/1.1\r\nHost: example.org:443\r\n\r\n" % target
    async with serving(EchoHost()) as port, wire(port) as line:
        await line.send(raw + b"\x16\x03\x01")
        status, headers, body = await line.answer()
        assert (400, b"close") == (status, headers[b"connection"])
        assert "invalid_request" == msgspec.json.decode(body)["error"]["code"]
        assert await line.ended()
