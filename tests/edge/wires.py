"""What the edge is tested with: a line that only remembers, a host that echoes, raw sockets."""

import asyncio
import contextlib
import time
from types import SimpleNamespace

from trivium.edge.body_memory import BodyMemory
from trivium.edge.connection import CallerConnection
from trivium.edge.exchange import Exchange
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.uploads.spool import Room

CALLER = Caller(
    key_id=1,
    user_id=1,
    payer_id=1,
    unlimited=True,
    disabled=False,
    expires_at=float("inf"),
    models=frozenset(),
    prefixes=(),
)
"""Whose key every request has."""
PATIENCE_S = 30.0
"""With an answer, on a machine that is busy with something else."""


class Sheet:
    """A line that remembers what was written on it."""

    def __init__(self) -> None:
        self.paused = False
        self.peer = "127.0.0.1"
        self.host = SimpleNamespace(date_line=b"date: now\r\n", has_cors=False)
        self.sent = b""
        self.closed: bool | None = None
        """Whether the answer's end asked for the connection to be closed; ``None``: no end yet."""
        self.is_cut = False

    def send(self, data: bytes) -> None:
        self.sent += data

    def ended(self, *, close: bool) -> None:
        self.closed = close

    def cut(self) -> None:
        self.is_cut = True


def asked(sheet: Sheet | None = None, *, target: bytes = b"/", **changes) -> Exchange:
    """An exchange on a sheet; keywords as the exchange takes them."""
    path, _, query = target.partition(b"?")
    values = {
        "request_id": "req_1",
        "method": "POST",
        "path": path,
        "query": query,
        "headers": {},
        "repeated": None,
        "keep_alive": True,
        "http10": False,
    }
    return Exchange(sheet or Sheet(), **(values | changes))


class EchoHost:
    """Answers each request with what it understood of it."""

    def __init__(self, limits: ServerLimits | None = None) -> None:
        self.limits = limits or ServerLimits(linger_s=0.3)
        self.date_line = b""
        self.has_cors = False
        self.draining = False
        self.ready = True
        self.room = Room(memory_bytes=4096)
        self.kept = BodyMemory()
        self.connections: set[CallerConnection] = set()
        self.time = asyncio.get_running_loop().time
        self.count = 0
        self.now = time.time
        self.caller = CALLER
        self.again = 0
        """Heads that were known already."""
        self.refuse: Fault | None = None
        self.hold: list[Exchange] | None = None
        self.seen: list[tuple[str, bytes, bytes]] = []

    def new_id(self) -> str:
        self.count += 1
        return f"req_{self.count}"

    def head(self, exchange: Exchange) -> Fault | None:
        exchange.digest = b"whose"
        if self.refuse is None:
            exchange.caller = self.caller
        return self.refuse

    def snapshot_get(self, digest: bytes) -> Caller | None:
        assert digest == b"whose"
        if self.refuse is not None:
            return None
        self.again += 1
        return self.caller

    def head_again(self, exchange: Exchange, *, is_read: bool = True) -> Fault | None:
        assert exchange.digest == b"whose"
        self.again += 1
        return self.refuse

    def cors(self, exchange: Exchange) -> bytes:
        return b""

    def dispatch(self, exchange: Exchange) -> None:
        self.seen.append((exchange.method, exchange.path, exchange.body))
        if self.hold is not None:
            self.hold.append(exchange)
        else:
            exchange.answer(200, b"%b %b" % (exchange.path, exchange.body))


@contextlib.asynccontextmanager
async def serving(host: EchoHost):
    """The host on a free loopback port; gives the port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: CallerConnection(host), "127.0.0.1", 0)

    async def ticks() -> None:
        while True:
            await asyncio.sleep(0.05)
            for connection in list(host.connections):
                connection.tick(loop.time())

    ticker = asyncio.ensure_future(ticks())
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        ticker.cancel()
        for connection in list(host.connections):
            connection.cut()
        server.close()
        await server.wait_closed()
        with contextlib.suppress(asyncio.CancelledError):
            await ticker


class Wire:
    """A raw connection that remembers everything it was sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.rest = b""

    @classmethod
    async def to(cls, port: int) -> "Wire":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, *, head_only: bool = False) -> tuple[int, dict[bytes, bytes], bytes]:
        """The next answer: status, headers, body (unchunked)."""
        status = 100
        while status == 100:
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
            first, *lines = head[:-4].split(b"\r\n")
            status = int(first.split(b" ")[1])
        pairs = [line.split(b": ", 1) for line in lines]
        headers = {name.lower(): value for name, value in pairs}  # a proxy writes them its own way
        if head_only or status in (204, 304):
            return status, headers, b""
        if headers.get(b"transfer-encoding") == b"chunked":
            body = b""
            while True:
                size = int(await asyncio.wait_for(self.reader.readline(), PATIENCE_S), 16)
                body += (await self.reader.readexactly(size + 2))[:-2]
                if size == 0:
                    return status, headers, body
        if b"content-length" in headers:
            return status, headers, await self.reader.readexactly(int(headers[b"content-length"]))
        return status, headers, await self.reader.read()

    async def ended(self, within: float = 5) -> bool:
        """Whether the other side closes (anything it still sends is thrown away)."""
        try:
            while await asyncio.wait_for(self.reader.read(65536), within):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return True

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


@contextlib.asynccontextmanager
async def wire(port: int):
    """A raw connection, closed afterwards."""
    line = await Wire.to(port)
    try:
        yield line
    finally:
        await line.close()
