"""The security page shows every way in and who is in, and changes the password."""

import contextlib

import pytest

from console.consent.asking import Asking, let_in
from console.visiting import PASSWORD, Seen, console_over, user_of, visiting
from trivium.console.security.overview import name
from trivium.identity.accounts.model import Visitor as Somebody
from trivium.identity.accounts.model import Way
from trivium.oauth.developer.model import WRITE_APPS
from trivium.oauth.errors import OAuthError

NEW = "another long password"


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


async def elsewhere(console, user, agent="Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"):
    """A session in another browser."""
    async with console.database.write() as conn:
        who = Somebody(address="192.0.2.9", agent=agent)
        return await console.accounts.sessions.begin(conn, user.id, Way.PASSWORD, who)


@pytest.mark.asyncio
async def test_the_page_shows_who_is_in(database, console):
    """Programs by common names, whatever they wrote escaped."""
    async with visiting(database, console) as visitor:
        user = await user_of(console, password=PASSWORD)
        await elsewhere(console, user)
        await elsewhere(console, user, "<script>alert(1)</script>")
        await visitor.log_in(user)
        page = await visitor.get("/account/security")
        seen = Seen(page.text)
        assert "Firefox, Linux" in seen.text
        assert "192.0.2.9" in seen.text
        assert "this one" in seen.text
        assert "<script>alert" not in page.text
        assert 1 == sum(tag == "h1" for tag, _ in seen.elements)


@pytest.mark.asyncio
async def test_another_password(database, console):
    """Other sessions end, this one goes on with another token."""
    async with visiting(database, console) as visitor:
        user = await user_of(console, password=PASSWORD)
        other = await elsewhere(console, user)
        mine = await visitor.log_in(user)
        await visitor.get("/account/security")
        given = {"current": PASSWORD, "password": NEW}
        answer = await visitor.post("/account/security/password", **given)
        assert (303, "/account/security") == (answer.status_code, answer.headers["location"])
        assert None is await console.accounts.sessions.find(other)
        assert None is await console.accounts.sessions.find(mine)
        assert "Your password is changed" in (await visitor.get("/account/security")).text
        assert "password_changed" in {act.kind for act in await console.audit.of_user(user.id)}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "keeps", "says"),
    [
        ({}, True, "logged out everywhere else."),
        ({"revoke": "1"}, False, "no application and no developer token has access any more."),
    ],
)
async def test_another_password_offers_to_revoke_programs(database, fields, keeps, says):
    """Applications and developer tokens keep their access unless that is ticked."""
    async with Asking.over(database) as asking:
        ada, visitor = asking.ada, asking.visitor
        await asking.console.accounts.recovery.set_password(ada, PASSWORD)
        await visitor.log_in(ada)
        assert 'name="revoke"' not in (await visitor.get("/account/security")).text
        _, developers = await asking.oauth.developer.create(ada.id, "ci")
        assert 'name="revoke"' in (await visitor.get("/account/security")).text
        token = (await let_in(asking)).access_token
        assert 'name="revoke"' in (await visitor.get("/account/security")).text
        wrong = {"current": "wrong", "password": NEW, "revoke": "1"}
        answer = await visitor.post("/account/security/password", **wrong)
        assert (422, True) == (answer.status_code, 'value="1" checked' in answer.text)
        await asking.oauth.tokens.access(token)
        given = {"current": PASSWORD, "password": NEW, **fields}
        assert 303 == (await visitor.post("/account/security/password", **given)).status_code
        assert says in (await visitor.get("/account/security")).text
        assert keeps is bool(await asking.oauth.consents.authorized(ada.id))
        for opened in (
            asking.oauth.tokens.access(token),
            asking.oauth.developer.authenticate(developers, WRITE_APPS),
        ):
            with contextlib.nullcontext() if keeps else pytest.raises(OAuthError):
                await opened


