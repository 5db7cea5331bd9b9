"""Every route of the admin API, with every scope and as everybody: who is let in, and who is not."""

import re

import pytest

from trivium.console import app
from trivium.identity.model import UserRole
from trivium.identity.teams.model import TeamRole
from trivium.oauth.admin.routes import SCOPES
from trivium.oauth.developer.model import TEAMS
from trivium.settings.workloads import SCOPES_ALL, AdminScope

ROUTES = sorted(
    (method, route.path)
    for route in app.ENDPOINTS
    if route.path.startswith("/api/admin")
    for method in route.methods - {"HEAD"}
)
OF_TEAMS = "/api/admin/teams"
STATEMENT = "/api/admin/statement"
"""What one spent oneself is open to everybody."""
EXPORT = ("GET", "/api/admin/users/{user}/export")
"""Hands out what somebody said: looking at lists does not give that."""
NOBODYS = 9_007_199_254_740_000
"""An id of nothing: whoever is let in is told so, or that the body is wrong."""


def where(path, team=NOBODYS):
    """The address of a route, about nothing, or about a team."""
    path = path.replace("{team}", str(team)).replace("{period}", "day")
    return re.sub(r"\{[a-z]+\}", str(NOBODYS), path)


async def asked(script, method, path, token, team=NOBODYS):
    """Status, message and challenge."""
    # a body that fits nothing: whoever is let in is refused for it, and nothing is made
    body = {"wrong": 1} if method in ("POST", "PUT", "PATCH") else None
    answer = await script.ask(method, where(path, team), body, token=token)
    message = answer.json()["message"]
    return answer.status_code, message, answer.headers.get("www-authenticate", "")


async def machine(script, *scopes):
    """The secret of a token with these scopes."""
    made = script.console.oauth.machines.create
    _, secret = await made("m", frozenset(scopes), script.log, user_id=script.root.id)
    return secret


def test_every_route_declares_its_scope():
    """The table has what is served, and nothing else."""
    assert ROUTES == sorted(SCOPES)


def test_what_changes_something_needs_more_than_looking():
    """And looking never needs more."""
    for (method, path), scope in SCOPES.items():
        looks = method == "GET" and (method, path) != EXPORT
        assert looks == (scope is AdminScope.READ), path


@pytest.mark.asyncio
@pytest.mark.parametrize("scope", list(AdminScope), ids=lambda scope: scope.value)
async def test_a_machine_does_what_its_scope_says(script, scope):
    """Its own routes are served, every other one answers 403 and names the scope that is needed."""
    secret = await machine(script, scope)
    for method, path in ROUTES:
        needed = SCOPES[method, path]
        status, message, challenge = await asked(script, method, path, secret)
        if needed in (scope, None):
            # of a token that is not there: told from one that may not be touched
            assert status in (200, 400, 404), (method, path, message)
            continue
        wanted = f"this needs the scope {needed.value}; the token has {scope.value}"
        assert (403, wanted) == (status, message), (method, path)
        assert f'Bearer error="insufficient_scope", scope="{needed.value}"' == challenge


@pytest.mark.asyncio
async def test_all_scopes_but_one_are_not_that_one(script):
    """403 where it is missing, and only there."""
    for scope in AdminScope:
        secret = await machine(script, *(SCOPES_ALL - {scope}))
        for method, path in ROUTES:
            status = (await asked(script, method, path, secret))[0]
            assert (status == 403) == (SCOPES[method, path] is scope), (method, path, status)


@pytest.mark.asyncio
async def test_an_administrator_may_do_everything(script):
    """With a token of their own, which has no scopes."""
    for method, path in ROUTES:
        status, message, _ = await asked(script, method, path, None)
        assert status in (200, 400, 404), (method, path, message)


@pytest.mark.asyncio
async def test_an_ordinary_user_does_nothing(script):
    """Their token for teams opens what concerns teams, of which they see none."""
    secret = await script.made_token(script.ada.id, TEAMS)
    team = await script.console.teams.create("acme", None, script.root.id)
    for method, path in ROUTES:
        status, message, _ = await asked(script, method, path, secret, team.id)
        if path == STATEMENT:
            assert 200 == status
        elif path.startswith(OF_TEAMS):
            assert status in ((200, 400) if path == OF_TEAMS else (400, 404)), (method, path)
        else:
            assert (403, "the token lacks admin") == (status, message), (method, path)


@pytest.mark.asyncio
async def test_an_owner_of_a_team_does_what_concerns_it(script):
    """And nothing else; scopes are not asked of people."""
    team = await script.console.teams.create("acme", None, script.ada.id)
    secret = await script.made_token(script.ada.id, TEAMS)
    for method, path in ROUTES:
        status, message, _ = await asked(script, method, path, secret, team.id)
        if path.startswith((OF_TEAMS, STATEMENT)):
            assert status in (200, 400, 403, 404), (method, path)
            assert "scope" not in message
        else:
            assert (403, "the token lacks admin") == (status, message), (method, path)


