"""Budgets are set, seen with what is used of them, changed and ended, by whoever may."""

import pytest

from console.visiting import Seen
from trivium.console.teams import budgets
from trivium.identity.teams.model import member_scope, tag_scope, team_scope
from trivium.ledger.budgets.store import locked
from trivium.ledger.model import NANOS
from trivium.settings.budget import Budget, CounterId, Period, bounds
from trivium.storage.schema.budgets import budget_counters


async def stored(company, *scopes):
    found = await company.console.teams.budgets(scopes)
    return [(each.scope, each.amount_nanos / NANOS, each.period.value) for each in found]


async def spend(company, scope, period, dollars):
    """As the ledger counts it."""
    starts_at, _ = bounds(period, company.console.clock.now())
    async with company.console.database.write() as conn:
        rows = await locked(conn, [CounterId(scope, period.value, starts_at)])
        for row in rows.values():
            change = budget_counters.update().where(budget_counters.c.id == row.id)
            await conn.execute(change.values(spent_nanos=int(dollars * NANOS)))


@pytest.mark.asyncio
async def test_a_manager_sets_what_members_may_spend(company):
    """By name; the team's own budget is decided above it."""
    mia, path = await company.browser("mia"), company.path("/budgets")
    research, meg = company.research.id, company.people["meg"].id
    await mia.get(path)
    asked = {"kind": "member", "who": "meg", "amount": "50", "period": "week"}
    assert 303 == (await mia.post(path, **asked)).status_code
    own = member_scope(research, meg)
    assert [(own, 50.0, "week")] == await stored(company, own)
    assert 403 == (await mia.post(path, kind="team", amount="9")).status_code
    for wrong, said in (
        ({"who": "out"}, "no such person"),
        ({"amount": "lots"}, "an amount in dollars"),
        ({"zone": "Mars/Base"}, "time zone"),
        ({"soft": "1", "instead": "m"}, "a soft one has no other model"),
        ({"kind": "tag", "who": ""}, "1 to 64"),
        ({"period": "year"}, "one of what is offered"),
    ):
        refused = await mia.post(path, **{**asked, **wrong})
        assert 422 == refused.status_code, wrong
        assert said in refused.text, wrong
    await mia.post(path, **{**asked, "kind": "tag", "who": "nightly"})
    assert 1 == len(await stored(company, tag_scope(research, "nightly")))


@pytest.mark.asyncio
async def test_what_is_used_is_shown_with_when_it_ends(company):
    """In dollars and per cent; of a window what is in it now."""
    ola, path = await company.browser("ola"), company.path("/budgets")
    scope = team_scope(company.research.id)
    await company.console.teams.set_budget(
        company.research.id, Budget(amount_nanos=40 * NANOS, period=Period.MONTH, scope=scope)
    )
    await spend(company, scope, Period.MONTH, 33)
    page = Seen((await ola.get(path)).text)
    assert "$33.00" in page.text
    assert "82.5%" in page.text
    assert "$7.00 left" in page.text
    assert any("share warn" == of.get("class") for _, of in page.elements)
    edit = next(
        of["href"]
        for name, of in page.elements
        if name == "a" and "kind=team" in of.get("href", "")
    )
    form = Seen((await ola.get(edit.partition("#")[0])).text)
    filled = {of.get("name"): of.get("value") for name, of in form.elements if name == "input"}
    assert "40.00" == filled["amount"]


@pytest.mark.asyncio
async def test_a_member_sees_the_team_s_and_their_own(company):
    """Not those of others."""
    research = company.research.id
    for name, dollars in (("meg", 11), ("mia", 22)):
        scope = member_scope(research, company.people[name].id)
        await company.console.teams.set_budget(
            research, Budget(amount_nanos=dollars * NANOS, period=Period.DAY, scope=scope)
        )
    page = Seen((await (await company.browser("meg")).get(company.path("/budgets"))).text).text
    assert "$11.00 a day" in page
    assert "$22.00" not in page
    assert "Set a budget" not in page


@pytest.mark.asyncio
async def test_a_budget_ends_only_by_whoever_may(company):
    """And only one of the team of the path."""
    research, acme = company.research.id, company.acme.id
    for team in (research, acme):
        await company.console.teams.set_budget(
            team, Budget(amount_nanos=NANOS, period=Period.DAY, scope=team_scope(team))
        )
    mia = await company.browser("mia")
    end = company.path("/budgets/clear")
    own = {"scope": team_scope(research), "period": "day"}
    assert 403 == (await mia.post(end, **own)).status_code
    ola = await company.browser("ola")
    other = {"scope": team_scope(acme), "period": "day"}
    assert 303 == (await ola.post(end, **other)).status_code
    assert 1 == len(await stored(company, team_scope(acme)))
    assert 303 == (await ola.post(end, **own)).status_code
    assert [] == await stored(company, team_scope(research))
    await ola.post(end, **own)
    assert "no such budget any more" in (await ola.get(company.path("/budgets"))).text


@pytest.mark.asyncio
async def test_tags_over_all_keys_are_the_administrators(company, monkeypatch):
    """On a page with all budgets there are."""
    monkeypatch.setattr(budgets, "PAGE", 1)
    await company.console.teams.set_budget(
        company.acme.id,
        Budget(amount_nanos=NANOS, period=Period.DAY, scope=team_scope(company.acme.id)),
    )
    eve = await company.browser("eve")
    made = await eve.post("/admin/budgets", kind="tag", who="ci", amount="5", period="day")
    assert 303 == made.status_code
    assert 400 == (await eve.post("/admin/budgets", kind="team", amount="5")).status_code
    first = Seen((await eve.get("/admin/budgets")).text)
    assert "acme" in first.words
    (more,) = [
        of["href"] for name, of in first.elements if name == "a" and "after=" in of.get("href", "")
    ]
    second = Seen((await eve.get(more)).text)
    assert "Tag ci" in second.text
    scope = tag_scope(None, "ci")
    assert 303 == (await eve.post("/admin/budgets/clear", scope=scope, period="day")).status_code
    assert [] == await stored(company, scope)
    team = {"scope": team_scope(company.acme.id), "period": "day"}
    await eve.post("/admin/budgets/clear", **team)
    assert 1 == len(await stored(company, team_scope(company.acme.id)))
    ola = await company.browser("ola")
    assert 403 == (await ola.get("/admin/budgets")).status_code
