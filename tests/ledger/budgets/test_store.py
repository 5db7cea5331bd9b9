"""Budgets on a real database: leased exactly, counted once, recalled, slid along."""

import asyncio
import time

import msgspec
import pytest
from sqlalchemy import select, update

from ledger.conftest import payer, quote
from ledger.test_pressure import running  # noqa: F401 - a fixture
from trivium.clock import SystemClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger.budgets import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import LeaseRequest, Settlement
from trivium.ledger.refusals import BudgetRefusal
from trivium.ledger.store import turn
from trivium.settings.budget import Budget, CounterId, Period
from trivium.storage.schema.budgets import budget_counters, budget_leases, budget_spans

DAY = int(time.time()) // 86_400 * 86_400
KEY = CounterId("key:5", "day", DAY)
TEAM = CounterId("team:1", "total", 0)
WINDOW = CounterId("key:5", "5h", 0)
DETAIL = '{"model":"m","key":5,"end":"","usage":{}}'


def budget(amount, scope="key:5", period=Period.TOTAL, **more):
    return Budget(amount_nanos=amount, period=period, scope=scope, **more)


def settled(name, cost, *counters, user_id=1, at=DAY, detail=DETAIL):
    return Settlement(name, user_id, cost, at, "", detail, counters)


def wish(limit, need=0, **more):
    return LeaseRequest(0, need, 0, (need,) if need else (), limit=limit, **more)


async def row(database, counter):
    """What is spent and leased of a counter."""
    async with database.read() as conn:
        return (await store.counted(conn, [counter.scope])).get(counter)


async def is_sound(database):
    """Whether every counter's leased amount is the sum of its leases."""
    async with database.read() as conn:
        leased = {}
        for each in await conn.execute(select(budget_leases)):
            leased[each.counter_id] = leased.get(each.counter_id, 0) + each.amount_nanos
        rows = (await conn.execute(select(budget_counters))).all()
    return {each.id: each.leased_nanos for each in rows if each.leased_nanos} == leased


async def take(worker, name, user_id, amount, *budgets, unlimited=False):
    asked = name, payer(user_id, unlimited=unlimited), quote(amount), budgets
    return worker.ledger.hold(*asked) or await worker.ledger.lease(*asked)


@pytest.mark.asyncio
async def test_a_settlement_counts_against_all_its_budgets_once(database, account):
    """However often its turn is repeated."""
    ada = await account(100)
    for _ in range(2):
        async with database.write() as conn:
            await turn(conn, "w", [settled("r1", 7, KEY, TEAM, user_id=ada)], {})
    async with database.write() as conn:
        await turn(conn, "w", [settled("r2", 5, TEAM, user_id=ada)], {})
    assert (7, 0) == await row(database, KEY)
    assert (12, 0) == await row(database, TEAM)
    assert 88 == await Entries(database, None).balance(ada)


@pytest.mark.asyncio
async def test_workers_lease_no_more_than_a_budget_has(database, account):
    """What one has leased the other cannot; what is spent nobody can."""
    ada = await account(100)
    async with database.write() as conn:
        await turn(conn, "one", [settled("r1", 30, TEAM, user_id=ada)], {TEAM: wish(100, 50)})
    async with database.write() as conn:
        standing = (await turn(conn, "two", [], {TEAM: wish(100, 40)}))[TEAM]
    assert (0, 20, 50) == (standing.leased, standing.pool, standing.others)
    async with database.write() as conn:
        assert 20 == (await turn(conn, "two", [], {TEAM: wish(100, 20)}))[TEAM].leased
    assert (30, 70) == await row(database, TEAM)
    assert await is_sound(database)


@pytest.mark.parametrize("unlimited", [False, True])
@pytest.mark.asyncio
async def test_two_workers_never_overspend_nested_budgets(database, account, running, unlimited):  # noqa: F811
    """Five of them and four hundred requests at once; not one is refused for what is there."""
    ada = await account(0 if unlimited else 10**6)
    budgets = (
        budget(1_000, "key:5"),
        budget(1_500, "member:2", Period.MONTH),
        budget(1_200, "team:1", Period.WEEK),
        budget(1_100, "team:9", Period.DAY),
        budget(5_000, "team:0", Period.FIVE_HOURS),
    )
    done = []

    async def one(worker, number):
        try:
            hold = await take(worker, f"r{number}", ada, 10, *budgets, unlimited=unlimited)
        except Fault as fault:
            assert fault.kind is Kind.BUDGET_SPENT  # noqa: PT017 - of many
            return
        await asyncio.sleep(0)
        worker.ledger.settle(hold, Usage(output=10))
        done.append(number)

    async with running("one", "two") as workers, asyncio.timeout(120):
        await asyncio.gather(*(one(workers[number % 2], number) for number in range(400)))
        # what was refused while it was held elsewhere fits now
        for number in range(400, 520):
            await one(workers[number % 2], number)
    assert 100 == len(done)
    assert 1_000 == (await row(database, CounterId("key:5", "total", 0)))[0]
    assert 1_000 == (await row(database, CounterId("team:0", "5h", 0)))[0]
    assert await is_sound(database)


