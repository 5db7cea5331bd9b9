"""Teams over the admin API: every route, every role, on one's own team, another, above and below.

The matrix walks the routes that the API has: a new one without a row here fails.
"""

import re
from urllib.parse import urlencode

import pytest
import pytest_asyncio

from trivium.console.app import ENDPOINTS
from trivium.identity.teams.model import TeamRole
from trivium.oauth.developer.model import TEAMS

pytestmark = pytest.mark.asyncio
TEAMS_PATH = "/api/admin/teams"
ROLES = [role.value for role in TeamRole]
PLACES = ("own", "below", "above", "other")
"""Where the team of the path is, seen from the team in which whoever asks has the role."""
ALL, MANAGING, OWNING = set(ROLES), {"owner", "manager"}, {"owner"}
SPENDING, NOBODY = {"owner", "manager", "member"}, set()

RIGHTS = {
    ("POST", ""): (OWNING, OWNING),
    ("GET", "/{team}"): (ALL, ALL),
    ("PATCH", "/{team}"): (OWNING, OWNING),
    ("GET", "/{team}/members"): (ALL, ALL),
    ("POST", "/{team}/members"): (MANAGING, MANAGING),
    ("PATCH", "/{team}/members/{user}"): (MANAGING, MANAGING),
    ("DELETE", "/{team}/members/{user}"): (MANAGING, MANAGING),
    ("GET", "/{team}/services"): (ALL, ALL),
    ("POST", "/{team}/services"): (MANAGING, MANAGING),
    ("GET", "/{team}/keys"): (ALL, ALL),
    ("POST", "/{team}/keys"): (SPENDING, SPENDING),
    ("DELETE", "/{team}/keys/{key}"): (MANAGING, MANAGING),
    ("POST", "/{team}/keys/{key}/rotate"): (MANAGING, MANAGING),
    ("GET", "/{team}/invitations"): (MANAGING, MANAGING),
    ("POST", "/{team}/invitations"): (MANAGING, MANAGING),
    ("DELETE", "/{team}/invitations/{invitation}"): (MANAGING, MANAGING),
    ("GET", "/{team}/scim-tokens"): (NOBODY, NOBODY),
    ("POST", "/{team}/scim-tokens"): (NOBODY, NOBODY),
    ("DELETE", "/{team}/scim-tokens/{token}"): (NOBODY, NOBODY),
    ("GET", "/{team}/budgets"): (ALL, ALL),
    ("PUT", "/{team}/budgets/{period}"): (NOBODY, OWNING),
    ("DELETE", "/{team}/budgets/{period}"): (NOBODY, OWNING),
}
"""Who may: in their own team, and in those below it; nobody else does anything but administrators.
``GET`` of all teams is not among them: it shows each what they may see."""


def routes():
    """Every method and path that the application has for teams, whichever module adds it."""
    for endpoint in ENDPOINTS:
        if endpoint.path.startswith(TEAMS_PATH):
            for method in endpoint.methods - {"HEAD"}:
                yield method, endpoint.path.removeprefix(TEAMS_PATH)


def others():
    """All else of the admin API but the statement and reading invoices, which are for teams, too:
    ``test_statement.py`` and ``test_invoices.py`` say for whom.
    """
    for endpoint in ENDPOINTS:
        own = endpoint.path.startswith((TEAMS_PATH, "/api/admin/statement"))
        if endpoint.path.startswith("/api/admin/") and not own:
            for method in endpoint.methods - {"HEAD"}:
                if (method, endpoint.path.startswith("/api/admin/invoices")) != ("GET", True):
                    yield method, endpoint.path


