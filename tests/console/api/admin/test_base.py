"""The door of the admin API: who is let in to every route, and what is read of a request."""

import shutil

import pytest
import pytest_asyncio

from console.api.admin.calling import USERS, Script
from trivium.console import app
from trivium.console.api.admin.base import BODY_BYTES_MAX, whole
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import WRITE_APPS
from trivium.storage import schema
from trivium.storage.database import Database
from trivium.storage.errors import StorageError

ROUTES = [
    (route.path, method)
    for route in app.ENDPOINTS
    if route.path.startswith("/api/admin")
    for method in sorted(route.methods - {"HEAD"})
]
WRONG = ["", "gwdev_" + "x" * 43, "sk-gateway-x", "a b"]
BODIES = {
    ("/api/admin/users", "POST"): {"name": "eve", "email": "eve@example.org", "role": "admin"},
    ("/api/admin/users/{user}", "PATCH"): {"role": "admin", "disabled": True},
    ("/api/admin/users/{user}/keys", "POST"): {},
    ("/api/admin/users/{user}/credit", "POST"): {
        "amount": "5",
        "reason": "r",
        "idempotency_id": "i" * 8,
    },
    ("/api/admin/keys/{key}", "PATCH"): {"paused": True},
}
"""What would be done if the caller were let in."""


class Table:
    """Everything that must stay as it is while somebody is refused."""

    NAMES = ("users", "keys", "entries", "accounts", "developer_tokens")

    @classmethod
    async def rows(cls, script):
        async with script.console.database.read() as conn:
            return [
                [tuple(row) for row in await conn.execute(schema.metadata.tables[name].select())]
                for name in cls.NAMES
            ]


class Door:
    """Knocks on one API after the other: whoever is refused changes nothing, so all share it."""

    def __init__(self, script):
        self.script = script

    async def open(self):
        """With a key of ada's, and what its owner may use for something else."""
        identity = self.script.console.identity
        self.key, _ = await identity.create_key("ada")
        _, self.root_key = await identity.create_key("root")
        self.for_apps = await self.script.made_token(self.script.root.id, WRITE_APPS)
        self.disabled, self.demoted, self.back = [
            await self.administrator(name) for name in ("disabled", "demoted", "back")
        ]
        await identity.disable_user("disabled")
        for name in ("demoted", "back"):
            await identity.set_role(name, UserRole.USER)
        await identity.set_role("back", UserRole.ADMIN)
        return self

    async def asked(self, path, method, *tokens):
        """The refusals of calls that would change something, where nothing has changed."""
        self.script.console.clock.advance(60)  # who guesses waits
        where = path.replace("{user}", str(self.script.ada.id)).replace("{key}", str(self.key.id))
        body = BODIES.get((path, method))
        before = await Table.rows(self.script)
        found = [await self.script.refused(method, where, body, token=each) for each in tokens]
        assert before == await Table.rows(self.script)
        return found

    async def administrator(self, name):
        """The token of another one."""
        identity = self.script.console.identity
        user = await identity.create_user(name, f"{name}@example.org", UserRole.ADMIN)
        return await self.script.made_token(user.id)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(sqlite_template, tmp_path_factory):
    """One API for all that knock."""
    path = tmp_path_factory.mktemp("door") / "test.db"
    shutil.copy(sqlite_template, path)
    database = Database(f"sqlite:///{path}")
    async with Script.over(database) as script:
        yield await Door(script).open()
    await database.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "method"), ROUTES)
async def test_without_a_token_that_is_good_nothing_is_done(door, path, method):
    """401, with a challenge."""
    assert [401] * 4 == [status for status, _ in await door.asked(path, method, *WRONG)]
    answer = await door.script.ask("GET", USERS, token="")
    assert "Bearer" == answer.headers["www-authenticate"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "method"), ROUTES)
async def test_a_token_for_something_else_is_not_enough(door, path, method):
    """403, though its owner is an administrator; an access token and a key are 401."""
    access = (await door.script.caller.issued()).access_token
    lacks, *others = await door.asked(path, method, door.for_apps, door.root_key, access)
    assert (403, "the token lacks admin") == lacks
    assert [401, 401] == [status for status, _ in others]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "method"), ROUTES)
async def test_the_owner_must_be_an_administrator_now(door, path, method):
    """403 from the moment they are disabled, and the token ends with the office, for good."""
    ended = (401, "the developer token is not valid")
    assert [(403, "this account is disabled"), ended, ended] == await door.asked(
        path, method, door.disabled, door.demoted, door.back
    )


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "method"), ROUTES)
async def test_a_login_is_no_token(door, path, method):
    """Cookies open nothing, so no page of another site can."""
    visitor_cookie = {"cookie": "__Host-session=x; session=x"}
    answer = await door.script.ask(
        method,
        path.replace("{user}", "1").replace("{key}", "1"),
        BODIES.get((path, method)),
        token="",
        **visitor_cookie,
    )
    assert 401 == answer.status_code


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["account", "office"])
async def test_a_token_ends_at_once_and_for_good(script, end):
    """With the account or the office of its owner, who gets both back."""
    identity = script.console.identity
    await script.done("GET", USERS)
    if end == "account":
        await identity.disable_user("root")
        assert 403 == (await script.refused("GET", USERS))[0]
        await identity.enable_user("root")
    else:
        await identity.set_role("root", UserRole.USER)
        assert 401 == (await script.refused("GET", USERS))[0]
        await identity.set_role("root", UserRole.ADMIN)
    assert 401 == (await script.refused("GET", USERS))[0]


