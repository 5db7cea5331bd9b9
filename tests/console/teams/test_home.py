"""My teams, a team at a glance, and making one."""

import pytest

from console.visiting import Seen
from trivium.console.teams import home
from trivium.identity.teams.model import TeamRole, member_scope, team_scope
from trivium.ledger.model import NANOS, EntryKind
from trivium.settings.budget import Budget, Period


def budget(scope, dollars=20, period=Period.MONTH, **more):
    return Budget(amount_nanos=dollars * NANOS, period=period, scope=scope, **more)


@pytest.mark.asyncio
async def test_my_teams_have_my_budgets(company):
    """The team's and one's own, not those of others."""
    teams, research = company.console.teams, company.research.id
    meg, mia = company.people["meg"].id, company.people["mia"].id
    for scope, dollars in (
        (team_scope(research), 300),
        (member_scope(research, meg), 50),
        (member_scope(research, mia), 77),
    ):
        await teams.set_budget(research, budget(scope, dollars))
    browser = await company.browser("meg")
    page = Seen((await browser.get("/account/teams")).text)
    assert "acme/research" in page.text
    assert "$300.00 a month" in page.text
    assert "$50.00 a month" in page.text
    assert "$77.00" not in page.text
    nobody = await company.browser("out")
    assert "You are in no team" in (await nobody.get("/account/teams")).text


@pytest.mark.asyncio
async def test_who_pays_is_told_to_whoever_reads_bills(company):
    """The organisation's balance only to those who see its spending."""
    await company.console.entries.book(company.acme.id, EntryKind.TOP_UP, 500 * NANOS)
    for name, sees in (("ola", True), ("eve", True), ("bill", False), ("meg", False)):
        browser = await company.browser(name)
        page = (await browser.get(company.path())).text
        assert "acme pays" in page
        assert ("$500.00" in page) is sees, name


@pytest.mark.asyncio
async def test_a_team_that_one_may_not_see_is_not_there(company):
    """Neither is one that there is not."""
    browser = await company.browser("out")
    for path in (company.path(), "/account/teams/999999"):
        assert 404 == (await browser.get(path)).status_code


@pytest.mark.asyncio
async def test_owners_make_teams_and_administrators_organisations(company):
    """Names that are taken, or are none, are refused beside their field."""
    ola = await company.browser("ola")
    acme = company.path("", company.acme)
    assert "New team" in (await ola.get(acme)).text
    made = await ola.post(f"{acme}/new", title="support", owner="mia")
    assert 303 == made.status_code
    (support,) = [
        each for each in (await company.console.teams.all()).all() if each.title == "support"
    ]
    assert f"/account/teams/{support.id}" == made.headers["location"]
    (member,) = await company.console.teams.members(support.id)
    assert ("mia", TeamRole.OWNER) == (member[1].name, member[0].role)
    for title, said in (("support", "already"), ("a/b", "neither / nor @")):
        refused = await ola.post(f"{acme}/new", title=title)
        assert 422 == refused.status_code
        assert said in refused.text
    refused = await ola.post(f"{acme}/new", title="x", owner="nobody@example.com")
    assert "no such person" in refused.text
    assert 403 == (await ola.post("/admin/teams/new", title="mine")).status_code
    eve = await company.browser("eve")
    assert 303 == (await eve.post("/admin/teams/new", title="beta")).status_code


@pytest.mark.asyncio
async def test_all_teams_come_by_the_page(company, monkeypatch):
    """In the order of their names, found by a part of it."""
    monkeypatch.setattr(home, "PAGE", 1)
    eve = await company.browser("eve")
    page = await eve.get("/admin/teams")
    seen = Seen(page.text)
    assert "acme" in seen.words
    assert "acme/research" not in seen.words
    (more,) = [
        of["href"] for name, of in seen.elements if name == "a" and "after=" in of.get("href", "")
    ]
    assert "acme/research" in Seen((await eve.get(more)).text).words
    assert "acme/research" in (await eve.get("/admin/teams?search=resea")).text
    assert "No teams found" in (await eve.get("/admin/teams?search=zzz")).text


@pytest.mark.asyncio
async def test_somebody_leaves(company):
    """And loses the keys that spend for the team; the last owner stays."""
    await company.console.identity.create_key("meg", team="acme/research")
    meg = await company.browser("meg")
    assert 303 == (await meg.post(company.path("/leave"))).status_code
    assert "You have left acme/research" in (await meg.get("/account/teams")).text
    assert [True] == [key.disabled for key in await company.console.teams.keys(company.research.id)]
    ola = await company.browser("ola")
    await ola.post(company.path("/leave", company.acme))
    assert "keeps its last owner" in (await ola.get("/account/teams")).text
