"""Every page for people, asked by somebody whose it is not: a visitor, another user, a user who is
no administrator. A page that is added without its row here fails.
"""

import re

import pytest
import pytest_asyncio

from console.conftest import database  # noqa: F401 - the pages' own database
from console.consent.asking import Asking, let_in
from console.visiting import user_of
from trivium.console.app import ENDPOINTS, PAGES
from trivium.identity.model import UserRole
from trivium.ledger.model import NANOS, EntryKind
from trivium.settings.section import OAuthSettings as Rules
from trivium.storage import schema

OPEN = {
    *("/login", "/login/code", "/login/passkey", "/login/passkey/begin", "/login/outside/{name}"),
    *("/login/outside/{name}/callback", "/logout", "/sign-up", "/sign-up/{token}"),
    *("/invitation/{token}", "/team-invitation/{token}", "/team-invitation/{token}/account"),
    *("/password/forgot", "/password/reset/{token}", "/email/{token}"),
    "/account/preferences",
    "/setup/{token}",
}
"""Pages for visitors; what some of them hold is behind a token of 256 bits."""
NOBODYS = {"name": "none", "token": "x" * 43, "app": "gwc_" + "x" * 22, "request": "req_1"}
NOBODYS["video"] = "video_" + "0" * 48
NOBODYS |= dict.fromkeys(("batch", "change", "code", "entry", "payment"), 1)
KEPT = ("keys", "oauth_apps", "oauth_secrets", "developer_tokens", "oauth_grants", "oauth_caps")
KEPT += ("admin_tokens", "announcements", "budgets", "team_members", "teams")
KEPT += ("sessions", "users", "oauth_requests", "payments", "entries", "accounts")
ROUTES = [
    (route.path, method)
    for route in PAGES
    for method in sorted(route.methods - {"HEAD"})
    if route.path not in OPEN
]


class Victim:
    """Whose everything is, and what it is called in paths and in forms."""

    def __init__(self, asking, ids):
        self.asking = asking
        self.ids = ids

    async def rows(self):
        """Everything that must not change."""
        async with self.asking.console.database.read() as conn:
            return {
                name: [
                    tuple(row) for row in await conn.execute(schema.metadata.tables[name].select())
                ]
                for name in KEPT
            }


@pytest_asyncio.fixture
async def victim(database):  # noqa: F811
    """ada, with one of each; mallory is logged in, a user like any other."""
    async with Asking.over(database, oauth=Rules(spend=True)) as asking:
        console, ada = asking.console, asking.ada
        key, _ = await console.identity.create_key("ada")
        token, _ = await asking.oauth.developer.create(asking.owner.id, "ci")
        await let_in(asking, scope="profile spend", cap_nanos=NANOS)
        (consent,) = await asking.oauth.consents.authorized(ada.id)
        waiting = (await asking.page()).removeprefix("/authorize/")
        await asking.oauth.consents.weigh(waiting, ada.id, is_framed=False)
        entry = await console.entries.book(ada.id, EntryKind.TOP_UP, NANOS)
        await asking.visitor.log_in(ada)
        asking.visitor.client.cookies.clear()
        (theirs,) = await console.accounts.sessions.of_user(ada.id)
        ids = {
            "key": key.id,
            "grant_id": consent.grant.id,
            "app_id": asking.app.id,
            "token_id": token.id,
            "request_id": waiting,
            "id": entry.id,
            "user": ada.id,
            "session": theirs.id,
            "passkey": 1,
            "login": 1,
            "reference": "tp_none",
            "team": 1,
            "period": "day",
            "invitation": 1,
            "invoice": 1,
            "token": 1,
            "service": 1,
            "machine": 1,
            "directory": 1,
            "announcement": 1,
        }
        yield Victim(asking, ids)


def filled(path, ids):
    """The path with these ids."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: str((ids | NOBODYS)[found[1]]), path)


async def asked(victim, path, method):
    """The answer, with everything in the form that could name something of the victim's."""
    where = filled(path, victim.ids)
    if method == "GET":
        return await victim.asking.visitor.get(where)
    await victim.asking.visitor.get("/login")
    await victim.asking.visitor.get("/account")
    given = {name: str(value) for name, value in victim.ids.items()}
    more = {"answer": "allow", "cap": "5", "name": "mine", "redirect_uri": "https://evil.example/"}
    more |= {"permission": "admin"}
    more |= {"role": "admin", "trusted": "1", "scopes": "spend", "user_id": "1", "act": "disable"}
    more |= {"amount": "5", "once": "x" * 22, "asks": "1", "email": "mallory@evil.example"}
    return await victim.asking.visitor.post(where, **{**given, **more})


