"""An upstream that does exactly what a script says, on a real socket, and remembers what it saw.

A script is a list of steps, one list for each request it answers, on whichever connection::

    async with Double([[Send(b"HTTP/1.1 200 OK..."), Wait(0.1), Reset()]]) as double:
        ...
        assert b"POST /v1/x" in double.requests[0].raw

Send(data, cut=1) sends one byte at a time, each on its own. Requests beyond the script get the
last list again. Speaks TLS when given a server context.
"""

import asyncio
import contextlib
import re
import socket
import ssl
import struct
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Send:
    """Send bytes; ``cut``: in pieces of that many bytes, each a write of its own."""

    data: bytes
    cut: int | None = None


@dataclass(frozen=True)
class Wait:
    """Let time pass."""

    seconds: float


@dataclass(frozen=True)
class Until:
    """Go on when the event is set."""

    event: asyncio.Event


@dataclass(frozen=True)
class Close:
    """Send FIN."""


@dataclass(frozen=True)
class Reset:
    """Send RST."""


@dataclass(frozen=True)
class Stall:
    """Do nothing more, but notice when the peer leaves."""


@dataclass(frozen=True)
class Flood:
    """Send a block again and again until the peer leaves or the count is reached."""

    block: bytes
    times: int


Step = Send | Wait | Until | Close | Reset | Stall | Flood


@dataclass
class Seen:
    """One request as it came."""

    connection: int
    """Counts connections from 0, in the order of their acceptance."""
    raw: bytes

    @property
    def line(self) -> bytes:
        return self.raw.split(b"\r\n", 1)[0]

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        lines = self.raw.split(b"\r\n\r\n", 1)[0].split(b"\r\n")[1:]
        return [tuple(line.split(b": ", 1)) for line in lines]

    @property
    def body(self) -> bytes:
        return self.raw.split(b"\r\n\r\n", 1)[1]


@dataclass
class Peer:
    """One accepted connection."""

    number: int
    writer: asyncio.StreamWriter
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the other side has gone, in whatever way."""

    def reset(self) -> None:
        """Break the connection from outside any script."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def close(self) -> None:
        self.writer.close()


async def let_go(double: "Double", limit_s: float = 1.0) -> None:
    """Wait until a double's first connection is left, which takes no longer than is promised, but
    for the time that the machine was busy with something else: a turn of the loop is 10 ms.
    """
    loop = asyncio.get_running_loop()
    began = last = loop.time()
    late = 0.0
    while not double.peers[0].left.is_set():
        await asyncio.sleep(0.01)
        now = loop.time()
        late += max(0.0, now - last - 0.05)
        assert now - began - late < limit_s
        last = now


class Double:
    """The server. ``greeting`` is run on each new connection before any request."""

    def __init__(
        self, script=(), *, tls: ssl.SSLContext | None = None, host="127.0.0.1", greeting=()
    ):
        self.script = list(script)
        self.greeting = list(greeting)
        self.host = host
        self.requests: list[Seen] = []
        self.peers: list[Peer] = []
        self.before_reading: asyncio.Event | None = None
        """When set: nothing is read from a connection until the event is."""
        self.read_bodies = True
        """When not: answers as soon as a head is read, and reads no further."""
        self.sent = 0
        """Bytes of floods that the sockets have taken so far."""
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task] = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(
            self._accept, self.host, 0, ssl=self._tls, backlog=2048, limit=2**18
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for peer in self.peers:
            peer.writer.transport.abort()
        await asyncio.sleep(0)

    @property
    def connections(self) -> int:
        """How many were ever accepted."""
        return len(self.peers)

    async def _accept(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        peer = Peer(len(self.peers), writer)
        self.peers.append(peer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(peer, reader, writer)
        peer.left.set()
        self._tasks.discard(asyncio.current_task())
        with contextlib.suppress(OSError, RuntimeError):
            writer.transport.abort()

    async def _serve(self, peer, reader, writer):
        if self.before_reading is not None:
            writer.transport.pause_reading()
            await self.before_reading.wait()
            writer.transport.resume_reading()
        for step in self.greeting:
            await self._do(step, peer, reader, writer)
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            size = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            body = await reader.readexactly(int(size[1]) if size and self.read_bodies else 0)
            number = len(self.requests)
            self.requests.append(Seen(peer.number, head + body))
            for step in self.script[min(number, len(self.script) - 1)]:
                await self._do(step, peer, reader, writer)

    async def _do(self, step, peer, reader, writer):
        match step:
            case Send(data, cut):
                size = cut or max(1, len(data))
                for start in range(0, len(data), size):
                    writer.write(data[start : start + size])
                    await writer.drain()
                    if cut:
                        await asyncio.sleep(0)
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Until(event):
                await event.wait()
            case Close():
                writer.close()
                await reader.read()
                raise ConnectionResetError
            case Reset():
                await writer.drain()
                peer.reset()
                raise ConnectionResetError
            case Stall():
                while await reader.read(65536):
                    pass
                raise ConnectionResetError
            case Flood(block, times):
                for _ in range(times):
                    writer.write(block)
                    await writer.drain()
                    self.sent += len(block)


def sized(body: bytes, *, status: bytes = b"200 OK", headers: bytes = b"") -> bytes:
    """A whole answer with a length."""
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, headers, len(body), body)


def chunked(*pieces: bytes, headers: bytes = b"", trailers: bytes = b"") -> bytes:
    """A whole answer in chunks."""
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return (
        b"HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n" % headers
        + body
        + b"0\r\n%s\r\n" % trailers
    )


def until_close(body: bytes, *, headers: bytes = b"") -> bytes:
    """An answer that only the end of the connection ends."""
    return b"HTTP/1.1 200 OK\r\n%s\r\n%s" % (headers, body)


class Recorder:
    """A sink that remembers; ``ended`` is set by ``done`` and ``broke``."""

    def __init__(self, on_data=None):
        self.log: list[str] = []
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.parts: list[bytes] = []
        self.fault = None
        self.ended = asyncio.Event()
        self._on_data = on_data

    @property
    def body(self) -> bytes:
        return b"".join(self.parts)

    def head(self, status, headers):
        assert not self.ended.is_set(), "called after the end"
        self.log.append("head")
        self.status = status
        self.headers = list(headers)

    def data(self, data):
        assert not self.ended.is_set(), "called after the end"
        assert data, "an empty read"
        if not self.log or self.log[-1] != "data":
            self.log.append("data")
        self.parts.append(data)
        if self._on_data is not None:
            self._on_data(data)

    def done(self, rest=b""):
        if rest:
            Recorder.data(self, rest)
        assert not self.ended.is_set(), "called after the end"
        self.log.append("done")
        self.ended.set()

    def broke(self, fault):
        assert not self.ended.is_set(), "called after the end"
        self.log.append("broke")
        self.fault = fault
        self.ended.set()

    async def end(self, limit=5.0):
        """Wait for the end of the call; itself, for chaining."""
        async with asyncio.timeout(limit):
            await self.ended.wait()
        return self