@pytest.mark.asyncio
async def test_revoked_and_expired_tokens_are_refused(script):
    """401."""
    developer = script.console.oauth.developer
    (token,) = await developer.owned_by(script.root.id)
    await developer.revoke(script.root.id, token.id)
    assert 401 == (await script.refused("GET", USERS))[0]
    fresh = await script.made_token(script.root.id)
    script.console.clock.advance(90 * 86_400)
    assert 401 == (await script.refused("GET", USERS, token=fresh))[0]


@pytest.mark.asyncio
async def test_who_guesses_waits(script):
    """So many tokens that are none a minute from one network; then the right one waits as well."""
    limit = script.console.oauth.rules.failures_per_minute
    for _ in range(limit):
        assert 401 == (await script.refused("GET", USERS, token="gwdev_" + "x" * 43))[0]
    answer = await script.ask("GET", USERS)
    assert (429, "60") == (answer.status_code, answer.headers["retry-after"])
    script.console.clock.advance(60)
    await script.done("GET", USERS)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"[]", "object"),
        (b"\xff", "malformed"),
        (b'{"name":"eve","email":"e@example.org","admin":true}', "`admin`"),
        (b'{"name":"eve","name":"e\xc3\xa9","email":"e@example.org"}', "`name` occurs twice"),
        (b'{"name":"eve"}', "`email`"),
        (b'{"name":7,"email":"e@example.org"}', "$.name"),
        (b'{"name":"eve","email":"e@example.org","role":"root"}', "$.role"),
        (b'{"name":"eve","email":"e@example.org","unlimited":"yes"}', "$.unlimited"),
    ],
)
async def test_what_is_wrong_with_a_body_is_named(script, body, said):
    """400; nothing is left out silently."""
    before = await Table.rows(script)
    status, message = await script.refused("POST", USERS, body)
    assert (400, True) == (status, said in message), message
    assert before[0] == (await Table.rows(script))[0]


@pytest.mark.asyncio
async def test_members_within_members_occur_once(script):
    """In objects, and in lists of them."""
    path = f"{USERS}/{script.ada.id}/keys"
    for body, name in (
        (b'{"limits":{"requests":1,"requests":100}}', "requests"),
        (b'{"budgets":[{"amount":"1","amount":"9","period":"day"}]}', "amount"),
    ):
        assert (400, f"`{name}` occurs twice in the body") == await script.refused(
            "POST", path, body
        )


@pytest.mark.asyncio
async def test_a_body_is_json_of_some_size_where_one_is_taken(script):
    """415, 413, and 400 where none is."""
    body = {"name": "eve", "email": "eve@example.org"}
    kind = {"content-type": "text/plain"}
    assert 415 == (await script.refused("POST", USERS, body, **kind))[0]
    assert 413 == (await script.refused("POST", USERS, b" " * (BODY_BYTES_MAX + 1)))[0]
    assert (400, "this request takes no body") == await script.refused("GET", USERS, body)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "query", "said"),
    [
        ("GET", "?search=a", "`search`"),
        ("GET", "?q=a&q=b", "`q` occurs twice"),
        ("POST", "?q=a", "`q`"),
    ],
)
async def test_what_is_wrong_with_a_query_is_named(script, method, query, said):
    """400."""
    body = {"name": "eve", "email": "eve@example.org"} if method == "POST" else None
    status, message = await script.refused(method, USERS + query, body)
    assert (400, True) == (status, said in message)


@pytest.mark.asyncio
async def test_another_method_is_not_served(script):
    """405, with those that are."""
    answer = await script.ask("PUT", USERS, {})
    assert (405, {"GET", "HEAD", "POST"}) == (
        answer.status_code,
        set(answer.headers["allow"].split(", ")),
    )


@pytest.mark.asyncio
async def test_what_we_fail_at_is_said_in_the_same_form(script, monkeypatch):
    """503 without the database, 500 otherwise; neither tells what it was."""
    for error, status in ((StorageError("secret"), 503), (ValueError("secret"), 500)):

        async def fails(*_, error=error):
            raise error

        monkeypatch.setattr(type(script.console.directory), "page", fails)
        found, message = await script.refused("GET", USERS)
        assert (status, False) == (found, "secret" in message)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("7", 7), ("9007199254740992", 2**53), ("9007199254740993", None)]
    + [(text, None) for text in ("", "-1", "1.0", " 1", "\u0661", "\u00b2", "9" * 5000)],
)
def test_ids_are_digits(text, number):
    """Others are nobody's, whatever their length."""
    assert number == whole(text)
