"""Teams in the snapshot of keys: read when one of them changed, and not when a key did."""

import time

import pytest

from identity.test_snapshot import identity, keys, snapshot
from trivium.identity import snapshot as module
from trivium.identity import store
from trivium.identity.errors import IdentityError
from trivium.identity.teams.model import tag_scope
from trivium.identity.teams.service import Teams
from trivium.settings.budget import Budget, Period
from trivium.storage.schema.core import users as user_table
from trivium.storage.schema.teams import budgets as budget_table
from trivium.storage.schema.teams import teams as team_table

__all__ = ["identity", "snapshot"]


async def many_teams(database, count):
    """Organisations, each with a budget, written at once; the ids of the first and the last."""
    async with database.write() as conn:
        raised = await store.bump(conn)
        rows = [
            {"id": 1000 + n, "name": f"t{n}", "role": "user", "kind": "team", "created_at": 1,
             "revision": raised}
            for n in range(count)
        ]  # fmt: skip
        await conn.execute(user_table.insert(), rows)
        rows = [
            {"id": 1000 + n, "title": f"t{n}", "has_wallet": True, "models": "[]", "created_at": 1}
            for n in range(count)
        ]
        await conn.execute(team_table.insert(), rows)
        rows = [
            {"scope": f"team:{1000 + n}", "period": "day", "amount_nanos": 5, "since": 1}
            for n in range(count)
        ]
        await conn.execute(budget_table.insert(), rows)


@pytest.mark.asyncio
async def test_a_change_of_a_key_reads_no_team(identity, snapshot, database, clock, monkeypatch):
    """However many there are; a change of one, or of a budget, reads them a page at a time."""
    monkeypatch.setattr(module, "PAGE", 50)
    await many_teams(database, 120)
    await keys(identity, 1)
    await snapshot.load()
    assert 120 == len(snapshot.teams)
    pages = []
    known = module.teams_store.teams_after

    async def counted(conn, after, limit):
        pages.append(after)
        return await known(conn, after, limit)

    monkeypatch.setattr(module.teams_store, "teams_after", counted)
    await identity.create_key("ada", "another")
    await snapshot.refresh()
    assert ([], 2) == (pages, len(snapshot))
    teams = Teams(database, clock)
    month = Budget(amount_nanos=7, period=Period.MONTH, scope="team:1003")
    await teams.set_budget(1003, month)
    await snapshot.refresh()
    assert [0, 1049, 1099] == pages
    assert [5, 7] == sorted(each.amount_nanos for each in snapshot.teams.budgets("team:1003"))
    for change in (
        lambda: teams.drop_budget(1003, "team:1003", Period.MONTH),
        lambda: teams.change(1004, {"disabled": True}),
        lambda: teams.create("new"),
    ):
        pages.clear()
        await change()
        await snapshot.refresh()
        assert 3 == len(pages)
    assert (True, 121) == (snapshot.teams.get(1004).disabled, len(snapshot.teams))
    pages.clear()
    await snapshot.refresh()
    assert [] == pages


@pytest.mark.asyncio
async def test_budgets_of_tags_over_all_keys_hold_for_each(identity, snapshot, database, clock):
    """Without a key that is read again."""
    known = await keys(identity, 2)
    await snapshot.load()
    callers = [snapshot.get(each) for each in known]
    teams = Teams(database, clock)
    budget = Budget(amount_nanos=7, period=Period.DAY, scope=tag_scope(None, "nightly"))
    await teams.set_budget(None, budget)
    await snapshot.refresh()
    for each in callers:
        (found,) = each.tagged_everywhere["nightly"]
        assert ("all/tag:nightly", "the tag nightly", 7) == (
            found.scope, found.whose, found.amount_nanos,
        )  # fmt: skip
        assert each.has_budgets
    await teams.drop_budget(None, budget.scope, Period.DAY)
    await snapshot.refresh()
    assert not any(each.has_budgets for each in callers)
    with pytest.raises(IdentityError, match="there is none"):
        await teams.drop_budget(None, budget.scope, Period.DAY)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_ten_thousand_teams_hold_nobody_up(identity, snapshot, database, clock):
    """A key's change costs what it costs without teams; a team's is read in turns of a page."""
    await many_teams(database, 9_999)
    await keys(identity, 1)
    await snapshot.load()
    for n in range(3):
        await identity.create_key("ada", f"more {n}")
        began = time.process_time()
        await snapshot.refresh()
        assert time.process_time() - began < 0.1
    await Teams(database, clock).create("new")
    await snapshot.refresh()
    assert 10_000 == len(snapshot.teams)
