"""Log in with an outside provider through the pages."""

import pytest
from sqlalchemy import text

from console.visiting import PASSWORD, console_over, user_of, visiting
from oidc import ISSUER, Scripted, query
from trivium.identity.accounts.sso.provider import SsoProvider
from trivium.settings.accounts import LoginEntry

ENTRY = LoginEntry(
    name="company",
    title="Company <b>",
    issuer=ISSUER,
    client_id="trivium",
    client_secret="s3cret",
    trust_email=True,
)


@pytest.fixture
def remote(clock):
    return Scripted(clock.now)


@pytest.fixture
def console(database, clock, remote):
    made = console_over(database, clock)
    made.accounts.outside._providers = {"company": SsoProvider(ENTRY, clock, remote.transport)}
    return made


async def verified(console, **more):
    """A user whose address is verified."""
    user = await user_of(console, **more)
    async with console.database.write() as conn:
        await conn.execute(text("UPDATE users SET email_verified_at = 1"))
    return user


async def there_and_back(visitor, remote, path, place="", **changes):
    """Leave by a form, come back by the provider's redirect."""
    left = await visitor.post(path, place=place)
    assert 200 == left.status_code, left.text
    url = left.headers["refresh"].removeprefix("0; url=")
    asked = query(url)
    remote.nonce = asked["nonce"]
    answer = {"code": "c0de", "state": asked["state"], **changes}
    came = "&".join(f"{name}={value}" for name, value in answer.items())
    return await visitor.get(f"/login/outside/company/callback?{came}", sec_fetch_site="cross-site")


@pytest.mark.asyncio
async def test_a_provider_lets_in(database, console, remote):
    """By a button; its title is plain text. To the page that was wanted."""
    async with visiting(database, console) as visitor:
        await verified(console)
        asked = await visitor.get("/account/usage")
        page = await visitor.get(asked.headers["location"])
        assert "Log in with Company &lt;b&gt;" in page.text
        place = page.text.partition('name="place" value="')[2].partition('"')[0]
        answer = await there_and_back(visitor, remote, "/login/outside/company", place)
        assert (303, "/account/usage") == (answer.status_code, answer.headers["location"])
        assert 200 == (await visitor.get("/account")).status_code
        assert "__Host-gw_trip" not in visitor.client.cookies


@pytest.mark.asyncio
async def test_leaving_goes_to_the_provider_and_says_so(database, console):
    """Without a redirect, which would need its origin as the target of forms; and by a form alone."""
    async with visiting(database, console) as visitor:
        await visitor.get("/login")
        left = await visitor.post("/login/outside/company")
        assert "form-action 'self';" in left.headers["content-security-policy"]
        assert left.headers["refresh"].startswith(f"0; url={ISSUER}/authorize?")
        assert "no-referrer" == left.headers["referrer-policy"]
        assert "s3cret" not in left.text
        (cookie,) = [c for c in left.headers.get_list("set-cookie") if "gw_trip" in c]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert 405 == (await visitor.get("/login/outside/company")).status_code
        assert 422 == (await visitor.post("/login/outside/nobody")).status_code
        crossed = {"sec-fetch-site": "cross-site"}
        assert 403 == (await visitor.post("/login/outside/company", headers=crossed)).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "changes", [{"state": "other"}, {"code": "a&code=b"}, {"state": "a&state=b"}, {"iss": "x"}]
)
async def test_another_answer_lets_nobody_in(database, console, remote, changes):
    """A state that is not this browser's, a parameter that comes twice, another issuer."""
    async with visiting(database, console) as visitor:
        await verified(console)
        await visitor.get("/login")
        answer = await there_and_back(visitor, remote, "/login/outside/company", **changes)
        assert 422 == answer.status_code
        assert "__Host-gw_session" not in visitor.client.cookies
        (act, *_) = await console.audit.everything(limit=1)
        assert "login_failed" == act.kind


@pytest.mark.asyncio
async def test_a_callback_that_nobody_left_for_is_not_told(database, console):
    """Anybody can load the address as often as they like."""
    async with visiting(database, console) as visitor:
        for step in ("", "x" * 43):
            visitor.client.cookies.set("__Host-gw_trip", step)
            answer = await visitor.get("/login/outside/company/callback?code=a&state=b")
            assert 422 == answer.status_code
        assert [] == await console.audit.everything(limit=1)


@pytest.mark.asyncio
async def test_another_browser_does_not_come_back(database, console, remote):
    """Whoever is sent somebody else's callback is not logged in as them (login CSRF)."""
    async with visiting(database, console) as visitor:
        await verified(console)
        await visitor.get("/login")
        left = await visitor.post("/login/outside/company")
        asked = query(left.headers["refresh"].removeprefix("0; url="))
        remote.nonce = asked["nonce"]
        visitor.client.cookies.clear()
        path = f"/login/outside/company/callback?code=c0de&state={asked['state']}"
        assert 422 == (await visitor.get(path)).status_code
        assert "__Host-gw_session" not in visitor.client.cookies


@pytest.mark.asyncio
async def test_an_unknown_login_is_told_how_to_go_on(database, console, remote):
    """Log in another way, and link it."""
    async with visiting(database, console) as visitor:
        await user_of(console)
        await visitor.get("/login")
        answer = await there_and_back(visitor, remote, "/login/outside/company")
        assert (422, True) == (answer.status_code, "belongs to no account" in answer.text)


@pytest.mark.asyncio
async def test_linked_used_to_prove_again_and_unlinked(database, console, remote, clock):
    """All of it by forms of the security page."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, password=PASSWORD))
        page = await visitor.get("/account/security")
        assert "Link Company &lt;b&gt;" in page.text
        answer = await there_and_back(visitor, remote, "/account/security/outside/company")
        assert "/account/security" == answer.headers["location"]
        page = await visitor.get("/account/security")
        assert "The login is linked to your account." in page.text
        assert "ada@example.com" in page.text

        clock.advance(601)
        asked = await visitor.get("/account/security/factor")
        page = await visitor.get(asked.headers["location"])
        place = page.text.partition('name="place" value="')[2].partition('"')[0]
        remote.claims["auth_time"] = int(clock.now())
        way = "/login/confirm/outside/company"
        answer = await there_and_back(visitor, remote, way, place)
        assert "/account/security/factor" == answer.headers["location"]

        await visitor.get("/account/security")
        (linked,) = await console.accounts.outside.of_user(1)
        answer = await visitor.post("/account/security/unlink", login=linked.id)
        assert "/account/security" == answer.headers["location"]
        assert [] == await console.accounts.outside.of_user(1)
        kinds = {act.kind for act in await console.audit.of_user(1)}
        assert {"outside_login_added", "outside_login_removed"} <= kinds
