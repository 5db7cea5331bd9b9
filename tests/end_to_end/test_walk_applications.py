"""A person's walk in Chromium with an application: sign up, be sent by it to log in and to agree,
come back to it, take consent back, top up.

The application is a server of this test; the browser goes between the two as it would anywhere.
"""

import asyncio
import contextlib
import re
import socket
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from end_to_end.running import database
from end_to_end.test_walk import PASSWORD, letter, log_in, sign_up, walking
from ports import free_port
from scripted_upstream import sized
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger.codes.service import Codes
from trivium.oauth.apps.service import Apps
from trivium.observe.audit.service import Audit

pytestmark = pytest.mark.browser

RULES = "[oauth]\nallow_insecure_redirect = true\n"
SCOPE = "profile balance"
CAME_BACK = sized(
    b"<link rel=icon href='data:,'><h1>The shop</h1>",
    headers=b"Content-Type: text/html\r\nConnection: close\r\n",
)


class Shop:
    """The application: where browsers come back to, and what it asks the gateway for."""

    def __init__(self, port):
        self.callback = f"http://127.0.0.1:{port}/callback"
        self.visits = []

    async def serve(self, reader, writer):
        """Note the address, greet."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.visits.append(head.split(b" ")[1].decode())
        writer.write(CAME_BACK)
        await writer.drain()
        writer.close()

    async def register(self, folder):
        """By somebody else, beside the running gateway."""
        async with database(folder) as db:
            clock = SystemClock()
            owner = await Identity(db, clock).create_user("owner", "owner@example.org")
            limits = {"apps_max": 9, "apps_per_hour": 9, "allow_insecure_redirect": True}
            apps = Apps(db, clock, Audit(db, clock), **limits)
            self.app, self.secret = await apps.create(
                owner.id, "Shop", "Sells things.", self.callback
            )

    def link(self, state):
        """Where it sends people."""
        asked = {"client_id": self.app.client_id, "redirect_uri": self.callback, "state": state}
        return (
            f"/api/oauth2/authorize?{urlencode(asked | {'response_type': 'code', 'scope': SCOPE})}"
        )

    def told(self):
        """The parameters with which the browser came back last."""
        where = urlsplit(self.visits[-1])
        assert "/callback" == where.path
        return {name: value for name, (value,) in parse_qs(where.query).items()}

    async def token(self, client, code):
        """An access token for the code."""
        grant = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.callback}
        auth = (self.app.client_id, self.secret)
        answer = await client.post("/api/oauth2/token", data=grant, auth=auth)
        assert 200 == answer.status_code, answer.text
        return answer.json()["access_token"]


@contextlib.asynccontextmanager
async def shopping():
    """The application, listening."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        shop = Shop(held.getsockname()[1])
        server = await asyncio.start_server(shop.serve, sock=held)
        async with server:
            yield shop


@pytest.fixture
def origin(monkeypatch):
    """Where the gateway will listen: its addresses are known before it starts."""
    port = free_port()
    monkeypatch.setenv("TRIVIUM_SERVER__LISTEN", f"127.0.0.1:{port}")
    return f"http://127.0.0.1:{port}"


async def code_over(folder, dollars):
    """A code that brings so much."""
    async with database(folder) as db:
        _, (code,) = await Codes(db, SystemClock()).create(dollars * 10**9, 1)
        return code


@pytest.mark.asyncio
async def test_an_application_is_let_in_and_sent_out_again(tmp_path, origin):
    """From sign-up to top-up; after revocation its token is refused with the next call."""
    async with (
        shopping() as shop,
        walking(tmp_path, rest=RULES) as (page, _, box),
        httpx.AsyncClient(base_url=origin) as client,
    ):
        await shop.register(tmp_path)
        await sign_up(page, box)
        await page.get_by_role("button", name="Log out").click()
        await page.wait_for_url("**/login")

        await page.goto(shop.link("s&1"))
        assert await page.get_by_text("Shop").first.is_visible()
        await log_in(page, "grace", PASSWORD)
        await page.get_by_role("heading", name="Let Shop in?").wait_for()
        assert await page.get_by_text("Your balance").is_visible()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await page.get_by_role("heading", name="The shop").wait_for()
        told = shop.told()
        assert ({"code", "state"}, "s&1") == ({*told}, told["state"])

        token = await shop.token(client, told["code"])
        bearer = {"authorization": f"Bearer {token}"}
        answer = await client.get("/api/oauth2/userinfo", headers=bearer)
        assert (200, "grace") == (answer.status_code, answer.json()["username"])
        topup = (await client.get("/api/oauth2/topup", headers=bearer)).json()["topup_url"]

        await page.goto(f"{origin}/account")
        await page.get_by_role("link", name="Authorized applications").first.click()
        await page.get_by_text("Made by owner").wait_for()
        await page.get_by_role("button", name="Revoke access").first.click()
        dialog = page.locator("dialog:modal")
        await dialog.get_by_role("button", name="Revoke access").click()
        await page.get_by_text("The application has no access any more.").wait_for()
        answer = await client.get("/api/oauth2/userinfo", headers=bearer)
        assert (401, "invalid_token") == (answer.status_code, answer.json()["error"])

        await page.goto(topup)
        assert await page.get_by_text("Shop sent you here.").is_visible()
        await page.fill("#code", await code_over(tmp_path, 5))
        await page.get_by_role("button", name="Redeem").click()
        await page.get_by_text("$5.00 were added.").wait_for()
        assert "$5.00" == await page.locator("dd strong").first.inner_text()
        assert [] == page.problems


@pytest.mark.slow
@pytest.mark.asyncio
async def test_an_application_that_is_not_let_in_is_told_so(tmp_path, origin):
    """And the next time a new password sends out one that was."""
    async with shopping() as shop, walking(tmp_path, rest=RULES) as (page, _, box):
        await shop.register(tmp_path)
        await sign_up(page, box)
        await page.goto(shop.link("no"))
        await page.get_by_role("button", name="Do not allow").click()
        await page.get_by_role("heading", name="The shop").wait_for()
        assert ("access_denied", "no") == (shop.told()["error"], shop.told()["state"])

        await page.goto(shop.link("yes"))
        await page.get_by_role("button", name="Allow", exact=True).click()
        await page.get_by_role("heading", name="The shop").wait_for()
        assert "code" in shop.told()
        await page.goto(f"{origin}/account")
        await page.get_by_role("button", name="Log out").click()
        await page.wait_for_url("**/login")
        await page.goto(shop.link("again"))
        await log_in(page, "grace", PASSWORD)
        await page.get_by_role("heading", name="The shop").wait_for()
        assert ({"code", "state"}, "again") == ({*shop.told()}, shop.told()["state"])

        await page.goto(f"{origin}/account")
        await page.get_by_role("button", name="Log out").click()
        await page.wait_for_url("**/login")
        await page.goto(f"{origin}/password/forgot")
        await page.fill("#name", "grace")
        await page.get_by_role("button", name="Send the link").click()
        await page.goto(await letter(page, box, 2))
        await page.fill("#password", "three ducks in a row")
        await page.get_by_label(re.compile("revoke all applications")).check()
        await page.get_by_role("button", name="Set the password").click()
        await page.goto(f"{origin}/account/applications")
        await log_in(page, "grace", "three ducks in a row")
        await page.get_by_role("heading", name="No application has access").wait_for()
        assert [] == page.problems
