"""The client: calls over pooled connections, one pool for each origin.

The fast path, an idle connection, neither suspends nor makes a task, a future or a timer; one
ticker serves all limits of all calls.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from trivium.clock import Clock, SystemClock
from trivium.faults import Fault, Kind
from trivium.settings.model import UpstreamSettings
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.connect import Connector
from trivium.upstream.credentials import Credentials
from trivium.upstream.deadlines import TICK_S
from trivium.upstream.exchange import UpstreamExchange
from trivium.upstream.origin_pool import OriginPool
from trivium.upstream.pool_stats import NOTHING, PoolStats
from trivium.upstream.request import Origin, Request
from trivium.upstream.resolve import Resolver

ORIGINS_MAX: Final = 256
"""Pools kept though nothing is in them. Operators configure tens of origins; strangers' addresses
are chosen by callers."""


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
    ) -> None:
        """``tls`` is called for each TLS connection, so it should remember what it made.

        ``now`` gives the loop's seconds (``loop.time``), ``clock`` the time that is signed.
        """
        self._limits = limits
        self._connector = Connector(resolver, tls)
        self._now = now
        self._credentials = Credentials(self, clock or SystemClock())
        self._pools: dict[Origin, OriginPool] = {}
        self._past = NOTHING
        """What pools that were let go had counted."""
        self._ticker: asyncio.TimerHandle | None = None
        self._closed = False

    def open_now(self, request: Request, sink: Sink) -> Call | None:
        """As :meth:`open` if an idle connection exists, else ``None`` and nothing was done."""
        pool = self._pools.get(request.origin)
        if pool is None:
            return None
        draft = request.draft
        if draft is not None:
            return self._credentials.open_now(request, draft, sink)
        now = self._now()
        connection = pool.reuse(now)
        if connection is None:
            return None
        exchange = UpstreamExchange(request, sink, now)
        exchange.run(connection, now, self._limits.header_bytes_max)
        return exchange

    async def open(self, request: Request, sink: Sink) -> Call:
        """Write the request and return; the answer goes to ``sink``.

        Raises ``Fault``: UPSTREAM_UNREACHABLE (name, connect, TLS), UPSTREAM_TIMEOUT (connect
        limit), UPSTREAM_BUSY (no connection free within the wait limit), STOPPING (closed).
        Cancelled, it leaves nothing behind.
        """
        call = self.open_now(request, sink)
        if call is not None:
            return call
        if self._closed:
            raise Fault(Kind.STOPPING, "The gateway is stopping.")
        draft = request.draft
        if draft is not None:
            return await self._credentials.open(request, draft, sink)
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
        self._credentials.close()
        for pool in self._pools.values():
            pool.close()
        # the loop tells transports of their end in its next turn
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if self._ticker is not None and all(pool.empty for pool in self._pools.values()):
            self._ticker.cancel()
            self._ticker = None

    def stats(self) -> dict[Origin, PoolStats]:
        """How each origin's pool stands."""
        return {origin: pool.standing() for origin, pool in self._pools.items()}

    def total(self) -> PoolStats:
        """All origins together, those of the past included: what was counted never falls."""
        return together([self._past, *self.stats().values()])

    def _let_go(self) -> None:
        """Forget the origins that nothing goes to."""
        for origin, pool in list(self._pools.items()):
            if pool.empty:
                self._past = together([self._past, pool.standing()])
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


def together(standings: Iterable[PoolStats]) -> PoolStats:
    """The sum of several."""
    rows = [msgspec.structs.astuple(each) for each in standings]
    names = PoolStats.__struct_fields__
    return PoolStats(**{name: sum(row[i] for row in rows) for i, name in enumerate(names)})
