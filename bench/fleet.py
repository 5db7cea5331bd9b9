"""Simulates a fleet on one database: what is refused wrongly, what is leased and idle, what breaks.

usage: fleet.py [--case NAME] [--nodes N] [--keys N] [--rate N] [--seconds N] [--skew S] [--seed N]

``--nodes`` nodes (200) of two workers serve ``--keys`` keys (1,000,000), each with an account of its
own, which ask ``--rate`` times a second (2,000) together; the key of rank r asks in proportion to 1 /
(r + 10) ** ``--skew`` (1.1: the first of a million then has 1 request in 60). Nine accounts of ten have
ample balances, the tenth a small one: what 20 to 200 requests cost. The first hundred keys have a limit of half the requests
a minute that they ask for. Workers are the gateway's own code; see fleet_world.py.

Cases: ``calm``; ``by key``: as calm, with all requests of a key to one node; ``dying``: a twentieth
of the nodes killed after a third of the time; ``region``: four regions with a Valkey each, that of
one away for the second third; ``slow``, ``away``: the database ten times slower, or away, for the
second third. Time is simulated, so the machine's load changes nothing but how long it takes.
"""

import argparse
import asyncio
import contextlib
import heapq
import itertools
import random
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, cast

import msgspec
import structlog
from fleet_workers import TARIFF, USED, FleetOptions, FleetWorker, Tenants
from fleet_world import Books, JumpingLoop, LoopClock, RegionWindows

from trivium.admission.service import OPEN, Permit
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.ledger import ledger_sync
from trivium.ledger.model import Hold, Quote
from trivium.routing.model import Model
from trivium.settings.limits import RateLimits
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts

WORKERS = 2
"""A node."""
TICK_S = 0.02
CASES = ("calm", "by key", "dying", "region", "slow", "away")
REGIONS = 4
HELD_NANOS = 10_500_000
"""What is held of a request: 1,000 tokens in, 500 out at most."""
QUOTE = Quote(HELD_NANOS, TARIFF, 1000)
MODEL = Model(name="m", bindings=())
FACTS = cast("RequestFacts", None)
"""Nothing of them is read where tokens have no limit."""


class Running(msgspec.Struct):
    """A request that is being answered."""

    worker: FleetWorker
    rank: int
    hold: Hold
    permit: Permit


