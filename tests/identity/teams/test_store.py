"""Rows of teams, members and budgets, on both engines."""

import msgspec
import pytest

from trivium.identity import store as people
from trivium.identity.model import User
from trivium.identity.teams import store
from trivium.identity.teams.model import Member, MemberSource, Team, TeamRole
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits


async def user(conn, name):
    made = User(id=0, name=name, email=f"{name}@example.com")
    return await people.insert_user(conn, made, 1)


@pytest.mark.asyncio
async def test_a_team_comes_back_as_it_was_stored(database):
    """With its parent, its models, its limits and its claim."""
    async with database.write() as conn:
        top = Team(id=0, name="acme", title="acme", has_wallet=True, group="gold", created_at=5)
        top = msgspec.structs.replace(top, id=await store.insert_team(conn, top, 1))
        below = Team(
            id=0, name="acme/x", title="x", parent_id=top.id, models=("a", "b*"),
            limits=RateLimits(requests=3), claim="x-people", created_at=6,
        )  # fmt: skip
        below = msgspec.structs.replace(below, id=await store.insert_team(conn, below, 1))
        found = await store.find_teams(conn)
        assert [top, below] == list(found.all())
        changed = msgspec.structs.replace(below, models=(), limits=None, disabled=True)
        await store.update_team(conn, changed, 2)
        assert changed == (await store.find_teams(conn)).get(below.id)


@pytest.mark.asyncio
async def test_a_budget_that_is_set_again_keeps_its_beginning(database):
    """It is the same budget with another amount: nothing is counted anew."""
    first = Budget(amount_nanos=5, period=Period.DAY, scope="team:1", since=7)
    again = msgspec.structs.replace(first, amount_nanos=9, since=8)
    async with database.write() as conn:
        for each in (first, again):
            await store.put_budget(conn, each)
        assert [msgspec.structs.replace(again, since=7)] == await store.find_budgets(
            conn, ["team:1"]
        )
        there = msgspec.structs.replace(again, zone="Asia/Tokyo", since=9)
        await store.put_budget(conn, there)  # other periods: what was spent in them is not known
        assert [there] == await store.find_budgets(conn, ["team:1"])
        assert [] == await store.find_budgets(conn, ["team:2"])
        assert await store.drop_budget(conn, "team:1", "day")
        assert not await store.drop_budget(conn, "team:1", "day")


@pytest.mark.asyncio
async def test_each_source_has_a_row_and_one_counts(database):
    """A source's last word; rows of one source go without those of others."""
    async with database.write() as conn:
        ada, bo = [await user(conn, name) for name in ("ada", "bo")]
        team = await store.insert_team(conn, Team(id=0, name="acme", title="acme"), 1)
        for who, role, source in (
            (ada, TeamRole.OWNER, MemberSource.MANUAL),
            (bo, TeamRole.MANAGER, MemberSource.SSO),
            (bo, TeamRole.MEMBER, MemberSource.SSO),
            (bo, TeamRole.MANAGER, MemberSource.SCIM),
        ):
            member = Member(team_id=team, user_id=who, role=role, source=source)
            await store.put_member(conn, member)
        assert [(ada, "owner", "manual"), (bo, "manager", "scim")] == [
            (who.id, member.role.value, member.source.value)
            for member, who in await store.members_of(conn, [team])
        ]
        assert ["manager"] == [each.role.value for each in await store.memberships(conn, bo)]
        assert {"member", "manager"} == {each.role.value for each in await store.said_of(conn, bo)}
        assert await store.drop_member(conn, team, bo, MemberSource.SCIM)
        assert not await store.drop_member(conn, team, bo, MemberSource.SCIM)
        assert ["member"] == [each.role.value for each in await store.memberships(conn, bo)]
        assert await store.drop_member(conn, team, bo)
        assert not await store.drop_member(conn, team, bo)