@pytest.mark.asyncio
async def test_a_refusal_names_the_budget_and_leaves_nothing_held(database, account, running):  # noqa: F811
    """Neither of the account nor of the other budgets."""
    ada = await account(10**6)
    small, large = budget(50, "team:1", whose="the team research"), budget(10**6, "key:5")
    async with running("one") as (one,), asyncio.timeout(30):
        with pytest.raises(BudgetRefusal, match="The budget of the team research does not") as no:
            await take(one, "r1", ada, 60, large, small)
        assert small is no.value.budget
        with pytest.raises(BudgetRefusal):
            await take(one, "r2", ada, 60, large, small)
        hold = await take(one, "r3", ada, 50, large, small)
        one.ledger.settle(hold, None)
        assert 10**6 == (await take(one, "r4", ada, 10**6, large)).amount_nanos


@pytest.mark.asyncio
async def test_an_account_that_cannot_pay_leaves_budgets_alone(database, account, running):  # noqa: F811
    """It is told of its balance."""
    ada = await account(10)
    async with running("one") as (one,), asyncio.timeout(30):
        with pytest.raises(Fault) as no:
            await take(one, "r1", ada, 60, budget(60))
        assert Kind.BALANCE_TOO_LOW is no.value.kind
        assert 10 == (await take(one, "r2", ada, 10, budget(10))).amount_nanos


@pytest.mark.asyncio
async def test_a_cost_above_its_hold_counts_whole(database, account, running):  # noqa: F811
    """The overshoot is what the one request cost beyond its hold; the next is refused."""
    ada = await account(10**6)
    limit = budget(100)
    async with running("one") as (one,), asyncio.timeout(30):
        one.ledger.settle(await take(one, "r1", ada, 90, limit), Usage(output=250))
        with pytest.raises(BudgetRefusal):
            await take(one, "r2", ada, 1, limit)
    assert (250, 0) == await row(database, CounterId("key:5", "total", 0))


@pytest.mark.asyncio
async def test_soft_budgets_count_and_refuse_nobody(database, account, running):  # noqa: F811
    """People are told of them once, at four fifths and at the whole."""
    ada = await account(10**6)
    limit = budget(100, soft=True)
    told = []
    async with running("one") as (one,), asyncio.timeout(30):
        one.ledger.crossed = lambda of, level: told.append((of.scope, level))
        for number in range(15):
            one.ledger.settle(await take(one, f"r{number}", ada, 10, limit), Usage(output=10))
            while len(told) < (number >= 7) + (number >= 9):
                await asyncio.sleep(0.02)
    assert (150, 0) == await row(database, CounterId("key:5", "total", 0))
    assert [("key:5", 80), ("key:5", 100)] == told


@pytest.mark.asyncio
async def test_two_workers_tell_once_of_a_keys_budget(database, account, running):  # noqa: F811
    """Whichever of them took it to a level, in each period anew."""
    ada = await account(10**6)
    told = []
    async with running("one", "two") as workers, asyncio.timeout(60):
        for worker in workers:
            worker.ledger.crossed = lambda of, level: told.append((of.period, level))
        for period in (Period.TOTAL, Period.MONTH):
            limit = budget(100, period=period)
            for number in range(10):
                name, at = f"{period.value}-{number}", workers[number % 2]
                at.ledger.settle(await take(at, name, ada, 10, limit), Usage(output=10))
                while len([1 for each, _ in told if each is period]) < (number >= 7) + (
                    number >= 9
                ):
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
    levels = [(period, level) for period in (Period.TOTAL, Period.MONTH) for level in (80, 100)]
    assert levels == told


@pytest.mark.asyncio
async def test_a_dead_workers_requests_count(database, account, worker):
    """Settled and interrupted ones, from its journal; its leases of budgets are freed."""
    ada = await account(10**6)
    limit = budget(1_000)
    dead = worker("dead", SystemClock(), interrupted="hold")
    task = asyncio.ensure_future(take(dead, "r1", ada, 100, limit))
    while not task.done():
        await asyncio.sleep(0.01)
        await dead.turns.ask()
    dead.ledger.settle(await task, Usage(output=40))
    assert dead.ledger.hold("r2", payer(ada), quote(30), (limit,)) is not None
    dead.die()
    assert (0, 0) < await row(database, CounterId("key:5", "total", 0))
    await worker("next", SystemClock()).turns.recover()
    assert (70, 0) == await row(database, CounterId("key:5", "total", 0))
    assert 10**6 - 70 == await Entries(database, None).balance(ada)


