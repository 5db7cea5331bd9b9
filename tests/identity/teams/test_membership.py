"""Who is in a team by which source, and what ends with it, on both engines."""

import pytest
import pytest_asyncio

from trivium.identity import store as people
from trivium.identity.errors import IdentityError
from trivium.identity.service import Identity
from trivium.identity.teams import store
from trivium.identity.teams.membership import BY_HAND, MemberOrigin, TeamsFollowed, follow
from trivium.identity.teams.model import MemberSource, TeamRole
from trivium.identity.teams.service import Teams

SSO = MemberOrigin(MemberSource.SSO, "https://login.example")
OTHER = MemberOrigin(MemberSource.SSO, "https://other.example")
SCIM = MemberOrigin(MemberSource.SCIM, "1")


class Company:
    """Two organisations with a team each, and a person who is followed."""

    def __init__(self, database, clock):
        self.database = database
        self.identity = Identity(database, clock)
        self.teams = Teams(database, clock)
        self.acts = []

    async def found(self):
        self.ada = (await self.identity.create_user("ada", "ada@example.com")).id
        self.bo = (await self.identity.create_user("bo", "bo@example.com")).id
        self.acme = (await self.teams.create("acme", owner_id=self.bo)).id
        self.lab = (await self.teams.create("lab", self.acme)).id
        return self

    async def _log(self, conn, kind, subject, what="", detail=None):
        self.acts.append((kind.value, subject, what, detail.get("role"), detail["source"]))

    async def follow(self, wanted, origin=SSO, who=None):
        async with self.database.write() as conn:
            raised = await people.bump(conn)
            teams = await store.find_teams(conn)
            return await follow(conn, teams, who or self.ada, origin, wanted, raised, 7, self._log)

    async def roles(self):
        return await self.teams.roles(self.ada)


@pytest_asyncio.fixture
async def company(database, clock):
    return await Company(database, clock).found()


pytestmark = pytest.mark.asyncio


async def test_a_source_adds_changes_and_removes(company):
    """And says so each time; what is the same already is not said again."""
    assert TeamsFollowed(1, ()) == await company.follow({company.lab: TeamRole.MEMBER})
    assert TeamsFollowed(0, ()) == await company.follow({company.lab: TeamRole.MEMBER})
    assert TeamsFollowed(1, ()) == await company.follow({company.lab: TeamRole.MANAGER})
    assert {company.lab: TeamRole.MANAGER} == await company.roles()
    assert TeamsFollowed(1, ()) == await company.follow({})
    assert {} == await company.roles()
    what = f"team:{company.lab}"
    assert [
        ("team_member", company.ada, what, "member", "sso"),
        ("team_member", company.ada, what, "manager", "sso"),
        ("team_member_removed", company.ada, what, None, "sso"),
    ] == company.acts


@pytest.mark.parametrize("other", [BY_HAND, OTHER, SCIM])
async def test_a_source_leaves_the_memberships_of_others(company, other):
    """Whether it adds, or takes all of its own away."""
    await company.follow({company.lab: TeamRole.MEMBER}, other)
    await company.follow({company.lab: TeamRole.MEMBER, company.acme: TeamRole.MEMBER})
    await company.follow({})
    assert {company.lab: TeamRole.MEMBER} == await company.roles()


@pytest.mark.parametrize(
    ("by_hand", "by_sso", "by_scim", "counts"),
    [
        ("billing", "manager", "member", "billing"),
        (None, "member", "manager", "manager"),
        (None, "billing", "member", "member"),
        (None, "owner", None, "owner"),
        ("member", None, None, "member"),
        (None, None, None, None),
    ],
)
async def test_the_hand_decides_and_else_the_strongest(company, by_hand, by_sso, by_scim, counts):
    """Whatever the order in which they were said."""
    said = ((BY_HAND, by_hand), (SSO, by_sso), (SCIM, by_scim))
    for order in (said, said[::-1]):
        for origin, role in order:
            await company.follow({company.lab: TeamRole(role)} if role else {}, origin)
        expected = {company.lab: TeamRole(counts)} if counts else {}
        assert expected == await company.roles()
        shown = [who.id for _, who in await company.teams.members(company.lab)]
        assert shown == [company.ada] * bool(counts)


async def test_keys_end_when_nobody_says_that_they_may(company):
    """Not while another source, or a team above, lets them; then at once."""
    await company.follow({company.lab: TeamRole.MEMBER})
    await company.follow({company.acme: TeamRole.MEMBER}, SCIM)
    key, _ = await company.identity.create_key("ada", team="acme/lab")

    async def revoked():
        (found,) = await company.identity.list_keys("ada")
        return found.disabled

    await company.follow({})
    assert not await revoked()
    await company.follow({company.acme: TeamRole.BILLING}, BY_HAND)
    assert await revoked(), "billing has no keys, not in the teams below either"
    assert key.id


async def test_the_last_owner_of_an_organisation_stays(company):
    """By whatever source; with another owner they go."""
    ada = company.ada
    await company.follow({company.acme: TeamRole.OWNER})
    await company.teams.put_member(company.acme, company.bo, TeamRole.MEMBER)
    assert TeamsFollowed(0, (company.acme,)) == await company.follow({})
    assert TeamsFollowed(0, (company.acme,)) == await company.follow(
        {company.acme: TeamRole.MEMBER}
    )
    assert {company.acme: TeamRole.OWNER} == await company.roles()
    with pytest.raises(IdentityError, match="would have no owner"):
        await company.teams.remove_member(company.acme, ada)
    with pytest.raises(IdentityError, match="would have no owner"):
        await company.teams.put_member(company.acme, ada, TeamRole.MANAGER)
    assert {company.acme: TeamRole.OWNER} == await company.roles()
    await company.teams.put_member(company.acme, company.bo, TeamRole.OWNER)
    assert TeamsFollowed(1, ()) == await company.follow({})


async def test_the_hand_removes_whatever_was_said(company):
    """Of every source; the next word of one brings them back."""
    for origin in (BY_HAND, SSO, SCIM):
        await company.follow({company.lab: TeamRole.MEMBER}, origin)
    await company.teams.remove_member(company.lab, company.ada)
    assert {} == await company.roles()
    await company.follow({company.lab: TeamRole.MEMBER})
    assert {company.lab: TeamRole.MEMBER} == await company.roles()