class Company:
    """Two organisations, of which one has a team in a team; people of every role in the middle."""

    def __init__(self, script):
        self.script = script
        self.team = {}
        self.token = {}
        self.number = 0

    async def found(self):
        service = self.script.console.teams
        above = await service.create("above")
        own = await service.create("own", above.id)
        below = await service.create("below", own.id)
        other = await service.create("other")
        self.team = {"above": above, "own": own, "below": below, "other": other}
        for role in TeamRole:
            who = await self.script.console.identity.create_user(
                f"r-{role.value}", f"r-{role.value}@example.org"
            )
            await service.put_member(own.id, who.id, role)
            self.token[role.value] = await self.script.made_token(who.id, TEAMS)
        self.token["admin"] = self.script.token
        return self

    async def call(self, who, place, method, path):
        """The status of a call that lacks nothing but, perhaps, the right; what it needs is made
        first: a member, a service account with a key, a budget.
        """
        self.number += 1
        console, team = self.script.console, self.team[place]
        victim = key = bot = token = invitation = None
        if "{invitation}" in path:
            invite = console.accounts.team_invitations.invite
            invitation = await invite(team.id, f"i{self.number}@example.org", TeamRole.MEMBER)
        if "{token}" in path:
            token, _ = await console.scim.tokens.create(team.id)
        if "{user}" in path or (method, path) == ("POST", "/{team}/members"):
            name = f"v{self.number}"
            victim = await console.identity.create_user(name, f"{name}@example.org")
        if "keys" in path and method != "GET":
            bot = await console.teams.create_service(team.id, f"bot{self.number}")
            key, _ = await console.identity.create_key(bot.name)
        if "{user}" in path:
            await console.teams.put_member(team.id, victim.id, TeamRole.MEMBER)
        body = {
            ("POST", ""): {"title": f"t{self.number}", "parent_id": team.id},
            ("PATCH", "/{team}"): {"disabled": False},
            ("POST", "/{team}/members"): {"user": victim and victim.name},
            ("PATCH", "/{team}/members/{user}"): {"role": "billing"},
            ("POST", "/{team}/services"): {"title": f"s{self.number}"},
            ("POST", "/{team}/keys"): {"user_id": bot and bot.id} if who == "admin" else {},
            ("POST", "/{team}/keys/{key}/rotate"): {"overlap_s": 60},
            ("POST", "/{team}/invitations"): {"email": f"i{self.number}@example.org"},
            ("POST", "/{team}/scim-tokens"): {"domains": ["example.com"]},
            ("PUT", "/{team}/budgets/{period}"): {"amount": "5"},
        }.get((method, path))
        if method == "DELETE" and "{period}" in path:
            admin = f"{TEAMS_PATH}/{team.id}/budgets/day"
            await self.script.done("PUT", admin, {"amount": "5"})
        filled = path.format(
            team=team.id,
            user=victim and victim.id,
            key=key and key.id,
            token=token and token.id,
            invitation=invitation and invitation.id,
            period="day",
        )
        answer = await self.script.ask(method, TEAMS_PATH + filled, body, token=self.token[who])
        return answer.status_code, answer.text


@pytest_asyncio.fixture
async def company(script):
    return await Company(script).found()


async def test_the_matrix_has_every_route():
    """And none that is not there."""
    assert set(RIGHTS) == set(routes()) - {("GET", "")}


@pytest.mark.parametrize("method_path", RIGHTS, ids=" ".join)
async def test_every_role_may_what_the_table_says(company, method_path):
    """In their own team, those below and above, and another organisation's: 200, or 403 where they
    see the team, or 404 where they do not; nor do they see others' keys.
    """
    own, below = RIGHTS[method_path]
    for place in PLACES:
        for role in ROLES:
            allowed = {"own": own, "below": below}.get(place, NOBODY)
            is_seen = place in ("own", "below") and "{key}" not in method_path[1]
            expected = 200 if role in allowed else 403 if is_seen else 404
            status, text = await company.call(role, place, *method_path)
            assert expected == status, (role, place, text)
        status, text = await company.call("admin", place, *method_path)
        assert 200 == status, ("admin", place, text)


async def test_a_token_for_teams_opens_nothing_else(company, script):
    """Whoever has it, an administrator as well: every other route of the admin API."""
    found = list(others())
    assert len(found) > 10
    boss = await script.made_token(script.root.id, TEAMS)
    for method, path in found:
        filled = re.sub(r"{\w+}", "1", path)
        for token in (boss, *(company.token[role] for role in ROLES)):
            answer = await script.ask(method, filled, None, token=token)
            assert 403 == answer.status_code, (method, path, answer.text)


