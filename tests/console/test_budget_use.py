"""What is used of budgets, as pages show it."""

import pytest

from console.visiting import console_over
from trivium.console import budget_use
from trivium.identity.model import Key
from trivium.identity.teams.listing.service import ListedBudget
from trivium.ledger.budgets.store import add_spans, locked
from trivium.ledger.model import NANOS
from trivium.settings.budget import Budget, CounterId, Period
from trivium.storage.schema.budgets import budget_counters


async def counted(database, counter, nanos):
    async with database.write() as conn:
        (row,) = (await locked(conn, [counter])).values()
        change = budget_counters.update().where(budget_counters.c.id == row.id)
        await conn.execute(change.values(spent_nanos=nanos))
        return row.id


def listed(period, scope="team:1", dollars=10):
    budget = Budget(amount_nanos=dollars * NANOS, period=period, scope=scope)
    return ListedBudget(id=1, budget=budget, kind="team", team_id=1)


@pytest.mark.asyncio
async def test_share_and_end(database, clock):
    """Nothing spent, some, and more than there was."""
    console = console_over(database, clock)
    assert [] == await budget_use.used(console, [])
    for nanos, share, tone in (
        (0, 0.0, "good"),
        (8 * NANOS, 80.0, "warn"),
        (11 * NANOS, 110.0, "bad"),
    ):
        await counted(database, CounterId("team:1", "total", 0), nanos)
        (use,) = await budget_use.used(console, [listed(Period.TOTAL)])
        assert (share, tone, None) == (use.share, use.tone, use.ends_at)
        assert max(0, 10 * NANOS - nanos) == use.left_nanos
    (use,) = await budget_use.used(console, [listed(Period.DAY)])
    assert 0 == use.ends_at % 86_400
    assert use.ends_at > clock.now()


@pytest.mark.asyncio
async def test_what_left_a_window_is_not_used_any_more(database, clock):
    """Also when nobody has spent of it since, who would have moved it on."""
    row = await counted(database, CounterId("team:1", "5h", 0), 6 * NANOS)
    async with database.write() as conn:
        await add_spans(conn, {(row, 0): 6 * NANOS})  # long ago
    (use,) = await budget_use.used(console_over(database, clock), [listed(Period.FIVE_HOURS)])
    assert (0, 0.0) == (use.spent_nanos, use.share)


def test_budgets_of_keys_are_those_of_live_ones():
    """Named as the relay counts them."""
    budget = Budget(amount_nanos=1, period=Period.DAY)
    keys = [
        Key(id=7, user_id=1, name="a", hint="x", budgets=(budget,)),
        Key(id=8, user_id=1, name="b", hint="y", budgets=(budget,), disabled=True),
    ]
    (found,) = budget_use.of_keys(keys)
    assert ("key:7", "a", "key") == (found.budget.scope, found.name, found.kind)
