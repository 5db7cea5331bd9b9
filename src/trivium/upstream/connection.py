"""One socket to a vendor: carries one exchange at a time, and rests in the pool in between."""

import asyncio
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Protocol, cast

from trivium.faults import Fault
from trivium.routing.model import TimeLimits


class Carried:
    """What a connection carries: an exchange, which stands on this module.

    No protocol: a compiled method of one is looked up by its name at each call.
    """

    __slots__ = ("limits", "retrying")

    limits: TimeLimits
    retrying: "asyncio.Task[None] | None"
    """Looks for a fresh connection after a reused one died; ``None`` at any other time."""

    @abstractmethod
    def run(self, connection: "UpstreamConnection", now: float, head_max: int) -> None:
        """Write the request on a connection that has nothing else to do."""

    @abstractmethod
    def receive(self, data: bytes, now: float) -> None:
        """Bytes of the answer."""

    @abstractmethod
    def eof(self) -> None:
        """The vendor sends no more."""

    @abstractmethod
    def lost(self) -> None:
        """The connection is gone."""

    @abstractmethod
    def written(self, now: float) -> None:
        """A part of a large request has left."""

    @abstractmethod
    def overdue(self, now: float) -> float | None:
        """End it if a limit has passed; else when to look again."""

    @abstractmethod
    def fail(self, fault: Fault) -> None:
        """End it, with the connection if there is one."""


class ConnectionKeeper(Protocol):
    """Counts the connections of one origin, and hands them out."""

    __slots__ = ()

    def made(self, connection: "UpstreamConnection") -> None:
        """Called when a connection is usable, TLS included."""
        ...

    def release(self, connection: "UpstreamConnection") -> None:
        """It may serve again."""
        ...

    def discard(self, connection: "UpstreamConnection") -> None:
        """It may not: close it, and let another take its place."""
        ...

    def retry(self, exchange: Carried) -> None:
        """Its exchange wants a fresh connection in its place."""
        ...

    def gone(self, connection: "UpstreamConnection") -> None:
        """Its socket is closed."""
        ...


class UpstreamConnection:
    """A keep-alive HTTP/1.1 connection: an ``asyncio.Protocol`` by its methods, not by descent.

    A compiled class that descends from an interpreted one keeps its attributes in a dict.
    """

    __slots__ = (
        "_drained",
        "_keepalive_s",
        "_keeper",
        "_transport",
        "_writing",
        "alive",
        "due",
        "exchange",
        "idle",
        "now",
        "served",
    )

    def __init__(
        self, keeper: ConnectionKeeper, now: Callable[[], float], keepalive_s: float
    ) -> None:
        """``keepalive_s``: how long it may rest between exchanges, unless the vendor says less."""
        self._keeper = keeper
        self._keepalive_s = keepalive_s
        self._transport: asyncio.Transport
        self._writing = False
        self._drained: asyncio.Future[None] | None = None
        self.alive = False
        self.due = math.inf
        """When the ticker must look at it, in the loop's seconds."""
        self.exchange: Carried | None = None
        self.idle = False
        """Whether it rests in the pool, where anybody may take it."""
        self.now = now
        self.served = False
        """Whether it has carried an exchange to its end."""

    def begin(self, exchange: Carried, payload: bytes, due: float) -> None:
        """Write a request; the answer goes to the exchange."""
        self.exchange = exchange
        self.due = due
        self._transport.write(payload)

    def write(self, data: bytes) -> asyncio.Future[None] | None:
        """Write on; what to wait for before the next piece, ``None`` for nothing."""
        self._transport.write(data)
        if not self._writing:
            return None
        self._drained = asyncio.get_running_loop().create_future()
        return self._drained

    def finish(self, reusable: bool, keepalive_s: int | None, now: float) -> None:
        """The exchange has ended by itself, and has left."""
        self.served = True
        # bytes after the answer, a request the vendor did not read to its end, an unsure end
        if not reusable or self._writing or not self.alive:
            self._keeper.discard(self)
            return
        if keepalive_s is not None:
            # a second for what is under way, as the vendor closes on its own clock
            self._keepalive_s = min(self._keepalive_s, keepalive_s - 1)
        self.due = now + self._keepalive_s
        self._keeper.release(self)

    def drop(self) -> None:
        """The exchange has ended before its time, and has left."""
        self._keeper.discard(self)

    def retry(self, exchange: Carried) -> None:
        """The exchange has left because this connection was dead, and wants a fresh one."""
        self.close()
        self._keeper.retry(exchange)

    def tick(self, now: float) -> None:
        """Act on the limit that has passed: of the exchange, or of idleness."""
        if self.exchange is not None:
            due = self.exchange.overdue(now)
            if due is not None:
                self.due = due
        elif self.idle:
            self._keeper.discard(self)

    def pause(self) -> None:
        """Stop reading from the socket."""
        if self.alive:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read from the socket again."""
        if self.alive:
            self._transport.resume_reading()

    def close(self) -> None:
        """Close the socket now. Nothing that is unsent or unread is of use to anybody."""
        self.alive = False
        self.due = math.inf
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop when the socket is connected."""
        # uvloop's transports have the methods without the class
        self._transport = cast("asyncio.Transport", transport)
        self.alive = True
        self._keeper.made(self)

    def data_received(self, data: bytes) -> None:
        """Called by the loop with the bytes of one read."""
        exchange = self.exchange
        if exchange is not None:
            exchange.receive(data, self.now())
        elif self.alive:
            self._unasked()

    def eof_received(self) -> None:
        """Protocol callback; the transport closes itself after it."""
        if self.exchange is not None:
            self.alive = False
            self.exchange.eof()
        elif self.alive:
            self._unasked()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the loop when the socket is closed, by either side."""
        del exc
        self.alive = False
        self.due = math.inf
        self._go_on()
        if self.exchange is not None:
            self.exchange.lost()
        elif self.idle:
            self._keeper.discard(self)
        self._keeper.gone(self)

    def pause_writing(self) -> None:
        """Protocol callback: a large request does not leave at once."""
        self._writing = True

    def resume_writing(self) -> None:
        """Called by the loop when unsent bytes have drained."""
        self._writing = False
        self._go_on()
        if self.exchange is not None:
            self.exchange.written(self.now())

    def _go_on(self) -> None:
        """Whoever waits to write more need not any longer."""
        waiting, self._drained = self._drained, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def _unasked(self) -> None:
        """Bytes or an end that answer nothing."""
        if self.idle:
            self._keeper.discard(self)
        else:
            self.close()  # whoever holds its place finds it dead
