"""Who sees what was spent, over the API."""

import pytest

from ledger.spending.test_store import book, detail, settled
from trivium.identity.teams.model import TeamRole
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.oauth.developer.model import TEAMS
from trivium.wire.attribution import Attributed

pytestmark = pytest.mark.asyncio
PATH = "/api/admin/statement"


async def spent(console):
    """An organisation with two teams, of which two people spend, and one without a team."""
    acme = await console.teams.create("acme")
    research = await console.teams.create("research", acme.id)
    support = await console.teams.create("support", acme.id)
    people = [
        await console.identity.create_user(name, f"{name}@example.org")
        for name in ("bo", "cy", "di", "el")
    ]
    bo, cy, di, el = people
    for team, who, role in (
        (acme, el, TeamRole.BILLING),
        (research, bo, TeamRole.MANAGER),
        (research, cy, TeamRole.MEMBER),
        (support, di, TeamRole.OWNER),
    ):
        await console.teams.put_member(team.id, who.id, role)
    await Entries(console.database, console.clock).book(acme.id, EntryKind.TOP_UP, 10**9)
    now = int(console.clock.now())
    said = Attributed("x", "", ("nightly",))
    batch = [
        settled(acme.id, 1, now, detail(team=research.id, user=bo.id), said),
        settled(acme.id, 2, now, detail(team=research.id, user=cy.id)),
        settled(acme.id, 4, now, detail(team=support.id, user=di.id)),
    ]
    await book(console.database, batch)
    return acme, research, support, *people


async def sees(script, who, query):
    """The total in nano-dollars, or the status."""
    token = await script.made_token(who.id, TEAMS)
    answer = await script.ask("GET", f"{PATH}?{query}", token=token)
    found = answer.json()
    if answer.status_code != 200:
        return answer.status_code
    return round(float(found["data"]["total"]["amount"]) * 10**9)


async def test_everybody_sees_what_their_role_lets_them(script):
    """Owners, managers and billing their teams and those below; others what they spend."""
    acme, research, support, bo, cy, di, el = await spent(script.console)
    assert "0.000000007" == (await script.done("GET", PATH))["total"]["amount"]
    for who, team, wanted in (
        (el, acme, 7), (el, research, 3), (el, support, 4),
        (bo, acme, 404), (bo, research, 3), (bo, support, 404),
        (cy, acme, 404), (cy, research, 2), (cy, support, 404),
        (di, support, 4), (di, research, 404),
    ):  # fmt: skip
        assert wanted == await sees(script, who, f"team={team.id}"), (who.name, team.name)
    for who, wanted in ((bo, 1), (cy, 2), (di, 4), (el, 0)):
        assert wanted == await sees(script, who, ""), who.name
    assert 1 == await sees(script, bo, f"team={research.id}&user={bo.id}")
    assert 2 == await sees(script, bo, f"team={research.id}&user={cy.id}")
    assert 403 == await sees(script, cy, f"team={research.id}&user={bo.id}")
    assert 403 == await sees(script, cy, f"user={bo.id}")
    assert 403 == await sees(script, bo, f"team={research.id}&by=channel")


async def test_rows_have_what_they_are_by(script):
    """Ids and names; of tags each request's own."""
    _, research, *_ = await spent(script.console)
    found = await script.done("GET", f"{PATH}?by=team,tag&team={research.id}")
    assert [("acme/research", "", "0.000000002"), ("acme/research", "nightly", "0.000000001")] == [
        (row["team"], row["tag"], row["amount"]) for row in found["rows"]
    ]
    assert (True, ["team", "tag"]) == (found["complete"], found["by"])
    one = await script.done("GET", f"{PATH}?by=user&limit=1")
    assert (1, False) == (len(one["rows"]), one["complete"])


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("by=teem", 400, "there are day, payer, team"),
        ("from=yesterday", 400, "from: must be a day"),
        ("from=2026-01-02&to=2026-01-01", 400, "after its last"),
        ("to=2026-13-01", 400, "to: must be a day"),
        ("team=x", 400, "team: must be the id"),
        ("team=999", 404, "no team"),
        ("user=-1", 400, "user: must be"),
        ("limit=0", 400, "limit: must be from 1"),
        ("what=x", 400, "`what`"),
    ],
)
async def test_what_cannot_be_asked_is_said(script, query, status, said):
    """Naming the parameter and what would be right."""
    found = await script.refused("GET", f"{PATH}?{query}")
    assert (status, True) == (found[0], said in found[1]), found