@pytest.mark.parametrize("of", ["member", "service"])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_budgets_inside_a_team_are_of_its_managers(company, script, method, of):
    """Of members and service accounts, in the team and below; of their own nobody else decides."""
    service = script.console.teams
    for place in PLACES:
        team = company.team[place]
        bot = await service.create_service(team.id, "bot")
        of_id = (await script.console.identity.find_user("r-member")).id
        if of == "service":
            of_id = bot.id
        elif place != "own":
            await service.put_member(team.id, of_id, TeamRole.MEMBER)
        for role in ROLES:
            path, body = f"{TEAMS_PATH}/{team.id}/budgets/day", {"amount": "5", "user_id": of_id}
            await script.done("PUT", path, body)
            if method == "DELETE":
                path, body = f"{path}?user_id={of_id}", None
            answer = await script.ask(method, path, body, token=company.token[role])
            is_seen = place in ("own", "below") or (role, of) == ("member", "member")
            allowed = place in ("own", "below") and role in MANAGING
            expected = 200 if allowed else 403 if is_seen else 404
            assert expected == answer.status_code, (role, place, answer.text)


async def test_everybody_sees_their_own(company, script):
    """The list has what may be seen: the team and those below, not those above."""
    for role in ROLES:
        answer = await script.ask("GET", TEAMS_PATH, token=company.token[role])
        names = [team["name"] for team in answer.json()["data"]["teams"]]
        assert ["above/own", "above/own/below"] == names
    assert 4 == len((await script.done("GET", TEAMS_PATH))["teams"])


async def test_owners_are_made_by_owners(company, script):
    """And what the operator decides is the operator's; what a team is given, its parent's owner's."""
    own = f"{TEAMS_PATH}/{company.team['own'].id}"
    manager, owner = company.token["manager"], company.token["owner"]
    assert 403 == (await script.refused("POST", f"{own}/members", {"user": "ada", "role": "owner"}, token=manager))[0]  # fmt: skip
    assert 403 == (await script.refused("POST", TEAMS_PATH, {"title": "mine"}, token=owner))[0]
    for change, said in (
        ({"models": ["m"]}, "the team above"),
        ({"limits": None}, "the team above"),
        ({"unlimited": True}, "only administrators change unlimited"),
        ({"group": "gold", "claim": "x"}, "only administrators change claim, group"),
    ):
        status, message = await script.refused("PATCH", own, change, token=owner)
        assert 403 == status
        assert said in message
    below = f"{TEAMS_PATH}/{company.team['below'].id}"
    assert 200 == (await script.ask("PATCH", below, {"models": ["m"]}, token=owner)).status_code


async def test_a_member_leaves_by_themselves(company, script):
    """Nobody has to be asked."""
    own = company.team["own"]
    who = await script.console.identity.find_user("r-member")
    path = f"{TEAMS_PATH}/{own.id}/members/{who.id}"
    assert 200 == (await script.ask("DELETE", path, token=company.token["member"])).status_code
    assert 404 == (await script.refused("GET", f"{TEAMS_PATH}/{own.id}", token=company.token["member"]))[0]  # fmt: skip


async def test_a_token_does_one_thing(company, script):
    """One for applications manages no team, one for teams administers nobody."""
    apps = await script.made_token(script.ada.id, "oauth_apps:write")
    assert 403 == (await script.refused("GET", TEAMS_PATH, token=apps))[0]
    assert 403 == (await script.refused("GET", "/api/admin/users", token=company.token["owner"]))[0]
    assert 401 == (await script.refused("GET", TEAMS_PATH, token=""))[0]


