"""Teams are made, changed and left, on both engines."""

import pytest

from trivium.identity.errors import IdentityError
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from trivium.identity.teams import service
from trivium.identity.teams.model import DEPTH_MAX, TeamRole, member_scope, team_scope
from trivium.identity.teams.service import Teams
from trivium.settings.budget import Budget, Period


@pytest.fixture
def identity(database, clock):
    return Identity(database, clock)


@pytest.fixture
def teams(database, clock):
    return Teams(database, clock)


async def person(identity, name):
    return (await identity.create_user(name, f"{name}@example.com")).id


async def caller(database, key):
    """How gateways see a key."""
    snapshot = Snapshot(database)
    await snapshot.load()
    return next(each for each in snapshot.callers() if each.key_id == key.id)


@pytest.mark.asyncio
async def test_a_key_of_a_member_spends_for_the_team(database, identity, teams):
    """And counts against the budgets of the member, the team and all above."""
    ada = await person(identity, "ada")
    acme = await teams.create("acme", owner_id=ada)
    research = await teams.create("research", acme.id)
    for scope in (team_scope(acme.id), team_scope(research.id), member_scope(research.id, ada)):
        await teams.set_budget(acme.id, Budget(amount_nanos=5, period=Period.MONTH, scope=scope))
    key, _ = await identity.create_key("ada", team="acme/research")  # an owner above may
    seen = await caller(database, key)
    assert (ada, acme.id, research.id) == (seen.user_id, seen.payer_id, seen.team_id)
    assert [member_scope(research.id, ada), team_scope(research.id), team_scope(acme.id)] == [
        each.scope for each in seen.budgets
    ]


@pytest.mark.asyncio
async def test_whoever_leaves_spends_no_more_for_it(database, identity, teams):
    """Unless they are in a team above."""
    ada, bo = await person(identity, "ada"), await person(identity, "bo")
    acme = await teams.create("acme", owner_id=ada)
    research = await teams.create("research", acme.id)
    for team in (acme, research):
        await teams.put_member(team.id, bo, TeamRole.MEMBER)
    key, _ = await identity.create_key("bo", team="acme/research")
    await teams.remove_member(research.id, bo)
    assert not (await caller(database, key)).disabled
    await teams.remove_member(acme.id, bo)
    assert (await caller(database, key)).revoked


@pytest.mark.asyncio
async def test_a_role_without_keys_ends_them_in_the_teams_below(database, identity, teams):
    """But for those in which, or above which, another role is left that may have them."""
    ada, bo = await person(identity, "ada"), await person(identity, "bo")
    acme = await teams.create("acme", owner_id=ada)
    lab = await teams.create("lab", acme.id)
    unit = await teams.create("unit", lab.id)
    await teams.put_member(acme.id, bo, TeamRole.MEMBER)
    await teams.put_member(unit.id, bo, TeamRole.MEMBER)
    keys = [(await identity.create_key("bo", team=team.name))[0] for team in (acme, lab, unit)]

    async def revoked():
        return [(await caller(database, key)).revoked for key in keys]

    await teams.put_member(acme.id, bo, TeamRole.BILLING)
    assert [True, True, False] == await revoked()
    # who reads bills below has no keys there by reading them
    await teams.put_member(unit.id, bo, TeamRole.BILLING)
    assert [True, True, True] == await revoked()


@pytest.mark.asyncio
async def test_there_is_room_for_so_many(monkeypatch, identity, teams):
    """And each refusal says for how many; another role of a member takes no more room."""
    monkeypatch.setattr(service, "TEAMS_MAX", 2)
    monkeypatch.setattr(service, "MEMBERS_MAX", 1)
    monkeypatch.setattr(service, "SERVICES_MAX", 1)
    ada, bo = await person(identity, "ada"), await person(identity, "bo")
    acme = await teams.create("acme")
    lab = await teams.create("lab", acme.id)
    with pytest.raises(IdentityError, match="would be one more than 2"):
        await teams.create("more", acme.id)
    for role in (TeamRole.MEMBER, TeamRole.MANAGER):
        await teams.put_member(lab.id, ada, role)
    with pytest.raises(IdentityError, match="has 1 members, the most"):
        await teams.put_member(lab.id, bo, TeamRole.MEMBER)
    await teams.create_service(lab.id, "bot")
    with pytest.raises(IdentityError, match="has 1 service accounts, the most"):
        await teams.create_service(lab.id, "bot2")


@pytest.mark.asyncio
async def test_service_accounts_have_keys_of_their_team(database, identity, teams):
    """Of no other team, and nobody's money but the team's."""
    acme = await teams.create("acme")
    other = await teams.create("other")
    bot = await teams.create_service(acme.id, "nightly")
    key, _ = await identity.create_key("acme/nightly")
    seen = await caller(database, key)
    assert (bot.id, acme.id) == (seen.user_id, seen.payer_id)
    with pytest.raises(IdentityError, match="is not the team of"):
        await identity.create_key("acme/nightly", team=other.name)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("user", "team", "said"),
    [
        ("bo", "acme", "has no member bo who may have keys"),
        ("ivy", "acme", "has no member ivy who may have keys"),  # reads bills
        ("ada", "acem", "'acem' is not there"),
        ("acme", "acme", "is a team"),
    ],
)
async def test_keys_for_a_team_are_of_those_who_may(identity, teams, user, team, said):
    """Members whose role has keys."""
    ada, ivy = await person(identity, "ada"), await person(identity, "ivy")
    await person(identity, "bo")
    acme = await teams.create("acme", owner_id=ada)
    await teams.put_member(acme.id, ivy, TeamRole.BILLING)
    with pytest.raises(IdentityError, match=said):
        await identity.create_key(user, team=team)


@pytest.mark.asyncio
async def test_a_disabled_team_refuses_all_below(database, identity, teams):
    """Keys of teams below too, at once; enabled again they work."""
    acme = await teams.create("acme")
    research = await teams.create("research", acme.id)
    await teams.create_service(research.id, "nightly")
    key, _ = await identity.create_key("acme/research/nightly")
    snapshot = Snapshot(database)
    await snapshot.load()
    for is_disabled in (True, False):
        await teams.change(acme.id, {"disabled": is_disabled})
        await snapshot.refresh()
        assert [is_disabled] == [each.disabled for each in snapshot.callers()]
    assert key.id == next(iter(snapshot.callers())).key_id


@pytest.mark.asyncio
async def test_a_tree_ends_somewhere(teams):
    """A chain of teams has a longest length, named in the refusal."""
    team = await teams.create("a")
    for _ in range(DEPTH_MAX - 1):
        team = await teams.create("a", team.id)
    with pytest.raises(IdentityError, match=f"{DEPTH_MAX} levels deep"):
        await teams.create("a", team.id)


@pytest.mark.asyncio
async def test_a_budget_that_cannot_be_kept_is_refused(teams):
    """Naming what would be right; nothing is stored."""
    acme = await teams.create("acme")
    scope = team_scope(acme.id)
    for budget in (
        Budget(amount_nanos=0, period=Period.DAY, scope=scope),
        Budget(amount_nanos=1, period=Period.DAY, scope=scope, zone="Mars"),
        Budget(amount_nanos=1, period=Period.DAY, scope=scope, soft=True, instead="m"),
    ):
        with pytest.raises(IdentityError, match="budgets: "):
            await teams.set_budget(acme.id, budget)
    assert [] == await teams.budgets([scope])
