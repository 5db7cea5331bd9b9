"""A login brings somebody's teams in line with the groups of its ID token, on both engines."""

import msgspec
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from oidc import ISSUER, Scripted, query
from trivium.identity.accounts.sso.model import SsoIdentity
from trivium.identity.accounts.sso.provider import SsoProvider
from trivium.identity.accounts.sso.teams import ClaimedTeams
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.service import Teams
from trivium.settings.accounts import ClaimedTeam, LoginEntry
from trivium.storage.errors import StorageDown

RULES = (
    ClaimedTeam(value="eng", team="acme/lab"),
    ClaimedTeam(value="leads", team="acme/lab", role="manager"),
    ClaimedTeam(value="gone", team="acme/gone"),
)
ENTRY = LoginEntry(
    name="company",
    title="Company",
    issuer=ISSUER,
    client_id="trivium",
    client_secret="s3cret",
    trust_email=True,
    signup=True,
    teams_claim="groups",
    teams=RULES,
)
pytestmark = pytest.mark.asyncio


class Workplace:
    """A gateway with a team, and a provider that says who is in it."""

    def __init__(self, accounts, database, clock, visitor):
        self.remote = Scripted(clock.now)
        self.accounts = accounts
        accounts.outside._providers = {"company": SsoProvider(ENTRY, clock, self.remote.transport)}
        self.teams = Teams(database, clock)
        self.visitor = visitor

    async def found(self):
        self.acme = (await self.teams.create("acme")).id
        self.lab = (await self.teams.create("lab", self.acme)).id
        return self

    async def log_in(self, **claims):
        """Who came back, and the lines of the log about teams."""
        self.remote.claims = {**self.remote.claims, "groups": None, **claims}
        left = await self.accounts.outside.begin("company", self.visitor)
        asked = query(left.url)
        self.remote.nonce = asked["nonce"]
        answer = {"code": "c0de", "state": asked["state"]}
        with capture_logs() as lines:
            back = await self.accounts.outside.finish("company", left.step, answer, self.visitor)
        said = [line for line in lines if line["event"].startswith("teams_claim")]
        return back.outcome.user, said

    async def roles(self, user):
        return {team: role.value for team, role in (await self.teams.roles(user.id)).items()}


@pytest_asyncio.fixture
async def workplace(accounts, database, clock, visitor):
    return await Workplace(accounts, database, clock, visitor).found()


async def test_teams_follow_every_login(workplace):
    """Added at the first, another role at the next, none when the group is gone."""
    user, said = await workplace.log_in(groups=["eng", "unknown"])
    assert {workplace.lab: "member"} == await workplace.roles(user)
    assert [("teams_claim_followed_in_part", ("acme/gone",))] == [
        (line["event"], line["no_team"]) for line in said
    ]
    await workplace.log_in(groups=["eng", "leads"])
    assert {workplace.lab: "manager"} == await workplace.roles(user)
    await workplace.log_in(groups=["unknown"])
    assert {} == await workplace.roles(user)


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"groups": 7},
        {"groups": [f"g{i}" for i in range(10_000)]},
        {"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://x"}}},
    ],
    ids=["missing", "no-list", "10000", "overage"],
)
async def test_nobody_is_thrown_out_by_accident(workplace, claims):
    """They are in, their teams stay, and one line says why."""
    user, _ = await workplace.log_in(groups=["eng"])
    again, said = await workplace.log_in(**claims)
    assert user.id == again.id
    assert {workplace.lab: "member"} == await workplace.roles(user)
    assert ["teams_claim_unread"] == [line["event"] for line in said]
    assert "g1" not in str(said), "what the provider wrote is not for the log"


async def test_what_was_made_by_hand_stays(workplace):
    """And its role counts, whatever the provider says."""
    user, _ = await workplace.log_in(groups=[])
    await workplace.teams.put_member(workplace.lab, user.id, TeamRole.BILLING)
    await workplace.log_in(groups=["leads"])
    assert {workplace.lab: "billing"} == await workplace.roles(user)
    await workplace.log_in(groups=[])
    assert {workplace.lab: "billing"} == await workplace.roles(user)


async def test_nothing_is_written_when_nothing_changes(workplace, database, clock):
    """Nor is the row held at which all writers of identities queue; otherwise it is in force at
    once.
    """
    user, _ = await workplace.log_in(groups=["eng"])
    heard = []

    async def in_force():
        heard.append(1)

    said = SsoIdentity(issuer=ISSUER, subject="s-1", groups=frozenset({"eng"}))
    claimed = ClaimedTeams(database, clock, in_force=in_force)
    await claimed.follow(ENTRY, said, user.id)
    assert [] == heard
    await claimed.follow(ENTRY, msgspec.structs.replace(said, groups=frozenset()), user.id)
    assert [1] == heard


async def test_a_login_holds_without_a_database_for_teams(workplace, clock):
    """The reason is in the log."""

    class Down:
        def read(self):
            raise StorageDown("away")

    with capture_logs() as lines:
        said = SsoIdentity(issuer=ISSUER, subject="s-1", groups=frozenset())
        await ClaimedTeams(Down(), clock).follow(ENTRY, said, 1)
    assert ["teams_claim_not_followed"] == [line["event"] for line in lines]