@pytest.mark.asyncio
async def test_nobody_does_nothing(script):
    """401, with a token that nobody has, and with none."""
    for method, path in ROUTES:
        for token in ("", "gwadm_" + "x" * 43)[: 1 if method == "GET" else 2]:
            script.console.clock.advance(60)
            assert 401 == (await asked(script, method, path, token))[0], (method, path)


@pytest.mark.asyncio
async def test_a_route_outside_the_table_is_not_for_machines(script, monkeypatch):
    """Forgotten is refused, not open."""
    monkeypatch.delitem(SCOPES, ("GET", "/api/admin/users"))
    secret = await machine(script, *AdminScope)
    found = await script.refused("GET", "/api/admin/users", token=secret)
    assert (403, "this is open to administrators' own tokens alone") == found
    assert 200 == (await script.ask("GET", "/api/admin/users")).status_code


PROTECTED = {
    ("PATCH", "/api/admin/users/{user}"): {"disabled": True},
    ("POST", "/api/admin/users/{user}/erase"): {"name": "root"},
    ("PUT", "/api/admin/users/{user}/password"): {"password": "correct horse battery staple"},
    ("DELETE", "/api/admin/users/{user}/second-factor"): None,
    ("DELETE", "/api/admin/users/{user}/sessions"): None,
}
"""What changes an account or how its owner logs in, with a body that would do it."""
OPEN = {
    ("POST", "/api/admin/users/{user}/keys"),
    ("POST", "/api/admin/users/{user}/credit"),
    ("POST", "/api/admin/users/{user}/entries/{entry}/undo"),
    ("PUT", "/api/admin/users/{user}/overdraft"),
    ("POST", "/api/admin/users/{user}/redeem"),
}
"""What gives or takes money and keys, of administrators as of everybody."""


def test_every_change_of_a_user_is_protected_or_open():
    """Whoever adds one says which."""
    changing = {
        (method, path)
        for method, path in ROUTES
        if path.startswith("/api/admin/users/{user}") and method != "GET"
    }
    assert changing == PROTECTED.keys() | OPEN


@pytest.mark.asyncio
@pytest.mark.parametrize("route", list(PROTECTED), ids=" ".join)
async def test_no_machine_changes_an_administrator(script, route):
    """With every scope, and of its own administrator as of another; nobody else is changed so by
    a machine without the scope.
    """
    method, path = route
    secret = await machine(script, *AdminScope)
    other = await script.console.identity.create_user("two", "two@example.org", UserRole.ADMIN)
    for user in (script.root, other):
        answer = await script.ask(
            method, path.replace("{user}", str(user.id)), PROTECTED[route], token=secret
        )
        assert 403 == answer.status_code, answer.text
        assert "an administrator does that, not a token for machines" in answer.text
    assert not {act.kind for act in await script.console.audit.everything()} & {
        *("user_disabled", "user_erased", "password_changed", "second_factor_off"),
        "logout_everywhere",
    }
    weak = await machine(script, *(SCOPES_ALL - {SCOPES[route]}))
    where = path.replace("{user}", str(script.ada.id))
    assert 403 == (await script.ask(method, where, PROTECTED[route], token=weak)).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize("role", list(TeamRole), ids=lambda role: role.value)
@pytest.mark.parametrize("whose", ["own", "other"])
async def test_no_role_in_a_team_opens_what_is_the_operators(script, role, whose):
    """Of one's own account as of another's: whoever is no administrator has tokens for teams."""
    team = await script.console.teams.create("acme", None, script.root.id)
    await script.console.teams.put_member(team.id, script.ada.id, role)
    secret = await script.made_token(script.ada.id, TEAMS)
    user = script.ada if whose == "own" else script.root
    for method, path in ROUTES:
        if path.startswith(OF_TEAMS) or path == STATEMENT:
            continue  # `test_teams.py` walks these with every role
        status, message, _ = await asked(
            script, method, path.replace("{user}", str(user.id)), secret, team.id
        )
        assert (403, "the token lacks admin") == (status, message), (method, path)


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["disabled", "demoted", "revoked", "expired"])
async def test_a_token_that_ended_opens_nothing(script, end):
    """Whatever ended it, on every route, with every scope."""
    boss = await script.console.identity.create_user("two", "two@example.org", UserRole.ADMIN)
    tokens = script.console.oauth.machines
    token, secret = await tokens.create("m", SCOPES_ALL, script.log, user_id=boss.id, days=1)
    if end == "disabled":
        await script.console.identity.disable_user("two")
    elif end == "demoted":
        await script.console.identity.set_role("two", UserRole.USER)
    elif end == "revoked":
        await tokens.revoke(token.id, script.log)
    else:
        script.console.clock.advance(86_400)
    for method, path in ROUTES:
        script.console.clock.advance(60)
        status = (await asked(script, method, path, secret))[0]
        assert status in (401, 403), (method, path, status)
