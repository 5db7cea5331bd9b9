"""Lists of teams, members and budgets come by the page, on both engines."""

import pytest

from trivium.identity.errors import IdentityError
from trivium.identity.service import Identity
from trivium.identity.teams.listing.service import BudgetPlace, TeamLists, place_of
from trivium.identity.teams.model import TeamRole, member_scope, tag_scope, team_scope
from trivium.identity.teams.service import Teams
from trivium.settings.budget import Budget, Period


@pytest.fixture
def lists(database):
    return TeamLists(database)


async def people(database, clock, *names):
    identity = Identity(database, clock)
    return [(await identity.create_user(name, f"{name}@example.com")).id for name in names]


def budget(scope, period=Period.DAY):
    return Budget(amount_nanos=5, period=period, scope=scope)


@pytest.mark.asyncio
async def test_a_chain_is_the_team_and_those_above(database, clock, lists):
    """And no others; what is below comes by its ids."""
    teams = Teams(database, clock)
    acme = await teams.create("acme")
    research = await teams.create("research", acme.id)
    other = await teams.create("other", acme.id)
    deep = await teams.create("deep", research.id)
    chain = await lists.chain(deep.id)
    assert [deep.id, research.id, acme.id] == [each.id for each in chain.above(deep.id)]
    assert chain.get(other.id) is None
    assert acme.id == chain.payer(deep.id).id
    assert {acme.id, research.id, other.id, deep.id} == set(await lists.below(acme.id))
    assert [deep.id] == await lists.below(deep.id)
    with pytest.raises(IdentityError, match="is not there"):
        await lists.chain(10**9)


@pytest.mark.asyncio
async def test_pages_go_on_where_the_last_ended(database, clock, lists):
    """Every team, member and service account once, whatever the size of a page."""
    teams = Teams(database, clock)
    acme = await teams.create("acme")
    for name in ("a", "b", "c"):
        await teams.create(name, acme.id)
        await teams.create_service(acme.id, f"s-{name}")
    ids = await people(database, clock, "uma", "vic", "wes")
    for each in ids:
        await teams.put_member(acme.id, each, TeamRole.MEMBER)
    names, after = [], ""
    while after is not None:
        found, after = await lists.page("", after, 2)
        names += [each.name for each in found]
    assert ["acme", "acme/a", "acme/b", "acme/c"] == names
    found, after = await lists.page("", "", 2, acme.id)
    assert (["acme/a", "acme/b"], "acme/b") == ([each.name for each in found], after)
    assert ["acme/c"] == [each.name for each in (await lists.page("ME/C"))[0]]
    members, more = await lists.members(acme.id, "", 0, 2)
    assert ([ids[0], ids[1]], ids[1]) == ([who.id for _, who in members], more)
    members, more = await lists.members(acme.id, "", more, 2)
    assert ([ids[2]], None) == ([who.id for _, who in members], more)
    assert [ids[1]] == [who.id for _, who in (await lists.members(acme.id, "VIC@"))[0]]
    services, more = await lists.services(acme.id, 0, 2)
    rest, _ = await lists.services(acme.id, more, 2)
    assert ["acme/s-a", "acme/s-b", "acme/s-c"] == [each.name for each in services + rest]
    assert 3 == await lists.member_count(acme.id)


@pytest.mark.asyncio
async def test_somebody_s_teams_and_membership(database, clock, lists):
    """With the role that counts."""
    teams = Teams(database, clock)
    (uma, vic) = await people(database, clock, "uma", "vic")
    acme = await teams.create("acme", owner_id=uma)
    assert [("acme", TeamRole.OWNER)] == [(t.name, r) for t, r in await lists.mine(uma)]
    assert [] == await lists.mine(vic)
    member, who = await lists.member(acme.id, uma)
    assert (TeamRole.OWNER, "uma") == (member.role, who.name)
    with pytest.raises(IdentityError, match="no member"):
        await lists.member(acme.id, vic)


@pytest.mark.asyncio
async def test_budgets_of_a_team_are_its_own_and_those_inside(database, clock, lists):
    """Not those of a team whose number begins alike, nor of teams below."""
    teams = Teams(database, clock)
    (uma,) = await people(database, clock, "uma")
    acme = await teams.create("acme", owner_id=uma)
    inner = await teams.create("inner", acme.id)
    mine = [team_scope(acme.id), member_scope(acme.id, uma), tag_scope(acme.id, "100%_x")]
    others = [team_scope(inner.id), team_scope(int(f"{acme.id}0")), member_scope(inner.id, uma)]
    for scope in (*mine, *others):
        await teams.set_budget(acme.id, budget(scope))
    await teams.set_budget(None, budget(tag_scope(None, "ci")))
    found, more = await lists.budgets(acme.id, 0, 2)
    rest, last = await lists.budgets(acme.id, more, 2)
    assert mine == [each.budget.scope for each in found + rest]
    assert last is None
    assert [("team", "acme", ""), ("member", "uma", "acme"), ("tag", "100%_x", "acme")] == [
        (each.kind, each.name, each.team) for each in found + rest
    ]
    (everywhere,), _ = await lists.budgets(None)
    assert ("tag", None, "ci") == (everywhere.kind, everywhere.team_id, everywhere.name)
    assert 7 == len((await lists.all_budgets())[0])
    assert [mine[1]] == [each.budget.scope for each in await lists.budgets_of([mine[1]])]
    assert [] == await lists.budgets_of([])


def test_scopes_are_read():
    """Each kind."""
    assert BudgetPlace("team", 3, None, "") == place_of("team:3")
    assert BudgetPlace("member", 3, 4, "") == place_of("member:3:4")
    assert BudgetPlace("tag", 3, None, "a:b") == place_of("team:3/tag:a:b")
    assert BudgetPlace("tag", None, None, "ci") == place_of("all/tag:ci")
    assert BudgetPlace("key", None, None, "") == place_of("key:7")


@pytest.mark.asyncio
async def test_a_part_of_the_tree_comes_by_the_page(database, clock, lists):
    """Teams and what is below them, each once, and none whose name only looks so; who pays for
    them is known though those above are not on the page.
    """
    teams = Teams(database, clock)
    acme = await teams.create("acme")
    for name in ("Acme", "acme2"):
        other = await teams.create(name)
        await teams.create("x", other.id)
    lab = await teams.create("lab", acme.id)
    deep = await teams.create("deep", lab.id)
    found, after = await lists.page("", "", 50, within=[lab.id, deep.id])
    assert ([lab.id, deep.id], None) == ([each.id for each in found], after)
    found, after = await lists.page("", "", 2, within=[acme.id])
    assert ([acme.id, lab.id], "acme/lab") == ([each.id for each in found], after)
    found, after = await lists.page("", after, 2, within=[acme.id])
    assert ([deep.id], None) == ([each.id for each in found], after)
    assert ([], None) == await lists.page(within=[])
    around = await lists.with_those_above(found)
    assert (3, acme.id) == (len(around), around.payer(deep.id).id)
    services = [await teams.create_service(acme.id, name) for name in ("b%t", "bot")]
    found, _ = await lists.services(acme.id, search="%")
    assert [services[0].id] == [each.id for each in found]
