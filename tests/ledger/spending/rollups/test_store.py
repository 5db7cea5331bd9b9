"""Sums of closed days are those of the days, whatever comes late and whoever makes them."""

import itertools
import random

import pytest
from sqlalchemy import text

from ledger.spending.test_store import DAY_S, EVER, OF, book, detail, people, settled
from trivium.ledger.spending import store as spending
from trivium.ledger.spending.model import SpendScope
from trivium.ledger.spending.rollups import store
from trivium.ledger.spending.rollups.model import (
    DayRun,
    RollupShape,
    RollupWindow,
    windows_ending,
)
from trivium.storage.schema.spending import spend_closed, spend_days, spend_late, spend_rollups

pytestmark = pytest.mark.asyncio
FIRST = 20_016
"""Day of the first entry."""
LAST = FIRST + 83
PLAIN = (OF.DAY, OF.PAYER, OF.TEAM, OF.USER, OF.KEY, OF.MODEL, OF.CHANNEL)


async def spent(database, clock, count=200, seed=1):
    """Entries of some weeks by two accounts, three teams, several keys, models and channels."""
    ada, eve = await people(database, clock)
    chance = random.Random(seed)
    batch = [
        settled(
            chance.choice((ada, eve)),
            seed * 10_000 + number,
            chance.randint(FIRST, LAST) * DAY_S + chance.randrange(DAY_S),
            detail(
                model=f"m{chance.randrange(3)}",
                channel=f"c{chance.randrange(2)}",
                key=chance.randint(1, 6),
                team=chance.randrange(3),
                user=chance.choice((ada, eve)),
            ),
        )
        for number in range(count)
    ]
    await book(database, batch)
    async with database.write() as conn:  # all of them are noted: there is nothing to make anew
        await conn.execute(spend_late.delete())
    return ada, eve


async def roll(database, until=LAST):
    """Make all windows that end by a day, at once."""
    async with database.write(300.0) as conn:
        closed = await store.last_closed(conn)
        for window in windows_ending(FIRST - 1 if closed < 0 else closed, until):
            await store.make(conn, window)
        await store.close(conn, until)


async def kept(database):
    """What a table of windows has, row by row."""
    async with database.read() as conn:
        return sorted(tuple(row) for row in await conn.execute(spend_rollups.select()))


async def said(database, *by, scope=EVER, limit=1_000):
    async with database.read() as conn:
        rows = await spending.grouped(conn, scope, by, limit)
    return {row.values: row.sums for row in rows}


SCOPES = (
    {},
    {"since": FIRST + 3, "until": FIRST + 61},
    {"since": FIRST + 17, "until": FIRST + 17},
    {"team_ids": (1, 2)},
    {"user_id": "eve"},
    {"payer_id": "ada", "since": FIRST + 1, "until": FIRST + 80},
    {"payer_group": "", "until": LAST + 10},
)


@pytest.mark.parametrize("given", SCOPES)
async def test_statements_are_the_same_with_them_as_without(database, clock, given):
    """By one and by two dimensions, of all and of some, within any days; by the same rows."""
    ada, eve = await spent(database, clock)
    names = {"ada": ada, "eve": eve}
    given = {name: names.get(of, of) if isinstance(of, str) else of for name, of in given.items()}
    scope = SpendScope(**({"since": FIRST, "until": LAST} | given))
    pairs = [(each,) for each in PLAIN]
    pairs += random.Random(str(given)).sample(list(itertools.combinations(PLAIN, 2)), 4)
    pairs += [(OF.TAG, OF.KEY), (OF.KEY, OF.MODEL, OF.DAY)]
    before = {by: await said(database, *by, scope=scope) for by in pairs}
    async with database.read() as conn:
        whole = await spending.total(conn, scope)
    assert whole.requests
    await roll(database, FIRST + 80)
    async with database.read() as conn:
        assert whole == await spending.total(conn, scope)
        ids = await spending.spent_by(conn, scope, OF.USER, [ada, eve, 999])
    assert whole.nanos == sum(ids.values())
    for by in pairs:
        assert before[by] == await said(database, *by, scope=scope), by
    # and from nothing else, where all that is asked for is closed
    async with database.write() as conn:
        await conn.execute(spend_days.delete().where(spend_days.c.day <= FIRST + 80))
    if scope.until <= FIRST + 80 and scope.since >= FIRST:
        assert before[OF.TEAM,] == await said(database, OF.TEAM, scope=scope)


