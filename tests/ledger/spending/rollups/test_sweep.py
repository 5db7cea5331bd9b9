"""Days are closed behind the writers, a part a transaction, within a budget."""

import pytest
from structlog.testing import capture_logs

from ledger.spending.rollups.test_store import FIRST, LAST, kept, said, spent
from ledger.spending.test_store import DAY_S, OF, book, detail, settled
from trivium.ledger.spending.rollups import store, sweep
from trivium.ledger.spending.rollups.sweep import RollupSweeper
from trivium.storage.schema.spending import spend_closed, spend_late, spend_rollups

pytestmark = pytest.mark.asyncio
NOW = (LAST - 20) * DAY_S


async def never(_):
    """No pause."""


async def test_days_that_are_over_for_long_enough_are_closed(sqlite_database, clock):
    """Two days remain open, and today; what was spent is the same, and a second round does nothing."""
    database = sqlite_database
    ada, _ = await spent(database, clock)
    before = await said(database, OF.TEAM, OF.MODEL)
    sweeper = RollupSweeper(database, clock, never)
    with capture_logs() as logs:
        assert await sweeper.round(NOW)
    assert ["rolled_up"] == [line["event"] for line in logs]
    async with database.read() as conn:
        assert LAST - 25 <= await store.last_closed(conn) <= LAST - 23
        assert [] == list(await conn.execute(spend_late.select()))
        assert [] == await store.differing(conn)
    assert before == await said(database, OF.TEAM, OF.MODEL)
    with capture_logs() as logs:
        assert await sweeper.round(NOW)
    assert [] == logs
    await book(database, [settled(ada, 10**6, FIRST * DAY_S, detail(team=1, model="m1"))])
    before = await said(database, OF.TEAM, OF.MODEL)
    with capture_logs() as logs:
        assert await sweeper.round(NOW)
    assert [(0, 1)] == [(line["days"], line["late"]) for line in logs]
    assert before == await said(database, OF.TEAM, OF.MODEL)
    async with database.read() as conn:
        assert [] == await store.differing(conn)


async def test_a_round_has_a_budget(sqlite_database, clock, monkeypatch):
    """What is broken off is made in the next ones; parts make the same rows as the whole does."""
    database = sqlite_database
    await spent(database, clock, 100)
    assert await RollupSweeper(database, clock, never).round(NOW)
    whole = await kept(database)
    async with database.write() as conn:
        await conn.execute(spend_rollups.delete())
        await conn.execute(spend_closed.delete())
    monkeypatch.setattr(sweep, "ROWS", 3)
    monkeypatch.setattr(sweep, "SECONDS_MAX", 0.5)
    rounds = 1
    while not await RollupSweeper(database, _Ticking(clock), never).round(NOW):
        rounds += 1
    assert rounds > 3
    assert whole == await kept(database)


class _Ticking:
    """A clock that goes on by a hundredth of a second whenever it is looked at."""

    def __init__(self, clock):
        self._clock, self._at = clock, 0.0

    def now(self):
        return self._clock.now()

    def monotonic(self):
        self._at += 0.01
        return self._at
