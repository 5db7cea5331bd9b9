"""A person's walk through the pages in Chromium: sign up, log in, make a key and use it, look at
what it cost, forget the password, leave.

Parts with pages of their own go on from here: `walking` gives a browser before a running gateway,
a mailbox, and a vendor behind it. Keys are polled for once a minute there: what is done to them on a
page holds at once all the same.
"""

import contextlib
import re
from email import message_from_bytes

import pytest
from aiosmtpd.controller import Controller

from end_to_end.browsing import browsing
from end_to_end.running import ANSWER, running
from ports import free_port
from scripted_upstream import Double, Send, sized

pytestmark = pytest.mark.browser

SKIPPED = "Transition was aborted"
"""How Chromium tells that a page came too late for its fade-in (`@view-transition`): it is shown."""
OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
LINK = re.compile(r"https?://[^/\s]+(/\S+)")
PASSWORD = "a horse, a battery"
OTHER = "three ducks in a row"


class Mailbox:
    """What was delivered, on a mail server of its own thread."""

    def __init__(self):
        self.letters = []

    async def handle_DATA(self, server, session, envelope):
        self.letters.append(message_from_bytes(envelope.content))
        return "250 taken"

    def link(self):
        """The path of the link in the newest letter."""
        text = self.letters[-1].get_payload(decode=True).decode()
        return LINK.search(text)[1]


@contextlib.contextmanager
def mailbox():
    """A mail server that takes everything."""
    port = free_port()
    box = Mailbox()
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    try:
        yield box, port
    finally:
        server.stop()


@contextlib.asynccontextmanager
async def walking(folder, scripts=(OK,) * 9, rest=""):
    """A page of a fresh browser, the gateway, and the mailbox."""
    with mailbox() as (box, port):
        more = (
            f'[accounts]\nsignup = "open"\n[mail]\nhost = "127.0.0.1"\nport = {port}\n'
            f'security = "none"\nsender = "gateway@example.org"\n[storage]\npoll_s = 60\n{rest}'
        )
        async with (
            Double(list(scripts)) as vendor,
            running(folder, vendor, rest=more) as gateway,
            browsing() as browser,
        ):
            context = await browser.new_context(base_url=gateway.origins[0], locale="en-US")
            page = await context.new_page()
            page.problems = []
            page.on(
                "console",
                lambda said: said.type in ("error", "warning") and page.problems.append(said.text),
            )
            page.on(
                "pageerror",
                lambda error: SKIPPED in str(error) or page.problems.append(str(error)),
            )
            yield page, gateway, box


async def letter(page, box, count):
    """The link of the letter that is on its way."""
    for _ in range(200):
        if len(box.letters) >= count:
            return box.link()
        await page.wait_for_timeout(25)
    raise AssertionError("no letter came")


async def log_in(page, name, password):
    """By the login page that is open."""
    await page.fill("#name", name)
    await page.fill("#password", password)
    await page.get_by_role("button", name="Log in").click()


async def sign_up(page, box, name="grace"):
    """A new account by letter; logged in."""
    before = len(box.letters)
    await page.goto("/login")
    await page.get_by_role("link", name="Create an account").click()
    await page.fill("#email", f"{name}@example.org")
    await page.get_by_role("button", name="Send the link").click()
    await page.get_by_role("heading", name="Check your inbox").wait_for()
    await page.goto(await letter(page, box, before + 1))
    await page.fill("#name", name)
    await page.fill("#password", PASSWORD)
    await page.get_by_role("button", name="Create account").click()
    await page.wait_for_url("**/account")


async def made_key(page):
    """A key by its form, read where it is shown this once."""
    await page.goto("/account/keys")
    await page.get_by_role("link", name="New key").first.click()
    await page.fill("#name", "Laptop")
    await page.fill("#budget", "5")
    await page.get_by_role("button", name="Create key").click()
    return await page.locator("#secret").inner_text()


async def key_is_tried(page, gateway, key):
    """From the list: paused, resumed, kept to another model, and let go again."""
    await page.get_by_role("button", name="Pause").click()
    await page.locator("dialog:modal").get_by_role("button", name="Pause").click()
    await page.get_by_text("is refused everywhere within two seconds").wait_for()
    assert 401 == await status_of(gateway, key)
    await page.get_by_role("button", name="Resume").click()
    await page.get_by_text("The key “Laptop” works again.").wait_for()
    assert 200 == await status_of(gateway, key)
    for models, status in (("another", 403), ("", 200)):
        await page.get_by_role("link", name="Edit").click()
        assert "5.00" == await page.input_value("#month")
        await page.fill("#models", models)
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("The key “Laptop” is saved.").wait_for()
        assert status == await status_of(gateway, key)


async def status_of(gateway, key):
    """What a request with the key ends with."""
    return (await gateway.send(gateway.chat(key=key)))[0]


@pytest.mark.asyncio
async def test_a_newcomer_walks_from_sign_up_to_a_first_request(tmp_path):
    """And sees it; then pauses, resumes, edits and revokes the key, which holds at once."""
    async with walking(tmp_path) as (page, gateway, box):
        await sign_up(page, box)
        assert await page.get_by_text("Make a first request").is_visible()
        key = await made_key(page)
        assert 200 == await status_of(gateway, key)
        for _ in range(100):
            await page.goto("/account/usage")
            if await page.locator("tbody tr").count():
                break
        row = page.locator("tbody tr").first
        assert {"m", "Laptop", "9", "2", "200"} <= set((await row.inner_text()).split())
        await row.get_by_role("link").click()
        await page.get_by_role("heading", name="What came of it").wait_for()
        await page.goto("/account/keys")
        assert key not in await page.content()
        assert await page.get_by_text("$5.00 a month").is_visible()
        await key_is_tried(page, gateway, key)
        await page.get_by_role("button", name="Revoke").first.click()
        await page.locator("dialog:modal").get_by_role("button", name="Revoke").click()
        assert "is revoked" in await page.locator(".alert").inner_text()
        assert 401 == await status_of(gateway, key)
        assert [] == page.problems


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_user_who_forgot_gets_back_in(tmp_path):
    """Logged out, a wrong password, the letter, a new one; and to the page that was asked for."""
    async with walking(tmp_path) as (page, _, box):
        await sign_up(page, box)
        await page.get_by_role("button", name="Log out").click()
        await page.wait_for_url("**/login")
        await page.goto("/account/statement?show=payments")
        await log_in(page, "grace", "not the one")
        assert await page.get_by_text("Name or password is wrong.").is_visible()
        await page.get_by_role("link", name="Forgot password?").click()
        await page.fill("#name", "grace@example.org")
        await page.get_by_role("button", name="Send the link").click()
        await page.goto(await letter(page, box, 2))
        await page.fill("#password", OTHER)
        await page.get_by_role("button", name="Set the password").click()
        await page.goto("/account/statement?show=payments")
        await log_in(page, "grace", OTHER)
        await page.wait_for_url("**/account/statement?show=payments")
        problems = [each for each in page.problems if "422" not in each]
        assert [] == problems