async def test_what_comes_late_is_told_at_once(database, clock):
    """Before the windows with it are made anew, and after; and nothing else is made anew."""
    ada, eve = await spent(database, clock)
    await roll(database)
    for number, day in enumerate((FIRST + 5, FIRST + 70, FIRST + 5)):
        more = 10**6 * (number + 1)
        wanted = await said(database, OF.USER)
        at = day * DAY_S
        await book(database, [settled(eve, more, at, detail(user=ada, model="new"))])
        wanted[ada,] = wanted[ada,]._replace(
            nanos=wanted[ada,].nanos + more,
            requests=wanted[ada,].requests + 1,
            input_tokens=wanted[ada,].input_tokens + 4,
            output_tokens=wanted[ada,].output_tokens + 2,
        )
        assert wanted == await said(database, OF.USER)
        async with database.write() as conn:
            assert 1 == await store.take_late(conn, LAST, 50)
            assert 0 == await store.take_late(conn, LAST, 50)
        assert wanted == await said(database, OF.USER)
        async with database.read() as conn:
            assert [] == await store.differing(conn)
    mended = await kept(database)
    async with database.write() as conn:
        await conn.execute(spend_rollups.delete())
        await conn.execute(spend_closed.delete())
    await roll(database)
    assert mended == await kept(database)


async def test_what_was_over_long_ago_is_noted_with_its_account(database, clock):
    """Today's and yesterday's are not; a day of an account is noted once, however often."""
    ada, eve = await people(database, clock)
    today = int(spending._SYSTEM.now()) // DAY_S
    days = [today + 1, today, today - 1]
    await book(database, [settled(ada, n, day * DAY_S, detail()) for n, day in enumerate(days, 1)])
    async with database.read() as conn:
        assert [] == list(await conn.execute(spend_late.select()))
    for number in range(10, 14):
        await book(database, [settled(eve, number, (today - 2) * DAY_S, detail())])
    async with database.read() as conn:
        assert [(today - 2, eve, 4)] == list(await conn.execute(spend_late.select()))


async def test_late_days_are_read_one_by_one(database, clock):
    """And what is around them is not."""
    await spent(database, clock)
    await roll(database)
    async with database.write() as conn:
        await conn.execute(spend_late.insert().values(day=FIRST + 5, payer_id=1, times=1))
        shape, runs = await store.covered(conn, FIRST, LAST, ("team_id",))
        by_day, days = await store.covered(conn, FIRST, LAST, ("key_id", "day"))
        whole, few = await store.covered(conn, LAST - 1, LAST + 5, ("key_id", "model"))
    assert RollupShape.ANSWERS is shape
    assert DayRun(0, FIRST + 5, FIRST + 5) in runs
    assert {0, 1, 4, 64} <= {run.span for run in runs}
    assert (RollupShape.CALLERS, {0, 1}) == (by_day, {run.span for run in days})
    assert (RollupShape.WHOLE, {0}) == (whole, {run.span for run in few})


async def test_late_ones_while_windows_are_made(database, clock):
    """A part of a window is made, its account comes late, the rest is made, the day is closed."""
    ada, eve = await spent(database, clock)
    closing = FIRST + 31
    await roll(database, closing - 1)
    windows = windows_ending(closing - 1, closing)
    async with database.write() as conn:
        for window in windows:
            await store.make(conn, window, range(ada, ada + 1))
    await book(database, [settled(ada, 10**6, (FIRST + 30) * DAY_S, detail())])
    async with database.write() as conn:
        assert await store.take_late(conn, closing, 50)
    async with database.write() as conn:
        for window in windows:
            await store.make(conn, window, range(eve, eve + 1))
        await store.close(conn, closing)
    async with database.read() as conn:
        assert [] == await store.differing(conn)
        assert await store.last_closed(conn) == closing


async def test_a_wrong_window_is_found(database, clock):
    """With what it says and what its days say."""
    await spent(database, clock)
    await roll(database)
    async with database.write() as conn:
        assert [] == await store.differing(conn)
        wrong = RollupWindow(RollupShape.ANSWERS, 16, FIRST)
        is_it = "shape = 3 AND span = 16 AND day = :day AND model = 'm1' AND channel = 'c0'"
        query = f"UPDATE spend_rollups SET nanos = nanos + 7 WHERE {is_it} AND team_id = 0"
        assert 1 == (await conn.execute(text(query), {"day": FIRST})).rowcount
        ((window, nanos, true),) = await store.differing(conn)
    assert (wrong, true + 7) == (window, nanos)


async def test_one_makes_them_at_a_time(database):
    """The other one goes away, and does not wait."""
    async with database.write() as conn:
        assert await store.is_alone(conn)
        if not database.is_sqlite:
            async with database.write() as other:
                assert not await store.is_alone(other)
    async with database.write() as conn:
        assert await store.is_alone(conn)
        assert await store.next_day(conn, 0, 10**6) is None
        assert store.NEVER == await store.last_closed(conn)