async def changing_nothing(victim, routes, ask, *, again=None):
    """What each of these was answered; nothing of anybody's is different after any of them.

    One house for all: a route that changes something is named, and those after it begin there.
    ``again``: to be done before each.
    """
    answers, changed = {}, []
    for path, method in routes:
        if again is not None:
            await again()
        before = await victim.rows()
        answers[path, method] = await ask(path, method)
        if before != await victim.rows():
            changed.append((path, method))
    assert routes
    assert [] == changed
    return answers


def others(victim, role=UserRole.USER):
    """Logs in somebody who is not ada, anew each time."""

    made = []

    async def again():
        asking = victim.asking
        asking.visitor.client.cookies.clear()
        if not made:
            made.append(await user_of(asking.console, "mallory", role))
        await asking.visitor.log_in(made[0])

    return again


def asks(victim):
    """Asks a path with a method."""
    return lambda path, method: asked(victim, path, method)


@pytest.mark.asyncio
async def test_a_visitor_is_sent_to_log_in(victim):
    """And has changed nothing."""
    clear = victim.asking.visitor.client.cookies.clear

    async def anew():
        clear()

    answers = await changing_nothing(victim, ROUTES, asks(victim), again=anew)
    assert {} == {
        route: answer.status_code
        for route, answer in answers.items()
        if answer.status_code != 303 or not answer.headers["location"].startswith("/login?for=")
    }


@pytest.mark.asyncio
async def test_what_is_anothers_is_not_there(victim):
    """A form that names it does nothing either; administrators' pages are refused as such."""
    known = {"/login/confirm/outside/{name}": 422, "/account/security/outside/{name}": 422}
    routes = [each for each in ROUTES if "{" in each[0]]
    answers = await changing_nothing(victim, routes, asks(victim), again=others(victim))
    expected = {
        (path, method): known.get(
            path, 403 if path.startswith("/admin") else 400 if "authorize" in path else 404
        )
        for path, method in routes
    }
    assert expected == {route: answer.status_code for route, answer in answers.items()}


NAMED = [
    *("/account/keys/pause", "/account/keys/resume", "/account/keys/revoke"),
    *("/account/security/sessions/end", "/account/security/passkeys/remove"),
    "/account/security/unlink",
]


@pytest.mark.asyncio
async def test_what_a_form_names_must_be_ones_own(victim):
    """The ids of keys, sessions, passkeys and logins stand in the form."""
    routes = [(path, "POST") for path in NAMED]
    answers = await changing_nothing(victim, routes, asks(victim), again=others(victim))
    found = {route: answer.status_code for route, answer in answers.items()}
    assert {} == {route: code for route, code in found.items() if code not in (303, 404, 422)}


@pytest.mark.asyncio
async def test_users_are_no_administrators(victim):
    """Whatever they send."""
    routes = [each for each in ROUTES if each[0].startswith("/admin")]
    answers = await changing_nothing(victim, routes, asks(victim), again=others(victim))
    assert dict.fromkeys(routes, 403) == {
        route: answer.status_code for route, answer in answers.items()
    }


@pytest.mark.asyncio
async def test_no_form_sets_what_it_does_not_ask_for(victim):
    """Roles, trust, scopes and owners are nobody's to write into a form."""
    asking = victim.asking
    mallory = await user_of(asking.console, "mallory")
    await asking.visitor.log_in(mallory)
    app, _ = await asking.oauth.apps.create(mallory.id, "M", "", "https://m.example/cb")
    victim.ids["app_id"] = app.id
    for path in ("/account/developer/apps/{app_id:int}", "/account/profile/name"):
        assert 303 == (await asked(victim, path, "POST")).status_code
    changed = await asking.oauth.apps.find(app.client_id)
    assert ("mine", False, app.scopes, mallory.id, app.client_id) == (
        changed.name, changed.trusted, changed.scopes, changed.user_id, changed.client_id,
    )  # fmt: skip
    renamed = await asking.console.identity.find_user("mine")
    assert (mallory.id, UserRole.USER, mallory.email) == (renamed.id, renamed.role, renamed.email)


ADMIN_API = [
    (route.path, method)
    for route in ENDPOINTS
    if route.path.startswith("/api/admin")
    for method in sorted(route.methods - {"HEAD"})
]


@pytest.mark.asyncio
async def test_a_browser_opens_nothing_of_the_admin_api(victim):
    """Not even an administrator's: it asks for a token, so no other site can use a login."""

    def ask(path, method):
        where = filled(path, victim.ids)
        return victim.asking.visitor.client.request(method, where, json={"role": "admin"})

    answers = await changing_nothing(victim, ADMIN_API, ask, again=others(victim, UserRole.ADMIN))
    assert dict.fromkeys(ADMIN_API, (401, "Bearer")) == {
        route: (answer.status_code, answer.headers.get("www-authenticate"))
        for route, answer in answers.items()
    }
