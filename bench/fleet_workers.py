"""Who asks a simulated fleet, and what its workers are made of; see fleet.py."""

import asyncio
import bisect
import itertools
import random
from decimal import Decimal
from typing import Any, cast

import fleet_world
import msgspec
from fleet_world import Books, DatabaseTimes, LoopClock, NoJournal, RegionWindows

from trivium.admission.service import Admission
from trivium.conversation.usage import Usage
from trivium.ledger.cost import cost, tariff_of
from trivium.ledger.ledger_sync import LedgerSync
from trivium.ledger.worker import WorkerLedger
from trivium.routing.model import PriceRow
from trivium.settings.model import LedgerSettings

HOT = 100
"""Keys with a limit."""


SHIFT = 10
"""Zipf and Mandelbrot's: without it the first key alone would have a tenth of all requests."""


AMPLE_NANOS = 1000 * 10**9


PRICE = PriceRow(price={"input": Decimal(3), "output": Decimal(15)})


USED = Usage(fresh=1000, output=200)


TARIFF = tariff_of("m", PRICE)


COST_NANOS = cost(TARIFF, USED)[0]


class FleetOptions(msgspec.Struct, kw_only=True):
    """What is simulated."""

    case: str = "calm"
    nodes: int = 200
    keys: int = 1_000_000
    rate: float = 2000.0
    seconds: float = 60.0
    skew: float = 1.1
    seed: int = 1
    took_s: float = 2.0
    """An answer, on the average."""
    hot: int = HOT
    ahead_s: float = LedgerSettings().ahead_s
    flush_s: float = LedgerSettings().flush_s
    lease_s: float = LedgerSettings().lease_s
    times: DatabaseTimes = msgspec.field(default_factory=DatabaseTimes)


class Tenants:
    """Who asks, and what they have. The same for a simulation and for a real run."""

    def __init__(self, keys: int, skew: float) -> None:
        weights = (1 / (rank + SHIFT) ** skew for rank in range(keys))
        self._sums = list(itertools.accumulate(weights))
        self.keys = keys

    def one(self, chance: random.Random) -> int:
        """The rank of whoever asks next, from 0."""
        return bisect.bisect(self._sums, chance.random() * self._sums[-1])

    def share(self, rank: int) -> float:
        """Of all requests."""
        before = self._sums[rank - 1] if rank else 0.0
        return (self._sums[rank] - before) / self._sums[-1]

    def balance(self, rank: int) -> int:
        """Nano-dollars that an account begins with."""
        if rank % 10 != 3:
            return AMPLE_NANOS
        return COST_NANOS * (20 + rank * 7919 % 181)


class FleetWorker:
    """One worker: its ledger, its turns, its admission."""

    def __init__(
        self,
        name: str,
        books: Books,
        windows: RegionWindows,
        clock: LoopClock,
        options: FleetOptions,
    ) -> None:
        self.name = name
        self.ledger = WorkerLedger(
            cast("Any", NoJournal(name)), clock, interrupted="free", ahead_s=options.ahead_s
        )
        limits = LedgerSettings(
            ahead_s=options.ahead_s, flush_s=options.flush_s, lease_s=options.lease_s
        )
        folder = fleet_world.NOWHERE
        self.turns = LedgerSync(cast("Any", books), self.ledger, folder, limits, clock)
        self.admission = Admission(clock, shared=windows)
        self.is_alive = True
        self.asking: set[asyncio.Task[None]] = set()
        """Requests that wait for something."""

    async def start(self, after_s: float) -> None:
        """Begin: nodes were not started in the same second."""
        await asyncio.sleep(after_s)
        self.turns.start()

    def used(self) -> int:
        """Of what is leased, what is held or spent."""
        accounts = self.ledger._accounts.values()  # noqa: SLF001 - to look at
        return sum(each.held + each.spent for each in accounts)

    def die(self) -> None:
        """As by ``kill -9``, on a machine that does not come back."""
        self.is_alive = False
        for task in self.turns._tasks:  # noqa: SLF001 - a kill asks nobody
            task.cancel()
