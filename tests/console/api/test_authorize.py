"""The authorization endpoint over HTTP: every row of its table, and that errors never redirect."""

from urllib.parse import quote

import pytest

from console.api.calling import Caller
from console.consent.asking import AUTHORIZE, CALLBACK, Asking, came_back
from console.visiting import Seen, console_over, user_of
from oauth.world import CHALLENGE
from trivium.clock import FixedClock
from trivium.oauth.apps.model import AppStatus, GrantType
from trivium.settings.section import OAuthSettings as Rules
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


def check_framing(answer):
    """Headers of every page and redirect."""
    assert "no-store" == answer.headers["cache-control"]
    assert "no-referrer" == answer.headers["referrer-policy"]
    assert "DENY" == answer.headers["x-frame-options"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


async def test_a_good_request_goes_on_to_our_own_page(asking):
    """With an id alone: nothing of the application's is in the address."""
    answer = await asking.sent(state="a b&c", auto_authorize="true")
    check_framing(answer)
    location = answer.headers["location"]
    assert (303, 48) == (answer.status_code, len(location.removeprefix("/authorize/")))
    assert "set-cookie" not in answer.headers


PAGES = {
    "no client": {"client_id": None},
    "unknown client": {"client_id": "gwc_nobody"},
    "no redirect": {"redirect_uri": None},
    "slash": {"redirect_uri": CALLBACK.replace("?", "/?")},
    "no query": {"redirect_uri": CALLBACK.partition("?")[0]},
    "more query": {"redirect_uri": f"{CALLBACK}&x=1"},
    "fragment": {"redirect_uri": f"{CALLBACK}#x"},
    "case": {"redirect_uri": CALLBACK.replace("shop", "SHOP")},
    "port": {"redirect_uri": CALLBACK.replace("example/", "example:443/")},
    "encoded": {"redirect_uri": CALLBACK.replace("callback", "c%61llback")},
    "traversal": {"redirect_uri": CALLBACK.replace("/callback", "/x/../callback")},
    "user": {"redirect_uri": CALLBACK.replace("shop.example", "shop.example@evil.example")},
    "subdomain": {"redirect_uri": CALLBACK.replace("shop", "www.shop")},
    "elsewhere": {"redirect_uri": "https://evil.example/"},
    "scheme-less": {"redirect_uri": "//evil.example/"},
    "script": {"redirect_uri": "javascript:alert(1)"},
    "header": {"redirect_uri": "https://shop.example/\r\nset-cookie: a=b"},
}


@pytest.mark.parametrize("changes", PAGES.values(), ids=PAGES)
async def test_a_wrong_application_or_address_is_a_page(asking, changes):
    """400, no redirect, and no link to where it pointed."""
    answer = await asking.sent(**changes)
    check_framing(answer)
    assert (400, "text/html; charset=utf-8") == (
        answer.status_code, answer.headers["content-type"],
    )  # fmt: skip
    assert "location" not in answer.headers
    assert "evil" not in answer.text
    seen = Seen(answer.text)
    assert "This application cannot be opened" in seen.text
    links = [attrs.get("href", "") for _, attrs in seen.elements]
    assert [] == [link for link in links if not link.startswith(("/", "#")) and link]


async def test_a_suspended_application_is_a_page(asking):
    """It says so."""
    await asking.oauth.apps.set_status(asking.owner.id, asking.app.id, AppStatus.SUSPENDED)
    answer = await asking.sent()
    assert (400, True) == (answer.status_code, "app_suspended" in answer.text)


async def test_a_disabled_developers_application_is_a_page(asking):
    """Also for a request that waits already."""
    waits = (await asking.sent()).headers["location"]
    await asking.visitor.console.identity.disable_user(asking.owner.name)
    answer = await asking.sent()
    assert (400, True) == (answer.status_code, "app_suspended" in answer.text)
    await asking.visitor.log_in(asking.ada)
    answer = await asking.visitor.get(waits)
    assert (400, True) == (answer.status_code, "app_suspended" in answer.text)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
async def test_what_decides_must_be_said_once(asking, name):
    """A page for these two."""
    extra = f"&{name}={quote(getattr(asking.app, name), safe='')}"
    answer = await asking.visitor.get(f"{AUTHORIZE}?{asking.query()}{extra}")
    assert (400, True) == (answer.status_code, "repeated" in answer.text)


BACK = {
    "repeated": ({}, "&scope=profile", "invalid_request"),
    "no response type": ({"response_type": None}, "", "invalid_request"),
    "token": ({"response_type": "token"}, "", "unsupported_response_type"),
    "scope": ({"scope": "openid"}, "", "invalid_scope"),
    "challenge": (PKCE | {"code_challenge": "x"}, "", "invalid_request"),
    "plain": (PKCE | {"code_challenge_method": "plain"}, "", "invalid_request"),
}


@pytest.mark.parametrize(("changes", "extra", "code"), BACK.values(), ids=BACK)
async def test_everything_else_goes_back(asking, changes, extra, code):
    """303, with the error, words and the state."""
    answer = await asking.visitor.get(f"{AUTHORIZE}?{asking.query(**changes)}{extra}")
    check_framing(answer)
    said = came_back(answer)
    assert (code, "s-1") == (said["error"], said["state"])
    assert {"error", "error_description", "state"} == set(said)


async def test_without_state_pkce_does(database):
    """Unless the setting is strict."""
    async with Asking.over(database) as asking:
        assert "invalid_request" == came_back(await asking.sent(state=None))["error"]
        assert (await asking.page(state=None, **PKCE)).startswith("/authorize/")


async def test_without_state_nothing_does_where_it_is_strict(database):
    """The literal specification."""
    async with Asking.over(database, oauth=Rules(strict_state=True)) as asking:
        assert "invalid_request" == came_back(await asking.sent(state=None, **PKCE))["error"]
        await asking.page(**PKCE)


async def test_an_application_without_the_grant_is_told_so(asking):
    """unauthorized_client."""
    await asking.oauth.apps.edit(
        asking.owner.id,
        asking.app.id,
        name="Shop",
        description="",
        redirect_uri=CALLBACK,
        grants=frozenset({GrantType.REFRESH}),
        rotate_refresh=True,
        send_iss=False,
    )
    assert "unauthorized_client" == came_back(await asking.sent())["error"]


async def test_a_form_may_be_posted_from_anywhere(asking):
    """OpenID libraries do; the browser goes on by GET."""
    answer = await asking.visitor.client.post(
        AUTHORIZE,
        content=asking.query(),
        headers={
            "content-type": "application/x-www-form-urlencoded",
            "origin": "https://shop.example",
            "sec-fetch-site": "cross-site",
        },
    )
    assert (303, True) == (
        answer.status_code, answer.headers["location"].startswith("/authorize/"),
    )  # fmt: skip
    answer = await asking.visitor.client.post(
        AUTHORIZE, content=b"{}", headers={"content-type": "application/json"}
    )
    assert 415 == answer.status_code


async def test_form_and_address_do_not_add_up(asking):
    """What stands in both is repeated."""
    answer = await asking.visitor.client.post(
        f"{AUTHORIZE}?state=s-2",
        content=asking.query(),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    said = came_back(answer)
    assert ("invalid_request", False) == (said["error"], "state" in said)


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE"])
async def test_other_methods_are_refused(asking, method):
    """405; nothing is kept."""
    answer = await asking.visitor.client.request(method, f"{AUTHORIZE}?{asking.query()}")
    assert 405 == answer.status_code
    assert {"GET", "POST"} <= {each.strip() for each in answer.headers["allow"].split(",")}


async def test_too_many_requests_wait(database):
    """A page with the seconds: the application's address has not been looked at."""
    async with Asking.over(database, oauth=Rules(authorize_per_minute=2)) as asking:
        for _ in range(2):
            await asking.page()
        answer = await asking.sent()
        assert (429, "60") == (answer.status_code, answer.headers["retry-after"])
        assert "Too many requests" in answer.text
        asking.console.clock.advance(60)
        await asking.page()


async def test_who_is_logged_in_is_counted_apart_from_their_neighbours(database):
    """Once the address is used up; and has as many as they."""
    async with Asking.over(database, oauth=Rules(authorize_per_minute=2)) as asking:
        for _ in range(2):
            await asking.sent()
        assert 429 == (await asking.sent()).status_code
        await asking.visitor.log_in(await user_of(asking.console, "bob"))
        statuses = [(await asking.sent()).status_code for _ in range(3)]
        assert [303, 303, 429] == statuses


@pytest.mark.parametrize(
    ("raised", "code"),
    [(StorageDown("away"), "temporarily_unavailable"), (LookupError("x"), "server_error")],
)
async def test_our_own_failure_goes_back_too(asking, monkeypatch, raised, code):
    """No status travels through a redirect."""

    async def fails(_):
        raise raised

    monkeypatch.setattr(asking.oauth.consents, "begin", fails)
    assert code == came_back(await asking.sent())["error"]


async def test_without_the_database_nobody_is_redirected(asking, monkeypatch):
    """The application cannot be looked up."""

    async def fails(_):
        raise StorageDown("away")

    monkeypatch.setattr(asking.oauth.apps, "find", fails)
    answer = await asking.sent()
    assert (503, False) == (answer.status_code, "location" in answer.headers)


async def test_it_is_on_the_host_of_the_issuer(database):
    """Where the settings name several; `Host` builds no address."""
    async with Asking.over(database, auth_url="https://login.example") as asking:
        assert 404 == (await asking.sent()).status_code
        answer = await asking.visitor.get(f"{AUTHORIZE}?{asking.query()}", host="login.example")
        assert answer.headers["location"].startswith("/authorize/")


PATH = "/.well-known/oauth-authorization-server"


async def test_every_endpoint_it_names_is_served(caller):
    """By the same application; its issuer is the origin."""
    answer = await caller.client.get(PATH)
    body = answer.json()
    assert (200, "https://gateway.example") == (answer.status_code, body["issuer"])
    for name in ("token_endpoint", "revocation_endpoint", "userinfo_endpoint"):
        path = body[name].removeprefix(body["issuer"])
        assert 404 != (await caller.client.get(path)).status_code


async def test_it_is_on_the_host_of_the_issuer_of_metadata(database):
    """Where the settings name several."""
    console = console_over(database, FixedClock(), auth_url="https://login.example")
    async with Caller.over(console) as caller:
        assert 404 == (await caller.client.get(PATH)).status_code
        answer = await caller.client.get(PATH, headers={"host": "login.example"})
        assert "https://login.example" == answer.json()["issuer"]


async def test_spending_is_told_where_it_is_switched_on(database):
    """And only there."""
    console = console_over(database, FixedClock(), oauth=Rules(spend=True))
    async with Caller.over(console) as caller:
        assert "spend" in (await caller.client.get(PATH)).json()["scopes_supported"]


async def test_spending_is_not_told_where_it_is_not(caller):
    """Nobody asks for what would be refused."""
    assert "spend" not in (await caller.client.get(PATH)).json()["scopes_supported"]
