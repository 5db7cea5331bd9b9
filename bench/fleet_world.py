"""What the simulation of a fleet stands on: time that jumps, books in memory, windows in memory.

A worker of it is the gateway's own code (``WorkerLedger``, ``LedgerSync``, ``Admission``, ``Meter``):
what it leases, waits for, gives back and refuses is decided by what decides it in a gateway. In the
place of the database there are ``Books``, which do as ``ledger/store.py`` and ``ledger/leases/store.py``
do, with locks of accounts, a time for each transaction and each row, and so many processors; in the
place of Valkey ``RegionWindows``; and the loop's time jumps to the next thing that is due.
"""

import asyncio
import contextlib
import selectors
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from trivium.admission.meter import MINUTE_S, Meter
from trivium.admission.shared import AdmissionVerdict, MeterCounts, Unreachable
from trivium.ledger.leases.store import NONE, Lease, stands
from trivium.ledger.model import LeaseRequest, LeaseState, Settlement
from trivium.storage.errors import StorageDown

EPOCH = 1_790_000_040.0
"""The second at which simulations begin: that of a minute."""
ANSWER_S = 0.0005
"""One answer of the shared state."""


class _Jump(selectors.SelectSelector):
    """Waits for nothing: time moves on by what would have been waited."""

    loop: "JumpingLoop"

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("nothing is due any more")
        self.loop.at += max(0.0, timeout)
        return []


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what is simulated. What is given to threads runs at once."""

    def __init__(self) -> None:
        self.at = 0.0
        selector = _Jump()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.at

    def run_in_executor(  # type: ignore[override] # of one kind of executor
        self, executor: None, func: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        del executor
        done = self.create_future()
        done.set_result(func(*args))
        return done


class LoopClock:
    """The clock of a simulation."""

    def __init__(self, loop: JumpingLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return EPOCH + self._loop.at

    def monotonic(self) -> float:
        return self._loop.at


class NoJournal:
    """A journal that takes everything and costs nothing."""

    is_full = gathers = False

    def __init__(self, worker: str) -> None:
        self.worker = worker

    def hold(self, hold: object, nanos: int, at: int) -> None:
        """Take a hold."""

    def settle(self, settled: object) -> None:
        """Take a settlement."""

    def release(self, request_id: str) -> None:
        """Take a release."""

    def close(self, *, keep: bool) -> None:
        """Nothing is open."""


class DatabaseTimes(msgspec.Struct, kw_only=True):
    """What a transaction takes, in seconds."""

    turn_s: float = 0.001
    """Of the server's processors, however little is in it."""
    row_s: float = 0.00016
    """More for each account in it, with its lease and its sums."""
    entry_s: float = 0.00006
    """More for each entry."""
    trips_s: float = 0.0025
    """Between its statements, on the network; locks are held meanwhile."""
    booking_trips_s: float = 0.0015
    """The same of the statements that book."""
    commit_s: float = 0.0015
    """For its log to be on the disk; locks are held meanwhile."""
    read_s: float = 0.0003
    processors: int = 16


class _Transaction:
    """The accounts that one has locked."""

    def __init__(self, books: "Books") -> None:
        self._books = books
        self._locked: list[int] = []

    async def lock(self, of: int) -> None:
        locks = self._books.locks
        waiting = locks.get(of)
        if waiting is None:
            locks[of] = deque()
        else:
            turn = asyncio.get_running_loop().create_future()
            waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._locked.append(of)  # it was given just now: ``free`` hands it on
                raise
        self._locked.append(of)

    def free(self) -> None:
        locks = self._books.locks
        for of in self._locked:
            waiting = locks[of]
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    break
            else:
                del locks[of]


