"""The client: calls over pooled connections, one pool for each origin.

The fast path, an idle connection, neither suspends nor makes a task, a future or a timer; one
ticker serves all limits of all calls.

A *place* is the right to one connection. It belongs to whoever holds the connection: the idle
list, an exchange, or the caller who is connecting; and it is given back exactly once. Those who
wait are served in order, and an idle connection exists only when nobody waits.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault, Kind
from trivium.routing.model import Channel, TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.connect import Connector
from trivium.upstream.connection import Carried, ConnectionKeeper, UpstreamConnection
from trivium.upstream.exchange import UpstreamExchange
from trivium.upstream.request import Origin, Request
from trivium.upstream.resolve import Resolver
from trivium.upstream.vendor_identity import VendorIdentity

if TYPE_CHECKING:
    from trivium.upstream.credentials import Credentials

ORIGINS_MAX: Final = 256
"""Pools kept though nothing is in them. Operators configure tens of origins; strangers' addresses
are chosen by callers."""
TICK_S: Final = 0.25
"""How often the ticker looks: an error of a quarter second in limits of whole seconds."""


class PoolStats(NamedTuple):
    """One origin's pool, for metrics."""

    open: int = 0
    """Connections that exist or are being made."""
    idle: int = 0
    waiting: int = 0
    """Calls that wait for a connection."""
    connected: int = 0
    """Connections made since the start."""
    reused: int = 0
    """Calls that found an idle connection."""
    retried: int = 0
    """Calls that were written again because a reused connection was dead."""
    refused: int = 0
    """Calls that waited in vain."""


