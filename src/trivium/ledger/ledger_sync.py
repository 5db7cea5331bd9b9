"""A worker's turns with the database: book what is settled, renew leases, see to the dead.

One turn at a time, in one task. A turn is made at once when somebody waits for an account, and
every ``flush_s`` for everything that was settled since. Any turn may fail and be repeated: it is
idempotent by request id, and it sets leases rather than adding to them. While the database is away,
settlements wait in memory and in the journal, and accounts spend what they have leased, until half
of ``lease_s`` has passed since the last turn: after all of it others may give the leases away.
"""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, Steady
from trivium.ledger.model import Holder, LeaseRequest, LeaseState, Settlement
from trivium.ledger.orphan_journals import OrphanJournal, orphan_journals
from trivium.ledger.worker import WorkerLedger
from trivium.settings.budget import CounterId
from trivium.settings.model import LedgerSettings
from trivium.storage.errors import Conflict, Rejected, StorageError
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.ledger import store
    from trivium.ledger.leases import store as leasing
    from trivium.ledger.recalls import store as recalling
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.ledger.store")
    leasing = LateModule("trivium.ledger.leases.store")
    recalling = LateModule("trivium.ledger.recalls.store")

BATCH: Final = 4000
"""Settlements a transaction, which costs about 1 ms beside them: with few a busy worker would book
more slowly than it settles.
"""
TURN_S: Final = 5.0
"""One turn. Callers wait for it, so a frozen database is told soon."""
PACE: Final = 4
"""A flush is followed by a pause of so many times what it took: an account that all workers of a
fleet have is locked by one of them after the other, and who comes sooner only waits for longer.
"""
PAUSE_S: Final = 1.0
"""After which a budget that could not be counted is counted again."""
PAUSE_S_MAX: Final = 10.0
"""Longest pause between tries while the database is away."""
LOOK_S: Final = 30.0
"""How often a worker says that it lives, and looks for the journals and leases of dead ones."""
RENEWED: Final = 8
"""A lease older than this part of ``lease_s`` is renewed then. A worker looks within a quarter of
it and relies on leases for half of it after a turn, so none of them is old enough to be freed.
"""
HEAR_S: Final = 1.0
"""How often a worker looks whether others want what it has leased."""
CLOSE_S: Final = 10.0
"""How long the end of a worker may take to book what it has."""

log = structlog.get_logger()