async def test_an_organisation_begins(script):
    """With an owner, who may give it teams, and members by their address."""
    ada = script.ada
    made = await script.done("POST", TEAMS_PATH, {"title": "acme", "owner_id": ada.id})
    assert (True, made["id"], None) == (made["has_wallet"], made["payer_id"], made["parent_id"])
    (member,) = (await script.done("GET", f"{TEAMS_PATH}/{made['id']}/members"))["members"]
    assert (ada.id, "owner", "manual") == (member["user_id"], member["role"], member["source"])
    status, said = await script.refused("POST", f"{TEAMS_PATH}/{made['id']}/members", {"user": ada.name})  # fmt: skip
    assert (409, "is a member already: give another role with PATCH") == (status, said)
    path = f"{TEAMS_PATH}/{made['id']}/members/{ada.id}"
    status, said = await script.refused("DELETE", path)
    assert (400, True) == (status, "would have no owner" in said)


async def walked(script, path, member, *, limit=2, token=None, **query):
    """Everything that pages of a list have, a page at a time, and how many pages there were."""
    rows, pages, after = [], 0, None
    while pages == 0 or after is not None:
        asked = {"limit": limit, **query} | ({} if after is None else {"after": after})
        answer = await script.ask("GET", f"{path}?{urlencode(asked)}", token=token)
        assert 200 == answer.status_code, answer.text
        data = answer.json()["data"]
        assert {member, "after"} == set(data)
        assert len(data[member]) <= limit
        rows, pages, after = rows + data[member], pages + 1, data["after"]
    return rows, pages


async def test_teams_come_by_the_page(company, script):
    """For administrators all, for others their own and those below; payers are told all the same,
    also where the team that pays is on no page.
    """
    rows, pages = await walked(script, TEAMS_PATH, "teams")
    assert (4, 2) == (len(rows), pages)
    names = [team["name"] for team in rows]
    assert sorted(names) == names
    rows, pages = await walked(script, TEAMS_PATH, "teams", limit=1, token=company.token["member"])
    assert (["above/own", "above/own/below"], 2) == ([team["name"] for team in rows], pages)
    assert {company.team["above"].id} == {team["payer_id"] for team in rows}
    rows, _ = await walked(script, TEAMS_PATH, "teams", q="BELOW")
    assert ["above/own/below"] == [team["name"] for team in rows]
    rows, _ = await walked(script, TEAMS_PATH, "teams", parent=company.team["above"].id)
    assert ["above/own"] == [team["name"] for team in rows]


async def test_people_and_services_come_by_the_page(script):
    """And are found by a part of a name or an address."""
    teams, identity = script.console.teams, script.console.identity
    acme = await teams.create("acme")
    for i in range(5):
        who = await identity.create_user(f"u{i}", f"u{i}@example.org")
        await teams.put_member(acme.id, who.id, TeamRole.MEMBER)
        await teams.create_service(acme.id, f"bot{i}")
    path = f"{TEAMS_PATH}/{acme.id}"
    rows, pages = await walked(script, f"{path}/members", "members")
    assert ([f"u{i}" for i in range(5)], 3) == ([each["name"] for each in rows], pages)
    rows, _ = await walked(script, f"{path}/members", "members", q="U3@")
    assert ["u3"] == [each["name"] for each in rows]
    rows, pages = await walked(script, f"{path}/services", "services")
    assert ([f"acme/bot{i}" for i in range(5)], 3) == ([each["name"] for each in rows], pages)
    rows, _ = await walked(script, f"{path}/services", "services", q="bot4")
    assert ["acme/bot4"] == [each["name"] for each in rows]


@pytest.mark.parametrize("below", ["", "/{team}/members", "/{team}/services", "/{team}/keys"])
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", "limit: must be 1 to 200"),
        ("limit=201", "limit"),
        ("after=%00", "after"),
        ("page=2", "page"),
        ("limit=1&limit=2", "limit"),
    ],
)
async def test_pages_that_cannot_be_are_refused(company, script, below, query, said):
    """The message names the parameter."""
    path = TEAMS_PATH + below.format(team=company.team["own"].id)
    status, message = await script.refused("GET", f"{path}?{query}")
    assert (400, True) == (status, said in message), message