class Fleet:
    """See the module."""

    def __init__(self, options: FleetOptions, loop: JumpingLoop) -> None:
        self.options = options
        self.loop = loop
        self.clock = LoopClock(loop)
        self.arrivals = random.Random(options.seed)
        """When who asks: the same as in a real run, whatever else is by chance."""
        self.chance = random.Random(options.seed + 1)
        self.tenants = Tenants(options.keys, options.skew)
        self.books = Books(options.times)
        self.windows = [RegionWindows(self.clock) for _ in range(REGIONS)]
        self.nodes = [
            [
                FleetWorker(f"{node}/{n}", self.books, self.windows[self._region(node)], self.clock, options)
                for n in range(WORKERS)
            ]
            for node in range(options.nodes)
        ]  # fmt: skip
        self.serving = list(range(options.nodes))
        self.callers: dict[int, Caller] = {}
        self.own: dict[int, int] = {}
        """What accounts have in truth: their balance less what was spent and what is held."""
        self.short_at: dict[int, float] = {}
        """When that was last too little for one request."""
        self.ends: list[tuple[float, int, Running]] = []
        self.sent = 0
        self.counts: Counter[str] = Counter()
        self.waits: list[float] = []
        self.late = 0
        """Refused in the second half of the time."""
        self.idle: list[tuple[float, int, int, int]] = []
        self.admitted: dict[int, deque[float]] = {}
        self.most: Counter[int] = Counter()
        """Of keys with a limit, the most requests in any 60 seconds."""
        self.tasks: set[asyncio.Task[None]] = set()

    # --- callers -----------------------------------------------------------------------------

    def _region(self, node: int) -> int:
        return node % REGIONS if self.options.case == "region" else 0

    def _caller(self, rank: int) -> Caller:
        found = self.callers.get(rank)
        if found is None:
            limits = None
            if rank < self.options.hot:
                asks = self.options.rate * 60 * self.tenants.share(rank)
                limits = RateLimits(requests=max(2, int(asks / 2)))
            found = self.callers[rank] = Caller(
                key_id=rank + 1, user_id=rank + 1, payer_id=rank + 1, unlimited=False,
                disabled=False, expires_at=float("inf"), models=frozenset(), prefixes=(),
                limits=limits,
            )  # fmt: skip
            self.books.balances[rank + 1] = self.own[rank] = self.tenants.balance(rank)
        return found

    def _worker(self, rank: int) -> FleetWorker:
        if self.options.case == "by key":
            node = self.serving[hash((rank, 17)) % len(self.serving)]
        else:
            node = self.chance.choice(self.serving)
        return self.chance.choice(self.nodes[node])

    async def ask(self) -> None:
        """Ask until the time is over, and let what runs end."""
        options = self.options
        due = 0.0
        while self.loop.at < options.seconds:
            await asyncio.sleep(TICK_S)
            while due < self.loop.at:
                due += self.arrivals.expovariate(options.rate)
                self._ask_one()
            self._end_some()
        while self.ends or self.tasks:
            await asyncio.sleep(TICK_S)
            self._end_some()
        await asyncio.sleep(3 * options.flush_s)

    def _ask_one(self) -> None:
        rank = self.tenants.one(self.arrivals)
        caller, worker = self._caller(rank), self._worker(rank)
        self.sent += 1
        request_id = f"req_{self.sent}"
        try:
            permit = worker.admission.admit(request_id, caller, MODEL, Operation.CHAT, FACTS, b"")
            if permit is None:
                self._later(worker, self._admitted(request_id, rank, caller, worker))
            else:
                self._pay(request_id, rank, caller, worker, permit)
        except Fault:
            self.counts["limited"] += 1

    async def _admitted(
        self, request_id: str, rank: int, caller: Caller, worker: FleetWorker
    ) -> None:
        try:
            permit = await worker.admission.ask(
                request_id, caller, MODEL, Operation.CHAT, FACTS, b""
            )
        except Fault:
            self.counts["limited"] += 1
            return
        if worker.is_alive:
            self._pay(request_id, rank, caller, worker, permit)

    def _pay(
        self, request_id: str, rank: int, caller: Caller, worker: FleetWorker, permit: Permit
    ) -> None:
        if permit is not OPEN:
            seen = self.admitted.setdefault(rank, deque())
            seen.append(self.loop.at)
            while seen[0] <= self.loop.at - 60:
                seen.popleft()
            self.most[rank] = max(self.most[rank], len(seen))
        try:
            hold = worker.ledger.hold(request_id, caller, QUOTE)
        except Fault as fault:
            self._refused(rank, fault, permit, self.loop.at)
            return
        if hold is None:
            self.counts["waited"] += 1
            self._later(worker, self._lease(request_id, rank, caller, worker, permit))
        else:
            self._begun(Running(worker, rank, hold, permit))

    async def _lease(
        self, request_id: str, rank: int, caller: Caller, worker: FleetWorker, permit: Permit
    ) -> None:
        began = self.loop.at
        try:
            hold = await worker.ledger.lease(request_id, caller, QUOTE)
        except Fault as fault:
            self._refused(rank, fault, permit, began)
        else:
            if worker.is_alive:
                self._begun(Running(worker, rank, hold, permit))
        finally:
            self.waits.append(self.loop.at - began)

    def _begun(self, running: Running) -> None:
        self.counts["served"] += 1
        self._move(running.rank, -HELD_NANOS)
        ends_at = self.loop.at + self.chance.expovariate(1 / self.options.took_s)
        heapq.heappush(self.ends, (ends_at, self.counts["served"], running))

    def _refused(self, rank: int, fault: Fault, permit: Permit, came_at: float) -> None:
        permit.leave(None)
        # wrongly: there was enough for it all the time that it waited
        has = self.own[rank] >= HELD_NANOS and self.short_at.get(rank, -1.0) < came_at
        self.late += self.loop.at > self.options.seconds / 2
        said = "too low" if fault.kind is Kind.BALANCE_TOO_LOW else "try again"
        self.counts[f"{said}, {'wrongly' if has else 'rightly'}"] += 1

    def _end_some(self) -> None:
        while self.ends and self.ends[0][0] <= self.loop.at:
            _, _, running = heapq.heappop(self.ends)
            if not running.worker.is_alive:
                self._move(running.rank, HELD_NANOS)
                self.counts["lost with their node"] += 1
                continue
            running.permit.leave(None)
            cost_nanos = running.worker.ledger.settle(running.hold, USED, "stop", "main")
            self._move(running.rank, HELD_NANOS - cost_nanos)

    def _move(self, rank: int, nanos: int) -> None:
        has = self.own[rank]
        self.own[rank] = has + nanos
        if min(has, has + nanos) < HELD_NANOS:
            self.short_at[rank] = self.loop.at

    def _later(self, worker: FleetWorker, work: Any) -> None:
        task = self.loop.create_task(work)
        for each in (self.tasks, worker.asking):
            each.add(task)
            task.add_done_callback(each.discard)

    # --- what happens ------------------------------------------------------------------------

    async def befall(self) -> None:
        """What the case says."""
        third = self.options.seconds / 3
        case = self.options.case
        await asyncio.sleep(third)
        if case == "dying":
            dead = self.serving[::20]
            self.serving = [node for node in self.serving if node not in dead]
            for node in dead:
                for worker in self.nodes[node]:
                    worker.die()
                    for task in list(worker.asking):
                        self.counts["lost with their node"] += 1
                        task.cancel()
        if case == "region":
            self.windows[0].is_up = False
        self.books.slower = 10.0 if case == "slow" else 1.0
        self.books.is_away = case == "away"
        await asyncio.sleep(third)
        self.books.slower, self.books.is_away = 1.0, False
        if not self.windows[0].is_up:
            self.windows[0].is_up = True
            for node in self.serving[::REGIONS]:
                for worker in self.nodes[node]:
                    worker.admission.returned()

    async def look(self) -> None:
        """Note every five seconds what is leased, and how much of it nobody uses."""
        while True:
            await asyncio.sleep(5.0)
            leased = used = 0
            dead = sum(
                each.amount_nanos
                for workers in self.nodes for worker in workers if not worker.is_alive
                for of in self.books.held_by.get(worker.name, ())
                if (each := self.books.leases[of][worker.name])
            )  # fmt: skip
            leased = sum(self.books.leased.values())
            for workers in self.nodes:
                for worker in workers:
                    if worker.is_alive:
                        used += worker.used()
            rows = sum(map(len, self.books.held_by.values()))
            self.idle.append((self.loop.at, leased - used - dead, rows, dead))

    async def run(self) -> None:
        """Simulate."""
        spread = self.options.flush_s / max(1, len(self.nodes) * WORKERS)
        starts = [
            self.loop.create_task(worker.start(number * spread))
            for number, worker in enumerate(itertools.chain(*self.nodes))
        ]
        await asyncio.gather(*starts)
        besides = [self.loop.create_task(self.befall()), self.loop.create_task(self.look())]
        await self.ask()
        for task in besides:
            task.cancel()

    # --- what came of it ---------------------------------------------------------------------

    def found(self) -> dict[str, float]:
        """The numbers."""
        books, seconds = self.books, self.loop.at
        times = sorted(books.turn_times) or [0.0]
        waits = sorted(self.waits) or [0.0]
        dead = [each for each in itertools.chain(*self.nodes) if not each.is_alive]
        over = [
            self.most[rank] / limits.requests
            for rank, caller in self.callers.items()
            if (limits := caller.limits) is not None and limits.requests and self.most[rank] > 9
        ]
        _, idle, rows, of_dead = self.idle[-1] if self.idle else (0.0, 0, 0, 0)
        return {
            "requests": self.sent,
            **{name: self.counts[name] for name in sorted(self.counts)},
            "refused in the second half": self.late,
            "waited for a turn, p99 s": waits[len(waits) * 99 // 100],
            "waited for a turn, longest s": waits[-1],
            "turns a second": books.turns / seconds,
            "accounts a turn": books.accounts_in_turns / max(1, books.turns),
            "entries": books.entries,
            "turn, median s": statistics.median(times),
            "turn, p99 s": times[len(times) * 99 // 100],
            "turns out of time": books.timeouts,
            "reads a second": books.reads / seconds,
            "rows of leases written a second": books.lease_rows / seconds,
            "rows of leases": rows,
            "processors busy": books.busy_s / seconds,
            "leased and idle, $": idle / 1e9,
            "leased by the dead, $": of_dead / 1e9,
            "in journals of the dead": sum(each.ledger.waiting for each in dead),
            "limits, most of one in 60 s (1: all of it)": max(over, default=0.0),
            "limits, median": statistics.median(over) if over else 0.0,
            "calls of shared state": sum(each.calls for each in self.windows),
        }


@contextlib.contextmanager
def in_memory(books: Books) -> Iterator[None]:
    """Have the ledger's turns made with these books."""
    turning = cast("Any", ledger_sync)
    before = turning.store, turning.leasing
    turning.store = turning.leasing = books
    try:
        yield
    finally:
        turning.store, turning.leasing = before


def simulated(options: FleetOptions) -> dict[str, float]:
    """What a simulation comes to."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    loop = JumpingLoop()
    try:
        fleet = Fleet(options, loop)
        with in_memory(fleet.books):
            loop.run_until_complete(fleet.run())
            found = fleet.found()
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    finally:
        loop.close()
    return found


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", choices=CASES, action="append")
    for name, kind in (("nodes", int), ("keys", int), ("rate", float), ("seconds", float)):
        parser.add_argument(f"--{name}", type=kind, default=getattr(FleetOptions(), name))
    parser.add_argument("--skew", type=float, default=FleetOptions().skew)
    parser.add_argument("--seed", type=int, default=1)
    given = vars(parser.parse_args())
    cases = given.pop("case") or CASES
    columns = []
    for case in cases:
        began = time.process_time()
        found = simulated(FleetOptions(case=case, **given))
        if len(cases) > 1:
            print(case, found, file=sys.stderr, flush=True)
        columns.append(found | {"simulated in, s of CPU": time.process_time() - began})
    print(f"{'':44}" + "".join(f"{case:>12}" for case in cases))
    for name in dict.fromkeys(itertools.chain(*columns)):
        values = [column.get(name, 0) for column in columns]
        cells = (
            f"{value:12,.0f}" if value >= 100 or value == int(value) else f"{value:12.3g}"
            for value in values
        )
        print(f"{name:44}" + "".join(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
