"""Collects the numbers for Prometheus from the parts that count them."""

import asyncio
import contextlib
import os
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from trivium.clock import Steady
from trivium.edge.listener import Listener
from trivium.faults import Fault
from trivium.observe.metrics import process
from trivium.observe.metrics.counters import Key, Numbers, RequestCounters, summed
from trivium.observe.metrics.model import (
    BUILD,
    CONNECTIONS,
    DOUBTED,
    IDENTITY_FAILURES,
    IDENTITY_LIFE,
    LAG,
    LOST,
    MISSING,
    PRICES_FOUND,
    PRICES_WAITING,
    RECORDS_WAITING,
    RESTING,
    RUNNING,
    SETTLEMENTS_WAITING,
    UPSTREAM_CALLS,
    UPSTREAM_CONNECTIONS,
    UPSTREAM_WAITING,
    WORKERS,
)
from trivium.observe.metrics.shared_memory import SharedNumbers
from trivium.observe.metrics.text import text
from trivium.pipeline.services import Services
from trivium.upstream.pool import PooledClient
from trivium.wiring.background import background

if TYPE_CHECKING:
    from trivium.catalogue.pricing.looks import NightlyLook
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.recorder import Recorder
    from trivium.wiring.readiness import Parts

LAG_S: Final = 0.25
"""How often the loop's lateness is looked at."""
WRITE_S: Final = 1.0
"""How often a worker leaves its numbers for the others: scrapes are seconds apart."""


class Metrics:
    """One worker's numbers, and the sum of all workers'."""

    def __init__(
        self,
        services: Services,
        listeners: Sequence[Listener],
        recorder: "Recorder",
        ledger: "WorkerLedger",
        parts: "Parts",
        places: SharedNumbers | None = None,
    ) -> None:
        """Count what ``services`` record from now on. ``places``: where other workers' numbers are;
        ``None``: there are no other workers.
        """
        self._services = services
        self._listeners = listeners
        self._recorder = recorder
        self._ledger = ledger
        self._parts = parts
        self._places = places
        self._night: NightlyLook | None = None
        self._started = services.clock.now()
        self._time = Steady(services.clock)
        self._tally = RequestCounters(services.recorder, self._knows)
        services.recorder = self._tally

    def tell_prices(self, night: "NightlyLook") -> None:
        """Count what this worker's nightly look finds, and what waits to be decided."""
        self._night = night

    async def start(self, stack: contextlib.AsyncExitStack) -> None:
        """Measure the loop, and tell the other workers until the stack is closed."""
        stack.callback(self.close)
        await background(stack, self.watch)
        if self._places is not None:
            await background(stack, self.write)

    def text(self) -> str:
        """Return the answer to a scrape."""
        whole = self._whole()
        whole.levels.append(((BUILD.name, version("trivium")), 1))
        return text(whole)

    def levels(self) -> dict[str, int]:
        """Gauges without labels, of all workers together, by name."""
        return {key[0]: value for key, value in self._whole().levels if len(key) == 1}

    def _whole(self) -> Numbers:
        """Of all workers together."""
        all_ = [self._own()]
        if self._places is not None:
            all_ += self._places.read(os.getpid())
        return summed(all_)

    def running(self) -> tuple[int, int]:
        """Requests that run now, and in how many workers."""
        listeners = self._listeners
        requests = sum(one.busy for listener in listeners for one in listener.connections)
        workers = 1
        for numbers in () if self._places is None else self._places.read(os.getpid()):
            levels = dict(numbers.levels)
            requests += levels.get((RUNNING.name,), 0)
            workers += levels.get((WORKERS.name,), 0)
        return requests, workers

    async def write(self) -> None:
        """Write the numbers for the other workers at intervals, without end."""
        assert self._places is not None
        while True:
            self._places.write(os.getpid(), self._own())
            await asyncio.sleep(WRITE_S)

    async def watch(self) -> None:
        """Measure how late the event loop is at intervals, without end."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_S
            await asyncio.sleep(LAG_S)
            self._tally.took(LAG, (), max(0.0, loop.time() - due) * 1000)

    def close(self) -> None:
        """Write the last numbers."""
        if self._places is not None:
            self._places.write(os.getpid(), self._own())

    def _knows(self, model: str) -> bool:
        try:
            return self._services.router.find(model).name == model
        except Fault:
            return False

    def _own(self) -> Numbers:
        connections = [one for listener in self._listeners for one in listener.connections]
        levels: list[tuple[Key, int]] = [
            ((CONNECTIONS.name,), len(connections)),
            ((RUNNING.name,), sum(one.busy for one in connections)),
            ((RECORDS_WAITING.name,), self._recorder.waiting),
            ((SETTLEMENTS_WAITING.name,), self._ledger.waiting),
            ((WORKERS.name,), 1),
            ((DOUBTED.name,), int(self._time.jumped_s() != 0)),
            *process.gauges(self._started),
        ]
        parts = self._parts.now().parts
        levels += [((MISSING.name, part), int(not there)) for part, there in parts.items()]
        resting: dict[Key, int] = {}
        for key, breaker in self._services.health.open().items():
            # of several credentials that rest for one reason: still one worker that sees it
            resting[RESTING.name, key.channel, key.model, breaker.why] = 1
        calls, pools = self._upstream()
        failures, lives = self._identities()
        found, waiting = self._prices()
        lost = ((LOST.name,), self._recorder.dropped)
        return self._tally.numbers(
            [lost, *calls, *failures, *found, *process.counters()],
            [*levels, *resting.items(), *pools, *lives, *waiting],
        )

    def _prices(self) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """What looks found, and what waits: every worker knows the same of it."""
        night = self._night
        if night is None:
            return [], []
        found: list[tuple[Key, int]] = [
            ((PRICES_FOUND.name, source), count) for source, count in night.found.items()
        ]
        return found, [] if night.waiting is None else [((PRICES_WAITING.name,), night.waiting)]

    def _identities(self) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """Failures and lives by channel; of several accounts of one, the sum and the least."""
        client = self._services.client
        assert isinstance(client, PooledClient)
        failures: dict[Key, int] = {}
        lives: dict[Key, int] = {}
        for one in client.identities():
            key = (IDENTITY_FAILURES.name, one.channel)
            failures[key] = failures.get(key, 0) + one.failures
            if one.life_s or (one.life_s is not None and one.is_missed):  # else unused, and let go
                key = (IDENTITY_LIFE.name, one.channel)
                micro = round(one.life_s * 1e6)
                lives[key] = min(lives.get(key, micro), micro)
        return list(failures.items()), list(lives.items())

    def _upstream(self) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """Counters and gauges of the connections to all origins together."""
        client = self._services.client
        assert isinstance(client, PooledClient)
        all_ = client.total()
        ways = {
            "made": all_.connected,
            "reused": all_.reused,
            "retried": all_.retried,
            "refused": all_.refused,
        }
        return [((UPSTREAM_CALLS.name, way), count) for way, count in ways.items()], [
            ((UPSTREAM_CONNECTIONS.name, "idle"), all_.idle),
            ((UPSTREAM_CONNECTIONS.name, "busy"), all_.open - all_.idle),
            ((UPSTREAM_WAITING.name,), all_.waiting),
        ]
