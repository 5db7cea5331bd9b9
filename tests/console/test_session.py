"""Cookies, and what pages ask for before they show anything."""

import re

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from console.visiting import console_over, user_of, visiting
from trivium.console import app, session
from trivium.identity.model import UserRole


async def mine(request):
    return PlainTextResponse(f"of {session.user_of(request).name}")


async def enters(request):
    answer = PlainTextResponse(session.after(request, request.query_params.get("for", "")))
    session.begin(request, answer, "fresh-session-token")
    return answer


async def leaves(request):
    answer = PlainTextResponse("bye")
    session.end(request, answer)
    return answer


@pytest.fixture(autouse=True)
def pages(monkeypatch):
    """One page of each kind."""
    more = (
        Route("/account/mine", session.signed_in(mine)),
        Route("/account/secret", session.recent(mine), methods=["GET", "POST"]),
        Route("/admin/all", session.admin(mine)),
        Route("/account/enters", enters),
        Route("/account/leaves", leaves),
    )
    monkeypatch.setattr(app, "PAGES", (*app.PAGES, *more))


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/account/mine?page=2", "/account/secret", "/admin/all"])
async def test_visitors_are_sent_to_log_in_and_come_back(database, path):
    """The page is an id that opens in this browser; no address is in the query."""
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
        found = re.fullmatch(r"/login\?for=([\w-]+)", answer.headers["location"])
        assert (303, True) == (answer.status_code, found is not None)
        assert path == (await visitor.get(f"/account/enters?for={found[1]}")).text
    async with visiting(database, visitor.console) as other:
        assert "/account" == (await other.get(f"/account/enters?for={found[1]}")).text


@pytest.mark.asyncio
@pytest.mark.parametrize("sealed", ["", "//evil.example", "https://evil.example", "AAAA"])
async def test_a_login_leads_to_our_own_pages_only(database, sealed):
    """Whatever somebody puts into the address."""
    async with visiting(database) as visitor:
        assert "/account" == (await visitor.get(f"/account/enters?for={sealed}")).text


@pytest.mark.asyncio
async def test_a_page_too_long_to_remember_is_not(database):
    """The visitor comes home instead."""
    async with visiting(database) as visitor:
        answer = await visitor.get("/account/mine?x=" + "y" * 2000)
        assert len(answer.headers["location"]) < 200
        path = answer.headers["location"].partition("for=")[2]
        assert "/account" == (await visitor.get(f"/account/enters?for={path}")).text


@pytest.mark.asyncio
async def test_a_user_sees_their_page(database):
    """And an administrator's is not theirs."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        assert "of ada" == (await visitor.get("/account/mine")).text
        assert 403 == (await visitor.get("/admin/all")).status_code
        await visitor.log_in(await user_of(visitor.console, "eve", UserRole.ADMIN))
        assert "of eve" == (await visitor.get("/admin/all")).text


@pytest.mark.asyncio
async def test_sensitive_pages_ask_again_after_ten_minutes(database, clock):
    """Then the user proves once more who they are."""
    async with visiting(database, console_over(database, clock)) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        clock.advance(600)
        assert "of ada" == (await visitor.get("/account/secret")).text
        clock.advance(1)
        answer = await visitor.get("/account/secret")
        assert answer.headers["location"].startswith("/login/confirm?for=")
        assert "of ada" == (await visitor.get("/account/mine")).text


@pytest.mark.asyncio
async def test_cookies_are_out_of_reach(database):
    """Of scripts, other hosts, plain connections and forms of other sites."""
    async with visiting(database) as visitor:
        page = await visitor.get("/account/none")
        answer = await visitor.get("/account/enters")
        for cookie in (
            *page.headers.get_list("set-cookie"),
            *answer.headers.get_list("set-cookie"),
        ):
            name, _, rest = cookie.partition("=")
            assert name in ("__Host-gw_session", "__Host-gw_visit")
            assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(rest.split("; "))
            assert "Domain" not in rest


@pytest.mark.asyncio
async def test_a_login_leaves_nothing_of_what_the_browser_had_before(database):
    """Fixation: a value that somebody planted is worth nothing afterwards."""
    async with visiting(database) as visitor:
        await visitor.get("/account/none")
        before = visitor.client.cookies["__Host-gw_visit"]
        token = visitor.token
        await visitor.get("/account/enters")
        assert before != visitor.client.cookies["__Host-gw_visit"]
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account/none")
        assert token != visitor.token
        assert 403 == (await visitor.post("/account/secret", csrf=token)).status_code


@pytest.mark.asyncio
async def test_logging_out_forgets_both_cookies(database):
    """In the browser; the server ends the session itself."""
    async with visiting(database) as visitor:
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account/leaves")
        assert {} == dict(visitor.client.cookies)


@pytest.mark.asyncio
async def test_on_plain_http_the_names_go_without_their_prefix(database):
    """Browsers take neither the prefix nor ``Secure`` there."""
    console = console_over(database, public_url="http://127.0.0.1:8080")
    async with visiting(database, console) as visitor:
        answer = await visitor.get("/account/enters")
        names = [cookie.partition("=")[0] for cookie in answer.headers.get_list("set-cookie")]
        assert ["gw_session", "gw_visit"] == names
        assert "Secure" not in answer.headers["set-cookie"]