class LedgerSync:
    """Books what a worker has settled, and renews its leases, at intervals."""

    def __init__(
        self,
        database: "Database",
        ledger: WorkerLedger,
        folder: Path,
        limits: LedgerSettings,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``folder``: where journals are."""
        self._database = database
        self._ledger = ledger
        self._worker = ledger.journal.worker
        self._folder = folder
        self._flush_s = limits.flush_s
        self._fsync_s = limits.fsync_ms / 1000
        self._lease_s = limits.lease_s
        self._clock = clock
        self._steady = Steady(clock, limits.lease_s)
        self._sleep = sleep
        self._is_down = False
        self._doubted = 0
        """So many of the oldest settlements may be in the database although their turn failed."""
        self._keeps_journal = False
        self._finishing = -1
        """Settlements still to be booked before older journal files are done with; -1: none."""
        self._tasks: list[asyncio.Task[None]] = []
        self._recalls: dict[CounterId, asyncio.Task[None]] = {}
        """What is being counted of budgets that were given in the middle of their period."""

    async def recover(self) -> None:
        """Book what dead workers of this machine left in their journals, and free their leases.

        Raises what the database raises; the journals then stay for the next time.
        """
        try:
            found = await asyncio.to_thread(orphan_journals, self._folder, self._worker)
        except OSError as error:
            log.warning("journals_unreadable", error=str(error))
            return
        with contextlib.ExitStack() as locks:
            for leftover in found:
                locks.callback(leftover.close)  # or nobody, we included, could take it up again
            for leftover in found:
                await self._replay(leftover)

    def start(self) -> None:
        """Begin to take turns in the background."""
        loop = asyncio.get_running_loop()
        self._tasks.append(loop.create_task(self._run()))
        if self._fsync_s:
            self._tasks.append(loop.create_task(self._sync()))

    async def close(self, limit_s: float = CLOSE_S) -> None:
        """Book everything and give the leases back; what cannot be booked stays in the journal."""
        for task in (*self._tasks, *self._recalls.values()):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks = []
        is_whole = False
        with contextlib.suppress(TimeoutError, StorageError):
            async with asyncio.timeout(limit_s):
                while not await self.flush() or self._ledger.waiting:
                    await self._sleep(0.05)
                is_whole = not self._ledger.running and not self._keeps_journal
                if is_whole:
                    async with self._database.write() as conn:
                        await store.give_back(conn, self._worker)
        if not is_whole:
            log.warning("journal_kept", waiting=self._ledger.waiting, running=self._ledger.running)
        self._ledger.journal.close(keep=not is_whole)

    async def flush(self) -> bool:
        """Book everything that is settled; ``False`` when the database is away."""
        ledger = self._ledger
        if ledger.journal.is_full and self._finishing < 0:
            with contextlib.suppress(OSError):
                ledger.carry_on()
                self._finishing = ledger.waiting
        # only what is there now: while requests come in there is always more
        left = ledger.waiting
        holders = list(ledger.touched())
        while left or holders:
            batch = ledger.batch(min(BATCH, left))
            some, holders = set(holders[:BATCH]), holders[BATCH:]
            if not await self._turn(batch, some):
                ledger.touch(holders)
                return False
            left -= len(batch)
        return True

    async def ask(self) -> bool:
        """Renew what is waited for, without any booking; ``False`` when the database is away."""
        return await self._turn([], self._ledger.urgent())

    async def hear(self) -> bool:
        """See whether others want what is leased here and not used; ``False``: it is away."""
        if self._ledger.leased():
            try:
                async with self._database.read(TURN_S) as conn:
                    wanted = await store.wanted(conn, self._worker)
            except StorageError as error:
                self._fell(error)
                return False
            self._rose()
            self._ledger.yield_(wanted)
        return True

    async def look(self) -> None:
        """Keep our leases, look at idle ones, and see to what dead workers left."""
        async with self._database.write(TURN_S) as conn:
            await leasing.renew(conn, self._worker, int(self._lease_s / RENEWED))
        self._ledger.touch(self._ledger.idle())
        await self.flush()
        await self.recover()
        await self._sweep()

    # --- own ------------------------------------------------------------------------------------

    async def _turn(self, batch: list[Settlement], holders: set[Holder]) -> bool:
        try:
            await self._transact(batch, holders)
        except (Conflict, Rejected) as error:
            log.warning("settlements_booked_singly", error=str(error)[:500])
            if batch:
                return await self._book_singly(batch) and await self._turn([], holders)
            self._ledger.fail(holders)
            return True
        except StorageError as error:
            self._ledger.fail(holders)
            self._fell(error)
            return False
        self._rose()
        return True

    def _fell(self, error: StorageError) -> None:
        """The database is away. One log line a change of state."""
        if not self._is_down:
            log.warning("ledger_waits", error=str(error), waiting=self._ledger.waiting)
        self._is_down = True

    def _rose(self) -> None:
        if self._is_down:
            log.info("ledger_flows_again", waiting=self._ledger.waiting)
        self._is_down = False

    async def _transact(self, batch: list[Settlement], holders: set[Holder]) -> None:
        began = self._clock.monotonic()
        if began > self._ledger.trusted_until:
            # others may have been given what was leased here: none of it is relied on unseen
            holders = holders | self._ledger.leased()
        wishes = self._ledger.begin(batch, holders, steady=self._is_down)
        async with self._database.write(TURN_S) as conn:
            # until the commit has returned, its outcome is unknown
            doubted, self._doubted = self._doubted, max(self._doubted, len(batch))
            standings = await store.turn(conn, self._worker, batch, wishes, repeated=doubted > 0)
        self._doubted -= len(batch)  # a turn without them leaves them as they are
        self._ledger.trusted_until = began + self._lease_s / 2
        self._ledger.confirm(batch, standings)
        self._recall(wishes, standings)
        if self._finishing >= 0:
            self._finishing -= len(batch)
            if self._finishing <= 0:
                self._finishing = -1
                self._ledger.journal.done_with_older()

    def _recall(
        self, wishes: Mapping[Holder, LeaseRequest], standings: Mapping[Holder, LeaseState]
    ) -> None:
        """Have counted what is not yet."""
        for holder, standing in standings.items():
            if standing.is_counted or isinstance(holder, int) or holder in self._recalls:
                continue
            counting = self._count(holder, wishes[holder])
            self._recalls[holder] = asyncio.get_running_loop().create_task(counting)

    async def _count(self, counter: CounterId, asked: LeaseRequest) -> None:
        try:
            await recalling.recall(self._database, counter, asked.since, asked.payer)
        except StorageError as error:
            log.warning("budget_not_counted", budget=counter.scope, error=str(error))
            await self._sleep(PAUSE_S)
        except Exception:
            log.exception("budget_not_counted", budget=counter.scope)
            await self._sleep(PAUSE_S)
        finally:
            del self._recalls[counter]
        self._ledger.hurry(counter)

    async def _book_singly(self, batch: list[Settlement]) -> bool:
        """Book what can be booked of a batch that was refused; one bad row holds up no other."""
        for settled in batch:
            try:
                await self._transact([settled], set())
            except (Conflict, Rejected):
                self._keeps_journal = True
                self._ledger.drop(settled)
                self._doubted -= 1
                _tell_refused(settled)
            except StorageError:
                return False
        return True

    async def _replay(self, leftover: OrphanJournal) -> None:
        settlements = leftover.settlements
        refused = 0
        for start in range(0, len(settlements), BATCH):
            refused += await self._book(leftover.worker, settlements[start : start + BATCH])
        async with self._database.write() as conn:
            await store.give_back(conn, leftover.worker)
        try:
            await asyncio.to_thread(leftover.keep_damaged)
        except OSError as error:
            log.error("journal_kept_whole", worker=leftover.worker, error=str(error))  # noqa: TRY400 - it says all
            refused = max(1, refused)  # its damaged lines are nowhere else
        await asyncio.to_thread(leftover.set_aside if refused else leftover.remove)
        log.info(
            "journal_replayed",
            worker=leftover.worker,
            settlements=len(settlements) - leftover.interrupted,
            interrupted=leftover.interrupted,
            damaged=leftover.damaged,
            refused=refused,
        )

    async def _book(self, worker: str, settlements: list[Settlement]) -> int:
        """Book a dead worker's settlements; how many the database refuses for good."""
        try:
            async with self._database.write() as conn:
                await store.turn(conn, worker, settlements, {})
        except (Conflict, Rejected):
            if len(settlements) > 1:
                return sum([await self._book(worker, [settled]) for settled in settlements])
            _tell_refused(settlements[0])
            return 1
        return 0

    async def _sweep(self) -> None:
        """Free the leases of workers that have been silent for too long, wherever they ran."""
        if self._steady.jumped_s():
            return  # in a file the time is this machine's: all would look silent for as long
        silent_s = int(self._lease_s)
        async with self._database.read(TURN_S) as conn:
            silent = await leasing.silent_workers(conn, silent_s)
        for worker in silent:
            if worker == self._worker:
                continue
            async with self._database.write(TURN_S) as conn:
                freed = await store.give_back(conn, worker, silent_s)
            log.warning("leases_swept", worker=worker, leases=freed)

    async def _run(self) -> None:
        pause = self._flush_s
        flush_at = hear_at = self._clock.monotonic() + pause
        look_at = 0.0
        while True:
            due = min(flush_at, hear_at)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, due - self._clock.monotonic())):
                    await self._ledger.asked.wait()
            try:
                now = self._clock.monotonic()
                if now < due:
                    is_well = await self.ask()
                    if not is_well:
                        await self._sleep(0.05)
                    continue
                if now >= hear_at:
                    is_well = await self.hear()
                    hear_at = self._clock.monotonic() + (HEAR_S if is_well else PAUSE_S_MAX)
                if now < flush_at:
                    continue
                is_well = await self.flush()
                took = self._clock.monotonic() - now
                if is_well and now >= look_at:
                    look_at = now + min(LOOK_S, self._lease_s / 4)
                    await self.look()
                paced = max(self._flush_s, PACE * took) if is_well else 2 * pause
                pause = min(paced, max(self._flush_s, PAUSE_S_MAX))
            except StorageError as error:
                log.warning("ledger_look_failed", error=str(error))
            except Exception:
                # a ledger that stopped would go on to let requests run, unbooked
                log.exception("ledger_crashed")
                await self._sleep(1.0)
            flush_at = self._clock.monotonic() + pause

    async def _sync(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._sleep(self._fsync_s)
            try:
                await loop.run_in_executor(None, self._ledger.journal.sync)
            except OSError as error:
                log.warning("journal_sync_failed", error=str(error))


def _tell_refused(settled: Settlement) -> None:
    log.error(
        "settlement_refused",
        request_id=settled.request_id,
        user_id=settled.user_id,
        cost_nanos=settled.cost_nanos,
    )


def worker_name() -> str:
    """A name nobody else has: a journal's, and the owner of leases."""
    return os.urandom(8).hex()
