"""The example of the docs, run as the docs say: log in, see the balance, revoke, see it fail."""

import asyncio
import contextlib
import os
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from end_to_end.oauth.browsing import NAME, PASSWORD, Browser
from end_to_end.running import START_S

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "oauth-client"


@pytest.fixture
def shop(service, tmp_path):
    """The example's address."""
    app, secret = service.shop
    environ = os.environ | {
        "GATEWAY": service.origin,
        "CLIENT_ID": app.client_id,
        "CLIENT_SECRET": secret,
        "REDIRECT_URI": app.redirect_uri,
    }
    argv = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(service.shop_port)]
    with (tmp_path / "shop.log").open("wb") as log:
        process = subprocess.Popen(argv, cwd=EXAMPLE, env=environ, stdout=log, stderr=log)
    origin = f"http://127.0.0.1:{service.shop_port}"
    try:
        deadline = time.monotonic() + START_S
        while True:
            assert process.poll() is None, (tmp_path / "shop.log").read_text()
            assert time.monotonic() < deadline
            with contextlib.suppress(httpx.TransportError):
                httpx.get(origin)
                break
            time.sleep(0.05)
        yield origin
    finally:
        process.terminate()
        process.wait()


def followed(browser, url):
    """Where a browser ends that follows every redirect."""
    while True:
        answer = browser.client.get(url)
        if not answer.is_redirect:
            return answer
        url = str(answer.url.join(answer.headers["location"]))


def asked(service, browser, shop):
    """The question that somebody is asked who comes to the shop."""
    page = followed(browser, shop)
    if page.url.path == "/login":
        place = parse_qs(urlsplit(str(page.url)).query)["for"][0]
        entered = browser.sent(page, "/login", name=NAME, password=PASSWORD, place=place)
        page = followed(browser, service.origin + entered.headers["location"])
    return page


def revoke(service, browser):
    """Take the shop's access back, as the docs say."""
    page = followed(browser, f"{service.origin}/account/applications")
    card = page.text.partition("Example")[2]
    path = re.search(r'action="(/account/applications/\d+/revoke)"', card)[1]
    assert 303 == browser.sent(page, path).status_code


def test_the_walk_of_the_docs(service, shop):
    """Every step of it, with the answers that the page shows; afterwards one may come again."""
    with Browser(service.origin) as browser:
        for _ in range(2):
            page = asked(service, browser, shop)
            sent = browser.sent(page, page.url.path, answer="allow")
            told = followed(browser, sent.headers["location"]).json()
            assert ("ada", "ada@example.org", "2.50") == (
                told["username"], told["email"], told["balance_formatted"],
            )  # fmt: skip
            revoke(service, browser)
            answer = browser.client.get(shop)
            assert 401 == answer.status_code
            assert "has no access to your account any more" in answer.text


def test_who_does_not_allow_it_is_told_so(service, shop):
    """By the shop, which lives."""
    with Browser(service.origin) as browser:
        page = asked(service, browser, shop)
        sent = browser.sent(page, page.url.path, answer="deny")
        answer = followed(browser, sent.headers["location"])
        assert (403, True) == (answer.status_code, "You did not allow it." in answer.text)


@pytest.fixture
def program(service, monkeypatch):
    """The example in this process, whose tokens can be made to run out."""
    app, secret = service.shop
    monkeypatch.setenv("GATEWAY", service.origin)
    monkeypatch.setenv("CLIENT_ID", app.client_id)
    monkeypatch.setenv("CLIENT_SECRET", secret)
    monkeypatch.setenv("REDIRECT_URI", app.redirect_uri)
    return runpy.run_path(str(EXAMPLE / "app.py"))


@pytest.mark.asyncio
async def test_a_login_outlives_its_tokens(service, program):
    """Each refreshed token is kept: with an old one the next refresh would count as a theft."""
    transport = httpx.ASGITransport(program["app"])
    origin = f"http://127.0.0.1:{service.shop_port}"
    async with httpx.AsyncClient(transport=transport, base_url=origin) as visitor:

        async def through(url):
            answer = await visitor.get(url)
            while answer.is_redirect and answer.headers["location"].startswith(("/", origin)):
                answer = await visitor.get(answer.headers["location"])
            return answer

        asking = (await through("/")).headers["location"]
        with Browser(service.origin) as browser:
            back = await asyncio.to_thread(browser.authorized, asking)
            told = await through(back)
            (user,) = program["tokens"]
            assert told.json()["username"] == "ada"
            held = [program["tokens"][user]["refresh_token"]]
            for _ in range(2):
                program["tokens"][user]["expires_at"] = 1
                assert 200 == (await visitor.get("/")).status_code
                held.append(program["tokens"][user]["refresh_token"])
            assert 3 == len(set(held))
            await asyncio.to_thread(revoke, service, browser)
        program["tokens"][user]["expires_at"] = 1
        assert 401 == (await visitor.get("/")).status_code
        assert {} == program["tokens"]