class Books:
    """Accounts and leases; a ``Database``, ``ledger/store.py`` and ``ledger/leases/store.py`` at once."""

    is_sqlite = False

    def __init__(self, times: DatabaseTimes) -> None:
        self.times = times
        self.slower = 1.0
        self.is_away = False
        self.balances: dict[int, int] = {}
        self.leased: dict[int, int] = {}
        self.leases: dict[int, dict[str, Lease]] = {}
        self.held_by: dict[str, dict[int, None]] = {}
        self.called_on: dict[str, dict[int, None]] = {}
        """Of each worker what others have called for."""
        self.renewed: dict[str, float] = {}
        self.locks: dict[int, deque[asyncio.Future[None]]] = {}
        self._processors = asyncio.Semaphore(times.processors)
        self.turns = self.accounts_in_turns = self.entries = self.reads = self.timeouts = 0
        self.lease_rows = 0
        """Rows of leases written."""
        self.busy_s = 0.0
        self.turn_times: list[float] = []

    # --- Database ----------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def write(self, limit_s: float = 30.0) -> AsyncIterator[_Transaction]:
        """A transaction. Raises ``StorageDown``."""
        if self.is_away:
            raise StorageDown("away")
        transaction = _Transaction(self)
        try:
            async with asyncio.timeout(limit_s):
                yield transaction
        except TimeoutError:
            self.timeouts += 1
            raise StorageDown("no answer in time") from None
        finally:
            transaction.free()

    @contextlib.asynccontextmanager
    async def read(self, limit_s: float = 30.0) -> AsyncIterator[_Transaction]:
        """A transaction that reads. Raises ``StorageDown``."""
        self.reads += 1
        async with self.write(limit_s) as transaction:
            await self._work(self.times.read_s)
            yield transaction

    async def now(self) -> float | None:
        """The machine's own time."""
        return None

    # --- ledger/store.py ---------------------------------------------------------------------

    async def turn(
        self,
        conn: _Transaction,
        worker: str,
        settlements: Sequence[Settlement],
        wishes: Mapping[int, LeaseRequest],
        *,
        repeated: bool = True,
    ) -> dict[int, LeaseState]:
        """As ``store.turn``, of accounts."""
        del repeated
        began = asyncio.get_running_loop().time()
        costs: dict[int, int] = {}
        for settled in settlements:
            costs[settled.user_id] = costs.get(settled.user_id, 0) + settled.cost_nanos
        of_all = sorted(costs.keys() | wishes.keys())
        for of in of_all:
            await conn.lock(of)
        times = self.times
        await self._work(
            times.turn_s + times.row_s * len(of_all) + times.entry_s * len(settlements)
        )
        trips_s = times.trips_s + (times.booking_trips_s if settlements else 0.0)
        await asyncio.sleep((trips_s + times.commit_s) * self.slower)
        if self.is_away:
            raise StorageDown("gone before its commit")
        self.turns += 1
        self.accounts_in_turns += len(of_all)
        self.entries += len(settlements)
        outcome: dict[int, LeaseState] = {}
        short = []
        for of in of_all:
            spent = costs.get(of, 0)
            wanted = wishes.get(of)
            if wanted is not None:
                lease = self.leases.get(of, {}).get(worker, NONE)
                pool = self.balances[of] - spent - self.leased.get(of, 0) + lease.amount_nanos
                standing = outcome[of] = stands(wanted, lease, pool)
                self._set(worker, of, lease, standing, yields=wanted.yields)
                if wanted.need + wanted.room > pool and (wanted.awaited or wanted.room):
                    short.append(of)
            self.balances[of] -= spent
        for of in short:
            outcome[of] = self._call(worker, of, wishes[of], outcome[of])
        self.turn_times.append(asyncio.get_running_loop().time() - began)
        return outcome

    async def wanted(self, conn: _Transaction, worker: str) -> list[int]:
        """As ``store.wanted``."""
        del conn
        return list(self.called_on.get(worker, ()))

    async def give_back(self, conn: _Transaction, worker: str, silent_s: int = -1) -> int:
        """As ``store.give_back``."""
        if silent_s >= 0 and self.renewed.get(worker, 0) >= self._second() - silent_s:
            return 0
        held = sorted(self.held_by.get(worker, ()))
        for of in held:
            await conn.lock(of)
        await self._work(self.times.row_s * len(held))
        for of in held:
            lease = self.leases[of].pop(worker)
            self.leased[of] -= lease.amount_nanos
        self.lease_rows += len(held)
        self.held_by.pop(worker, None)
        self.called_on.pop(worker, None)
        self.renewed.pop(worker, None)
        return len(held)

    # --- ledger/leases/store.py --------------------------------------------------------------

    async def renew(self, conn: _Transaction, worker: str, older_s: int = 0) -> None:
        """As ``leasing.renew``, of all at once."""
        del conn, older_s
        if worker in self.held_by:
            self.renewed[worker] = self._second()

    async def silent_workers(self, conn: _Transaction, lease_s: int) -> list[str]:
        """As ``leasing.silent_workers``."""
        del conn
        before = self._second() - lease_s
        return [worker for worker, at in self.renewed.items() if at < before]

    # --- own ---------------------------------------------------------------------------------

    def _second(self) -> float:
        return asyncio.get_running_loop().time()

    async def _work(self, seconds: float) -> None:
        async with self._processors:
            self.busy_s += seconds * self.slower
            await asyncio.sleep(seconds * self.slower)

    def _set(
        self, worker: str, of: int, lease: Lease, standing: LeaseState, *, yields: bool
    ) -> None:
        self.leased[of] = self.leased.get(of, 0) + standing.leased - lease.amount_nanos
        answers = lease.is_wanted and yields
        if answers or not standing.leased:
            self.called_on.get(worker, {}).pop(of, None)
        if not standing.leased:
            if self.leases.get(of, {}).pop(worker, None) is not None:
                self.held_by[worker].pop(of, None)
                self.lease_rows += 1
        elif answers or standing.leased != lease.amount_nanos:
            answered = lease.called if answers else lease.answered
            self.leases.setdefault(of, {})[worker] = Lease(standing.leased, lease.called, answered)
            self.held_by.setdefault(worker, {})[of] = None
            self.renewed.setdefault(worker, self._second())
            self.lease_rows += 1

    def _call(self, worker: str, of: int, wish: LeaseRequest, standing: LeaseState) -> LeaseState:
        """As ``leasing.called``."""
        others = {name: each for name, each in self.leases.get(of, {}).items() if name != worker}
        last = max((max(each.called, each.answered) for each in others.values()), default=0)
        number = wish.round or last + 1
        silent = [name for name, each in others.items() if each.answered < number]
        for name in silent:
            if others[name].called < number:
                self.leases[of][name] = others[name]._replace(called=number)
                self.called_on.setdefault(name, {})[of] = None
                self.lease_rows += 1
        return msgspec.structs.replace(
            standing,
            others=sum(each.amount_nanos for each in others.values()),
            is_final=not silent,
            round=number,
        )


