"""Budgets at their edges: where periods end and clocks go back, where the database comes and goes.

What every test looks at last is what is in the database: each counter is the sum of what was
answered in its period, and nothing stays leased.
"""

import asyncio
import contextlib
import random

import pytest

from ledger.budgets.test_store import DAY, budget, is_sound, row, take
from ledger.test_ledger_sync import sound
from trivium.clock import SystemClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger.budgets import store
from trivium.ledger.refusals import BudgetRefusal
from trivium.settings.budget import CounterId, Period
from trivium.storage.errors import StorageDown

DAY_S = 86_400
TODAY, TOMORROW = (CounterId("key:5", "day", DAY + day) for day in (0, DAY_S))


class SetClock(SystemClock):
    """The machine's clock, whose time of day can be set; durations stay what they are."""

    def __init__(self, at):
        self.set(at)

    def set(self, at):
        self.ahead = at - super().now()

    def now(self):
        return super().now() + self.ahead


@pytest.fixture
def at_midnight(database, worker):
    """Makes workers whose clocks are set to the last minute of a day, with turns of their own."""

    @contextlib.asynccontextmanager
    async def make(*names):
        clocks = [SetClock(DAY + DAY_S - 60) for _ in names]
        made = [
            worker(name, clock, flush_s=0.05) for name, clock in zip(names, clocks, strict=True)
        ]
        for each in made:
            each.turns.start()
        try:
            yield [*zip(made, clocks, strict=True)]
        finally:
            for each in made:
                await each.turns.close()

    return make


async def spend(worker, name, user_id, amount, limit):
    """A request that costs what was foreseen; whether it was let in."""
    try:
        hold = await take(worker, name, user_id, amount, limit)
    except BudgetRefusal:
        return False
    worker.ledger.settle(hold, Usage(output=amount))
    return True


@pytest.mark.asyncio
async def test_a_clock_that_is_set_back_opens_no_period_anew(database, account, at_midnight):
    """Back before midnight there is what was left of that day, and no more; nor is there more of
    the next when the clock goes on for the second time.
    """
    ada, limit = await account(10**6), budget(100, period=Period.DAY)
    async with at_midnight("one") as ((one, clock),), asyncio.timeout(60):
        assert await spend(one, "r1", ada, 60, limit)
        clock.set(DAY + DAY_S + 60)
        assert await spend(one, "r2", ada, 90, limit)
        assert not await spend(one, "r3", ada, 20, limit)
        clock.set(DAY + DAY_S - 30)
        assert not await spend(one, "r4", ada, 50, limit)
        assert await spend(one, "r5", ada, 40, limit)
        assert not await spend(one, "r6", ada, 1, limit)
        clock.set(DAY + DAY_S + 90)
        assert not await spend(one, "r7", ada, 11, limit)
        assert await spend(one, "r8", ada, 10, limit)
    assert [(100, 0), (100, 0)] == [await row(database, each) for each in (TODAY, TOMORROW)]
    assert await is_sound(database)


@pytest.mark.asyncio
async def test_workers_on_either_side_of_midnight(database, account, at_midnight):
    """Whose clocks differ: each day has its budget once, whoever begins it first."""
    ada, limit = await account(10**6), budget(1_000, period=Period.DAY)
    done = {TODAY: 0, TOMORROW: 0}
    async with at_midnight("one", "two") as made, asyncio.timeout(60):
        ahead = made[1][1]
        ahead.set(DAY + DAY_S + 1)

        async def caller(number):
            worker, clock = made[number % 2]
            if await spend(worker, f"r{number}", ada, 10, limit):
                done[TOMORROW if clock.now() >= DAY + DAY_S else TODAY] += 1

        await asyncio.gather(*(caller(number) for number in range(300)))
        made[0][1].set(DAY + DAY_S + 1)  # the other comes after it, and finds nothing left
        assert not await spend(made[0][0], "late", ada, 1, limit)
    assert {TODAY: 100, TOMORROW: 100} == done
    assert [(1_000, 0), (1_000, 0)] == [await row(database, each) for each in done]
    assert await is_sound(database)


@pytest.mark.asyncio
async def test_what_runs_over_midnight_counts_where_it_was_let_in(database, account, at_midnight):
    """However late it ends, and with what it costs beyond its hold."""
    ada, limit = await account(10**6), budget(100, period=Period.DAY)
    async with at_midnight("one") as ((one, clock),), asyncio.timeout(60):
        hold = await take(one, "r1", ada, 90, limit)
        clock.set(DAY + 2 * DAY_S - 1)
        assert await spend(one, "r2", ada, 100, limit)
        one.ledger.settle(hold, Usage(output=95))
    assert [(95, 0), (100, 0)] == [await row(database, each) for each in (TODAY, TOMORROW)]
    assert await is_sound(database)


class Unsteady:
    """A database that is away now and then: before a transaction, or at its commit, which may have
    been made all the same.
    """

    def __init__(self, database, seed):
        self.database = database
        self.chance = random.Random(seed)
        self.is_steady = False
        self.fell = 0

    def __getattr__(self, name):
        return getattr(self.database, name)

    def _falls(self):
        falls = not self.is_steady and self.chance.random() < 0.3
        self.fell += falls
        return falls

    @contextlib.asynccontextmanager
    async def read(self, limit_s=30.0):
        if self._falls():
            raise StorageDown("away")
        async with self.database.read(limit_s) as conn:
            yield conn

    @contextlib.asynccontextmanager
    async def write(self, limit_s=30.0):
        if self._falls():
            raise StorageDown("away")
        async with self.database.write(limit_s) as conn:
            yield conn
        if self._falls():
            raise StorageDown("gone at the commit")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.asyncio
async def test_a_database_that_comes_and_goes_at_the_edge(database, account, worker, seed, capsys):
    """Three workers, three budgets in each other: whoever is refused is refused for want of money
    or told to try again, nothing is spent twice, and all of it can be spent in the end.
    """
    ada, unsteady = await account(10**6), Unsteady(database, seed)
    budgets = (
        budget(500, "key:5", Period.MONTH),
        budget(400, "team:1", Period.DAY),
        budget(450, "team:0", Period.FIVE_HOURS),
    )
    done, told = [], []
    workers = [worker(name, SystemClock(), flush_s=0.02) for name in ("one", "two", "three")]
    for each in workers:
        each.turns._database = unsteady
        each.turns.start()

    async def caller(number, name):
        each = workers[number % 3]
        for again in range(40):
            try:
                hold = await take(each, f"{name}{number}-{again}", ada, 10, *budgets)
            except Fault as fault:
                told.append(fault.kind)
                if fault.kind is Kind.BUDGET_SPENT:
                    return
                await asyncio.sleep(0.02)
            else:
                each.ledger.settle(hold, Usage(output=10))
                done.append(number)
                return

    async with asyncio.timeout(90):
        await asyncio.gather(*(caller(number, "r") for number in range(60)))
        unsteady.is_steady = True
        for number in range(45):
            await caller(number, "s")
        for each in workers:
            await each.turns.close()
    assert unsteady.fell
    assert "settlement_refused" not in capsys.readouterr().out
    assert {Kind.BUDGET_SPENT} <= set(told) <= {Kind.BUDGET_SPENT, Kind.LEDGER_DOWN}
    assert 40 == len(done)
    for scope in ("team:0", "team:1", "key:5"):
        async with database.read() as conn:
            (found,) = (await store.counted(conn, [scope])).values()
        assert (400, 0) == found, scope
    assert await is_sound(database)
    assert await sound(database)