@pytest.mark.asyncio
async def test_nothing_is_leased_of_what_is_not_counted_yet(database, account):
    """Of a budget that was given in the middle of its period; what is settled counts meanwhile."""
    ada = await account(1_000)
    async with database.write() as conn:
        rows = [settled("r1", 7, KEY, user_id=ada)]
        first = (await turn(conn, "w", rows, {KEY: wish(100, 5, since=DAY)}))[KEY]
        later = (await turn(conn, "w", [], {KEY: wish(100, 9, since=DAY + 5)}))[KEY]
    assert (True, 5) == (first.is_counted, first.leased)
    assert (False, 0) == (later.is_counted, later.leased)
    assert (7, 0) == await row(database, KEY)
    async with database.write() as conn:
        (given,) = (budget(100, period=Period.DAY, since=DAY + 5),)
        assert 0 == await store.set_aside(conn, (KEY,), 5, (given,))
        soft = msgspec.structs.replace(given, soft=True)
        assert None is await store.set_aside(conn, (KEY,), 5, (soft,))


@pytest.mark.asyncio
async def test_windows_let_go_of_what_is_old(database, account):
    """Step by step; what is told is when the first leaves."""
    ada = await account(1_000)
    now = int(time.time())
    steps = [(now - 3 * 3600, 30), (now - 60, 5), (now, 2)]
    rows = [
        settled(f"r{number}", cost, WINDOW, user_id=ada, at=at)
        for number, (at, cost) in enumerate(steps)
    ]
    async with database.write() as conn:
        await turn(conn, "w", rows, {})
        assert (37, 0) == (await store.counted(conn, ["key:5"]))[WINDOW]
        first = await store.resets_at(conn, WINDOW)
    assert now + 2 * 3600 <= first + 300 <= now + 2 * 3600 + 900
    async with database.write() as conn:  # as if it had been five hours ago
        old = budget_spans.c.starts_at < now - 3600
        moved = budget_spans.c.starts_at - 3 * 3600
        await conn.execute(update(budget_spans).where(old).values(starts_at=moved))
        standing = (await turn(conn, "w", [], {WINDOW: wish(40, 33)}))[WINDOW]
    assert (33, 33) == (standing.leased, standing.pool)
    assert (7, 33) == await row(database, WINDOW)


@pytest.mark.asyncio
async def test_a_clock_that_is_ahead_keeps_nothing_in_a_window(database, account):
    """What a worker booked an hour, or a thousand years, ahead leaves with what is booked now."""
    ada = await account(1_000)
    now = int(time.time())
    ahead = [
        settled(f"r{number}", 5, WINDOW, user_id=ada, at=at)
        for number, at in enumerate((now - 300, now + 300, now + 3600, 32_503_680_000))
    ]
    async with database.write() as conn:
        await turn(conn, "w", ahead, {})
        last = max(await conn.scalars(select(budget_spans.c.starts_at)))
    assert last <= time.time()
    assert (20, 0) == await row(database, WINDOW)


@pytest.mark.asyncio
async def test_leases_of_silent_workers_are_freed(database):
    """As those of accounts are."""
    async with database.write() as conn:
        await turn(conn, "w", [], {TEAM: wish(100, 60)})
    assert (0, 60) == await row(database, TEAM)
    async with database.write() as conn:
        assert 0 == await store.give_back(conn, "w", 3600)
        assert 1 == await store.give_back(conn, "w")
    assert (0, 0) == await row(database, TEAM)
    assert await is_sound(database)


@pytest.mark.asyncio
async def test_others_are_called_for_what_they_do_not_use(database):
    """And know by which budget."""
    async with database.write() as conn:
        await turn(conn, "one", [], {TEAM: msgspec.structs.replace(wish(100, 10), ahead=500)})
        await turn(conn, "two", [], {TEAM: wish(100, 95)})
        assert [TEAM] == await store.wanted(conn, "one")
        assert [] == await store.wanted(conn, "two")


@pytest.mark.asyncio
async def test_old_counters_are_swept(database):
    """All but the newest of a scope, and those of which somebody has leased, or that never end."""
    days = [CounterId("key:5", "day", DAY - 86_400 * back) for back in range(4)]
    alone = [CounterId("key:6", "day", DAY - 86_400 * 300), CounterId("key:5", "5h", 0), TEAM]
    async with database.write() as conn:
        for day in (*days, *alone):
            await turn(conn, "w", [], {day: wish(100, 1 if day is days[2] else 0)})
        assert 1 == await store.sweep(conn, "day", DAY - 86_400, 100)
        left = await store.counted(conn, ["key:5", "key:6", TEAM.scope])
        assert {*days, *alone} - {days[3]} == set(left)
        assert 0 == await store.sweep(conn, "day", DAY - 86_400, 100)


@pytest.mark.asyncio
async def test_a_hold_that_is_a_row_takes_room_until_it_ends(database):
    """All budgets or none; a soft one takes what comes."""
    both = (TEAM, KEY)
    async with database.write() as conn:
        hard = budget(100), budget(70)
        assert None is await store.set_aside(conn, both, 60, hard)
        assert 1 == await store.set_aside(conn, both, 30, hard)
        assert None is await store.set_aside(conn, both, 30, (budget(100), budget(70, soft=True)))
        await store.let_go(conn, both, 60, 45, DAY)
    assert (45, 30) == await row(database, TEAM)
    assert (45, 30) == await row(database, KEY)