class RegionWindows:
    """The windows of a region: ``admission.service.SharedWindows``, as its scripts count."""

    def __init__(self, clock: LoopClock) -> None:
        self._clock = clock
        self._meters: dict[str, Meter] = {}
        self.is_up = True
        self.calls = 0

    async def admit(self, request_id: str, meters: list[Meter], tokens: int) -> AdmissionVerdict:
        """Count in all meters or in none. Raises ``Unreachable``."""
        del request_id
        await asyncio.sleep(ANSWER_S)
        if not self.is_up:
            raise Unreachable("away")
        self.calls += 1
        now = self._clock.now()
        minute = int(now // MINUTE_S)
        into = now - minute * MINUTE_S
        own = [self._meter(meter) for meter in meters]
        fitting = [
            each.fits(minute, into, tokens) for each in own
        ]  # it moves each on to the minute
        is_granted = all(fitting)
        if is_granted:
            for each in own:
                each.take(tokens)
        counts = [
            MeterCounts(each.requests, each.requests_before, each.tokens, each.tokens_before, 0)
            for each in own
        ]
        return AdmissionVerdict(is_granted, minute, into, counts)

    def leave(self, request_id: str, meters: list[Meter], minute: int, more: int) -> None:
        """Requests leave nothing behind where tokens and slots are not limited."""
        del request_id, meters, minute, more
        self.calls += self.is_up

    def count(self, missed: Iterable[Any]) -> None:
        """Add what workers let in alone."""
        minute = int(self._clock.now() // MINUTE_S)
        for each in missed:
            meter = self._meter(each.meter)
            meter.roll(minute)
            meter.requests += each.own[0]
            meter.requests_before += each.own[1]

    def renew(self, running: object) -> None:
        """No slots are limited."""

    def _meter(self, of: Meter) -> Meter:
        meter = self._meters.get(of.name)
        if meter is None:
            meter = self._meters[of.name] = Meter(of.subject, of.name, of.limits)
        return meter


NOWHERE = Path("/nonexistent")
"""Where no dead worker of this machine has left a journal."""
