"""Counters do not stay for ever: not of periods that are over, nor of end users long gone."""

import pytest
from sqlalchemy import text

from trivium.ledger.budgets.sweep import KEPT_S, CounterSweeper
from trivium.settings.budget import Period, bounds

INSERT = (
    "INSERT INTO budget_counters (scope, period, starts_at, spent_nanos) "
    "VALUES (:scope, :period, :at, 5)"
)


@pytest.mark.asyncio
async def test_what_is_over_goes_and_what_counts_stays(database, clock):
    """The last of a budget stays: it tells since when it counts. End users' have no such need."""
    now = int(clock.now())
    old = now - KEPT_S - 40 * 86_400
    rows = [
        ("key:1", "day", old), ("key:1", "day", old + 86_400), ("key:1", "total", 0),
        ("key:1/end_user:a", "day", old), ("key:1/end_user:a", "day", now),
        ("key:1/end_user:a", "5h", 0), ("key:1/end_user:b", "7d", 0), ("team:1/tag:x", "7d", 0),
    ]  # fmt: skip
    async with database.write() as conn:
        for scope, period, at in rows:
            await conn.execute(text(INSERT), {"scope": scope, "period": period, "at": at})
        lately = 4 * 10**9
        await conn.execute(
            text(
                "INSERT INTO budget_spans SELECT id, :at, 5 FROM budget_counters "
                "WHERE scope = 'key:1/end_user:b'"
            ),
            {"at": lately},
        )
    assert await CounterSweeper(database, clock).round()
    async with database.read() as conn:
        left = await conn.execute(text("SELECT scope, period, starts_at FROM budget_counters"))
        found = {tuple(row) for row in left}
    gone = {rows[0], rows[3], rows[5]}
    assert set(rows) - gone == found


def test_what_is_kept_is_longer_than_any_period():
    """A month, and journals that are replayed late."""
    month = bounds(Period.MONTH, 0)
    assert KEPT_S > 2 * (month.ends_at - month.starts_at)
