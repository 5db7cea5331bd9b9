"""How somebody logs in, changed for them: by whom, and never one's own or an administrator's by a
machine.
"""

import pytest

from console.api.admin.calling import USERS
from trivium.identity.accounts.mfa import store as factors
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.model import UserRole
from trivium.settings.workloads import AdminScope

pytestmark = pytest.mark.asyncio
PERSON = "an administrator does that, not a token for machines"


async def logged_in(script, user):
    """A login of theirs."""
    async with script.console.database.write() as conn:
        await script.console.accounts.sessions.begin(conn, user.id, Way.PASSWORD, Visitor())


async def with_factor(script, user):
    """They have a second factor."""
    async with script.console.database.write() as conn:
        await factors.begin(conn, user.id, b"sealed", 7)
        await factors.confirm(conn, user.id, 8)


async def test_logins_end(script):
    """All of them; asked again there are none, and nothing is told."""
    path = f"{USERS}/{script.ada.id}/sessions"
    for _ in range(2):
        await logged_in(script, script.ada)
    assert 2 == len((await script.done("GET", path))["sessions"])
    assert [2, 0] == [(await script.done("DELETE", path))["ended"] for _ in range(2)]
    acts = [act.kind for act in await script.console.audit.everything()]
    assert 1 == acts.count("logout_everywhere")


async def test_a_second_factor_is_switched_off(script):
    """Once; it is told once."""
    path = f"{USERS}/{script.ada.id}/second-factor"
    assert not (await script.done("GET", path))["is_on"]
    await with_factor(script, script.ada)
    assert (await script.done("GET", path))["is_on"]
    for _ in range(2):
        assert not (await script.done("DELETE", path))["is_on"]
    acts = [act.kind for act in await script.console.audit.everything()]
    assert 1 == acts.count("second_factor_off")


async def test_a_password_is_set(script):
    """Logins end; what is too short is named, and it is in no log."""
    path = f"{USERS}/{script.ada.id}/password"
    await logged_in(script, script.ada)
    status, message = await script.refused("PUT", path, {"password": "short"})
    assert (400, True) == (status, message.startswith("password: must have at least"))
    secret = "correct horse battery staple"
    assert await script.done("PUT", path, {"password": secret}) is None
    assert [] == (await script.done("GET", f"{USERS}/{script.ada.id}/sessions"))["sessions"]
    acts = await script.console.audit.everything()
    assert ("password_changed", False) == (acts[0].kind, any(secret in str(a) for a in acts))


async def test_machines_touch_no_administrator(script):
    """With every scope; and set nobody's password."""
    make = script.console.oauth.machines.create
    _, secret = await make("m", frozenset(AdminScope), script.log, user_id=script.root.id)
    other = await script.console.identity.create_user("two", "two@example.org", UserRole.ADMIN)
    for name in ("sessions", "second-factor"):
        refused = await script.refused("DELETE", f"{USERS}/{other.id}/{name}", token=secret)
        assert (403, f"this is an administrator: {PERSON}") == refused
        answer = await script.ask("DELETE", f"{USERS}/{script.ada.id}/{name}", token=secret)
        assert 200 == answer.status_code
    body = {"password": "correct horse battery staple"}
    refused = await script.refused("PUT", f"{USERS}/{script.ada.id}/password", body, token=secret)
    assert (403, f"password: {PERSON}") == refused


async def test_nobody_changes_their_own_login_with_a_token(script):
    """A stolen one would lock its owner out."""
    said = "your own login is changed on your pages, not with a token"
    for name in ("sessions", "second-factor"):
        path = f"{USERS}/{script.root.id}/{name}"
        assert (409, said) == await script.refused("DELETE", path)


async def test_programs_do_not_log_in(script):
    """409."""
    team = await script.console.teams.create("acme", None, script.root.id)
    refused = await script.refused("DELETE", f"{USERS}/{team.id}/sessions")
    assert (409, "teams and service accounts do not log in") == refused