@pytest.mark.asyncio
async def test_it_is_said_that_keys_stay(database, console):
    """Whoever changes the password because somebody knew it has to know."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, password=PASSWORD))
        assert "Keys stay as they are" in (await visitor.get("/account/security")).text


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"current": "wrong", "password": NEW}, "This is not your password."),
        ({"current": PASSWORD, "password": "short"}, "at least 8 characters"),
        ({"current": PASSWORD, "password": "password"}, "easy to guess"),
        ({"current": PASSWORD, "password": ""}, "Please fill in this field."),
    ],
)
async def test_what_is_wrong_stands_beside_its_field(database, console, fields, says):
    """And no password is in the page."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, password=PASSWORD))
        await visitor.get("/account/security")
        answer = await visitor.post("/account/security/password", **fields)
        assert (422, True) == (answer.status_code, says in answer.text)
        assert PASSWORD not in answer.text


@pytest.mark.asyncio
async def test_a_first_password_after_a_recent_proof(database, console, clock):
    """Of somebody who comes in another way; otherwise the proof is asked for."""
    async with visiting(database, console) as visitor:
        user = await user_of(console)
        await visitor.log_in(user)
        assert 'name="current"' not in (await visitor.get("/account/security")).text
        clock.advance(601)
        answer = await visitor.post("/account/security/password", password=NEW)
        assert answer.headers["location"].startswith("/login/confirm?for=")
        clock.advance(-10)
        answer = await visitor.post("/account/security/password", password=NEW)
        assert "/account/security" == answer.headers["location"]
        assert await console.accounts.login.has_password(user.id)


@pytest.mark.asyncio
async def test_one_session_is_ended(database, console):
    """By its user only."""
    async with visiting(database, console) as visitor:
        ada, bob = await user_of(console), await user_of(console, "bob")
        other, foreign = await elsewhere(console, ada), await elsewhere(console, bob)
        await visitor.log_in(ada)
        await visitor.get("/account/security")
        sessions = console.accounts.sessions
        ids = {token: (await sessions.find(token)).id for token in (other, foreign)}
        end = "/account/security/sessions/end"
        assert 404 == (await visitor.post(end, session=ids[foreign])).status_code
        await visitor.get("/account/security")
        assert 404 == (await visitor.post(end, session="x")).status_code
        await visitor.get("/account/security")
        assert 303 == (await visitor.post(end, session=ids[other])).status_code
        assert None is await sessions.find(other)
        assert await sessions.find(foreign)


@pytest.mark.asyncio
async def test_log_out_everywhere(database, console):
    """Here too."""
    async with visiting(database, console) as visitor:
        user = await user_of(console)
        other, mine = await elsewhere(console, user), await visitor.log_in(user)
        await visitor.get("/account/security")
        answer = await visitor.post("/account/security/sessions/end-all")
        assert (303, "/login") == (answer.status_code, answer.headers["location"])
        assert [None, None] == [await console.accounts.sessions.find(t) for t in (other, mine)]
        assert "logged out everywhere" in (await visitor.get("/login")).text


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        *("password", "sessions/end", "sessions/end-all", "factor", "factor/off", "factor/codes"),
        *("passkeys/begin", "passkeys/new", "passkeys/remove", "outside/company", "unlink"),
    ],
)
async def test_no_other_site_changes_anything(database, console, path):
    """Every form carries this browser's token, and comes from here."""
    async with visiting(database, console) as visitor:
        token = await visitor.log_in(await user_of(console, password=PASSWORD))
        await visitor.get("/account/security")
        mine = visitor.token
        path = f"/account/security/{path}"
        assert 403 == (await visitor.post(path, csrf="")).status_code
        crossed = {"sec-fetch-site": "cross-site"}
        assert 403 == (await visitor.post(path, csrf=mine, headers=crossed)).status_code
        assert await console.accounts.sessions.find(token)
        visitor.client.cookies.clear()
        await visitor.get("/login")
        answer = await visitor.post(path)
        assert answer.headers["location"].startswith("/login?for=")


WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/2010 Firefox/140.0", "Firefox, Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/142 Safari/537 Edg/142", "Edge, Windows"),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Safari/605", "Safari, macOS"),
        (
            f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {WEBKIT} Safari/604",
            "Safari, iPhone",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/142 Mobile Safari/537",
            "Chrome, Android",
        ),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", ""),
        ("x" * 100, "x" * 40),
    ],
)
def test_what_a_program_is_called(agent, shown):
    """The first mark that fits; other programs by their first word."""
    assert shown == name(agent)
