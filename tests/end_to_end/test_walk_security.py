"""A person's walk through the security pages in Chromium: passkey, second factor, sessions.

The browser's virtual authenticator makes and uses the passkey, as a device would. Passkeys are
bound to a name, so the gateway is visited as ``localhost`` here.
"""

import re

import pytest
from pyotp import TOTP

from end_to_end.test_walk import PASSWORD, log_in, sign_up, walking
from ports import free_port

pytestmark = pytest.mark.browser

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def origin(monkeypatch):
    """Where the gateway will listen, by name."""
    port = free_port()
    monkeypatch.setenv("TRIVIUM_SERVER__LISTEN", f"127.0.0.1:{port}")
    monkeypatch.setenv("TRIVIUM_SERVER__PUBLIC_URL", f"http://localhost:{port}")
    return f"http://localhost:{port}"


async def by_name(page, origin):
    """A page of another browser context that looks at the gateway by its name."""
    context = await page.context.browser.new_context(base_url=origin, locale="en-US")
    other = await context.new_page()
    other.problems = page.problems
    other.on(
        "console",
        lambda said: said.type in ("error", "warning") and page.problems.append(said.text),
    )
    other.on("pageerror", lambda error: page.problems.append(str(error)))
    return other


async def device(page):
    """The page's own authenticator."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    return session, made["authenticatorId"]


@pytest.mark.asyncio
async def test_a_passkey_is_added_and_logs_in(tmp_path, origin):
    """With one button, no name and no password; when the device says no, the page says so."""
    async with walking(tmp_path) as (first, _, box):
        page = await by_name(first, origin)
        session, authenticator = await device(page)
        await sign_up(page, box)
        await page.goto("/account/security")
        await page.get_by_role("link", name="Add a passkey").click()
        await page.fill("#name", "Work laptop")
        await page.get_by_role("button", name="Add").click()
        await page.get_by_text("The passkey is added.").wait_for()
        assert await page.get_by_role("rowheader", name="Work laptop").is_visible()

        await page.get_by_role("button", name="Log out", exact=True).click()
        await page.wait_for_url("**/login*")
        refuse = {"authenticatorId": authenticator, "isUserVerified": False}
        await session.send("WebAuthn.setUserVerified", refuse)
        await page.get_by_role("button", name="Use a passkey").click()
        await page.get_by_text("No passkey was used.").wait_for()
        await session.send("WebAuthn.setUserVerified", {**refuse, "isUserVerified": True})
        await page.get_by_role("button", name="Use a passkey").click()
        await page.wait_for_url("**/account")
        assert [] == page.problems


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_second_factor_is_switched_on_and_asked_for(tmp_path, origin):
    """By a picture, a code and recovery codes; then a login stops half way."""
    async with walking(tmp_path) as (first, _, box):
        page = await by_name(first, origin)
        await sign_up(page, box)
        await page.goto("/account/security")
        await page.get_by_role("link", name="Switch on").click()
        assert await page.locator("svg.qr").is_visible()
        secret = re.sub(r"\s", "", await page.locator("#secret").inner_text())
        await page.fill("#code", TOTP(secret).now())
        await page.get_by_role("button", name="Switch on").click()
        codes = (await page.locator("#codes").inner_text()).split()
        assert 10 == len(codes)

        other = await by_name(first, origin)
        await other.goto("/login")
        await log_in(other, "grace", PASSWORD)
        await other.get_by_role("heading", name="Second factor").wait_for()
        await other.fill("#code", "000000")
        await other.get_by_role("button", name="Continue").click()
        await other.get_by_text("This code is wrong or was used before.").wait_for()
        await other.fill("#code", codes[0])
        await other.get_by_role("button", name="Continue").click()
        await other.wait_for_url("**/account")

        await page.goto("/account/security")
        assert await page.get_by_text("9 recovery codes are left.").is_visible()
        await page.get_by_role("button", name="End", exact=True).click()
        await page.get_by_text("The session is ended.").wait_for()
        await other.goto("/account")
        await other.wait_for_url("**/login*")
        # the one answer with an error status that this walk asks for
        assert all("422" in problem for problem in page.problems), page.problems
