"""The connections to one origin: who has one, who waits for one, how many there may be.

A *place* is the right to one connection. It belongs to whoever holds the connection: the idle
list, an exchange, or the caller who is connecting; and it is given back exactly once. Those who
wait are served in order, and an idle connection exists only when nobody waits.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from trivium.faults import Fault, Kind
from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream.connect import Connector
from trivium.upstream.connection import Carried, ConnectionKeeper, UpstreamConnection
from trivium.upstream.pool_stats import PoolStats
from trivium.upstream.request import Origin


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