class OriginPool(ConnectionKeeper):
    """One origin's connections. Times are the loop's seconds."""

    def __init__(
        self,
        origin: Origin,
        limits: UpstreamSettings,
        connector: Connector,
        now: Callable[[], float],
    ) -> None:
        self._origin = origin
        self._limits = limits
        self._connector = connector
        self._now = now
        self._idle: dict[UpstreamConnection, None] = {}
        self._connections: set[UpstreamConnection] = set()
        self._waiting: deque[asyncio.Future[UpstreamConnection | None]] = deque()
        self._retries: set[asyncio.Task[None]] = set()
        self._places = 0
        self._closed = False
        self._connected = self._reused = self._retried = self._refused = 0

    @property
    def empty(self) -> bool:
        """Whether nothing would be lost with it."""
        return not (self._places or self._connections or self._waiting)

    def standing(self) -> PoolStats:
        """Return how many connections are open, idle and waited for."""
        return PoolStats(
            open=self._places,
            idle=len(self._idle),
            waiting=sum(not future.done() for future in self._waiting),
            connected=self._connected,
            reused=self._reused,
            retried=self._retried,
            refused=self._refused,
        )

    def reuse(self, now: float) -> UpstreamConnection | None:
        """The connection that went idle last: the others may then expire."""
        while self._idle:
            connection, _ = self._idle.popitem()
            connection.idle = False
            if connection.alive and now < connection.due:
                self._reused += 1
                return connection
            self.discard(connection)
        return None

    async def obtain(self, limits: TimeLimits) -> UpstreamConnection:
        """A connection, waited for or made. Raises ``Fault``; cancelled, it leaves nothing."""
        if self._places < self._limits.connections_max:
            self._places += 1
        else:
            connection = await self._wait()
            if connection is not None and connection.alive:
                self._reused += 1
                return connection
        # the place is ours from here on
        try:
            return await self._connect(limits)
        except BaseException:
            self._give_place()
            raise

    def sweep(self, now: float) -> None:
        """Look at every connection whose time has come."""
        for connection in [each for each in self._connections if each.due <= now]:
            if connection.due <= now:
                connection.tick(now)

    def close(self) -> None:
        """Close idle connections, and keep none from now on."""
        self._closed = True
        for connection in list(self._idle):
            self.discard(connection)
        while (future := self._next_waiting()) is not None:
            future.set_exception(Fault(Kind.STOPPING, "The gateway is stopping."))

    def made(self, connection: UpstreamConnection) -> None:
        """Count a connection that is usable now."""
        self._connections.add(connection)
        self._connected += 1

    def release(self, connection: UpstreamConnection) -> None:
        """It may serve again: whoever has waited longest gets it."""
        if self._closed:
            self.discard(connection)
        elif self._waiting and (future := self._next_waiting()) is not None:
            future.set_result(connection)
        else:
            connection.idle = True
            self._idle[connection] = None

    def discard(self, connection: UpstreamConnection) -> None:
        """Close it and give its place back."""
        if connection.idle:
            connection.idle = False
            del self._idle[connection]
        connection.close()
        self._give_place()

    def retry(self, exchange: Carried) -> None:
        """Run an exchange again on a fresh connection; it keeps its place."""
        self._retried += 1
        task = asyncio.get_running_loop().create_task(self._retry(exchange))
        exchange.retrying = task
        self._retries.add(task)
        task.add_done_callback(self._retried_to_end)

    def gone(self, connection: UpstreamConnection) -> None:
        """Its socket is closed."""
        self._connections.discard(connection)

    def start(self, exchange: Carried, connection: UpstreamConnection) -> None:
        """Run an exchange on a connection that is its own."""
        exchange.run(connection, self._now(), self._limits.header_bytes_max)

    async def _retry(self, exchange: Carried) -> None:
        try:
            connection = await self._connect(exchange.limits)
        except Fault as fault:
            self._give_place()
            exchange.fail(fault)
        except Exception:
            self._give_place()
            raise
        else:
            self.start(exchange, connection)

    def _retried_to_end(self, task: asyncio.Task[None]) -> None:
        self._retries.discard(task)
        if task.cancelled():
            # not in the task: one that never began has no handlers to run
            self._give_place()

    async def _connect(self, limits: TimeLimits) -> UpstreamConnection:
        connection = await self._connector.connect(self._origin, limits.connect, self._new)
        if not connection.alive:
            raise Fault(Kind.UPSTREAM_UNREACHABLE, "The upstream hung up at once.")
        return connection

    def _new(self) -> UpstreamConnection:
        return UpstreamConnection(self, self._now, self._limits.keepalive_s)

    async def _wait(self) -> UpstreamConnection | None:
        """A released connection, or ``None`` with the place of a closed one."""
        if self._closed:
            raise Fault(Kind.STOPPING, "The gateway is stopping.")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[UpstreamConnection | None] = loop.create_future()
        self._waiting.append(future)
        timer = loop.call_later(self._limits.wait_s, self._refuse, future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._pass_on(future.result())
            else:
                self._strike(future)
            raise
        finally:
            timer.cancel()

    def _refuse(self, future: asyncio.Future[UpstreamConnection | None]) -> None:
        if not future.done():
            self._refused += 1
            self._strike(future)
            future.set_exception(
                Fault(
                    Kind.UPSTREAM_BUSY,
                    "All connections to the upstream are in use, "
                    f"and none became free within {self._limits.wait_s:g} s.",
                )
            )

    def _strike(self, future: asyncio.Future[UpstreamConnection | None]) -> None:
        """Take one who left off the queue."""
        if future in self._waiting:
            self._waiting.remove(future)

    def _pass_on(self, granted: UpstreamConnection | None) -> None:
        """Whoever was granted this has left."""
        if granted is None:
            self._give_place()
        elif granted.alive:
            self.release(granted)
        else:
            self.discard(granted)

    def _give_place(self) -> None:
        """A connection is no more: the next may make one."""
        future = self._next_waiting()
        if future is None:
            self._places -= 1
        else:
            future.set_result(None)

    def _next_waiting(self) -> asyncio.Future[UpstreamConnection | None] | None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                return future
        return None


class PooledClient(Client):
    """The :class:`~trivium.upstream.call.Client` of a running gateway. Belongs to one loop."""

    def __init__(
        self,
        limits: UpstreamSettings,
        *,
        resolver: Resolver,
        tls: Callable[[], ssl.SSLContext],
        now: Callable[[], float],
        clock: Clock | None = None,
        ca_file: str | None = None,
    ) -> None:
        """``tls`` is called for each TLS connection, so it should remember what it made.

        ``now`` gives the loop's seconds (``loop.time``), ``clock`` the time that is signed.
        ``ca_file``: what libraries that find identities check certificates against.
        """
        self._limits = limits
        self._connector = Connector(resolver, tls)
        self._now = now
        self._clock = clock
        self._ca_file = ca_file
        self._drafts: Credentials | None = None
        """Imported with the first draft: most gateways have keys alone."""
        self._pools: dict[Origin, OriginPool] = {}
        self._past = PoolStats()
        """What pools that were let go had counted."""
        self._ticker: asyncio.TimerHandle | None = None
        self._closed = False

    def written(self, request: Request) -> Request:
        """As ``Client.written`` says; at once for a request that is written."""
        draft = request.draft
        return request if draft is None else self._credentials().written(request, draft)

    def open_now(self, request: Request, sink: Sink) -> Call | None:
        """As :meth:`open` if an idle connection exists, else ``None`` and nothing was done."""
        pool = self._pools.get(request.origin)
        if pool is None:
            return None
        if request.draft is not None:
            request = self.written(request)
            if request.draft is not None:
                return None
        now = self._now()
        connection = pool.reuse(now)
        if connection is None:
            return None
        presenter = request.presenter
        if presenter is not None:
            repeated = self._credentials().repeated(presenter, sink)
            again = UpstreamExchange(request, repeated, now)
            again.run(connection, now, self._limits.header_bytes_max)
            return repeated.attached(again)
        exchange = UpstreamExchange(request, sink, now)
        exchange.run(connection, now, self._limits.header_bytes_max)
        return exchange

    async def open(self, request: Request, sink: Sink) -> Call:
        """As ``Client.open`` says; raises ``Fault`` (STOPPING) besides, once it is closed."""
        call = self.open_now(request, sink)
        if call is not None:
            return call
        if self._closed:
            raise Fault(Kind.STOPPING, "The gateway is stopping.")
        if request.draft is not None or request.presenter is not None:
            return await self._credentials().open(request, sink)
        pool = self._pools.get(request.origin)
        if pool is None:
            if len(self._pools) >= ORIGINS_MAX:
                self._let_go()
            pool = OriginPool(request.origin, self._limits, self._connector, self._now)
            self._pools[request.origin] = pool
        if self._ticker is None:
            self._ticker = asyncio.get_running_loop().call_later(TICK_S, self._tick)
        exchange = UpstreamExchange(request, sink, self._now())
        pool.start(exchange, await pool.obtain(request.limits))
        return exchange

    async def close(self) -> None:
        """Close idle connections; running calls are the pipeline's to end."""
        self._closed = True
        if self._drafts is not None:
            self._drafts.close()
        for pool in self._pools.values():
            pool.close()
        # the loop tells transports of their end in its next turn
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if self._ticker is not None and all(pool.empty for pool in self._pools.values()):
            self._ticker.cancel()
            self._ticker = None

    def identity(self, channel: Channel, credential: int) -> VendorIdentity | None:
        """How a channel's token or found identity stands; ``None``: no request has wanted it."""
        return None if self._drafts is None else self._drafts.identity(channel, credential)

    def identities(self) -> list[VendorIdentity]:
        """How the tokens and found identities of all accounts stand that requests wanted."""
        return [] if self._drafts is None else self._drafts.identities()

    def _credentials(self) -> "Credentials":
        """What makes the calls of drafts."""
        if self._drafts is None:
            from trivium.upstream.credentials import Credentials

            self._drafts = Credentials(self, self._clock or SystemClock(), self._ca_file)
        return self._drafts

    def stats(self) -> dict[Origin, PoolStats]:
        """How each origin's pool stands."""
        return {origin: pool.standing() for origin, pool in self._pools.items()}

    def total(self) -> PoolStats:
        """All origins together, those of the past included: what was counted never falls."""
        return PoolStats(*map(sum, zip(self._past, *self.stats().values(), strict=True)))

    def _let_go(self) -> None:
        """Forget the origins that nothing goes to."""
        for origin, pool in list(self._pools.items()):
            if pool.empty:
                self._past = PoolStats(*map(sum, zip(self._past, pool.standing(), strict=True)))
                del self._pools[origin]

    def _tick(self) -> None:
        """Armed again first: a sink that raises must not stop the clock for everybody."""
        self._ticker = asyncio.get_running_loop().call_later(TICK_S, self._tick)
        now = self._now()
        for pool in list(self._pools.values()):
            pool.sweep(now)
        if all(pool.empty for pool in self._pools.values()):
            self._ticker.cancel()
            self._ticker = None
