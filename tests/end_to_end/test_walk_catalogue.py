"""The catalogue in Chromium: two administrators at one channel, pausing with what it would cost, a
model, a group, rules, and undoing; with a script and without, in both languages, on a telephone.
"""

import contextlib

import pytest

from end_to_end.browsing import browsing, wrong_with
from end_to_end.running import ANSWER, database, running
from end_to_end.test_walk import PASSWORD
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.accounts.service import Accounts
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as AccountSettings
from trivium.storage.vault import Vault

pytestmark = [pytest.mark.browser, pytest.mark.node]
OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextlib.asynccontextmanager
async def editing(folder):
    """A gateway with an administrator, and a function that gives them browsers."""
    async with Double([OK] * 4) as vendor, running(folder, vendor) as gateway:
        async with database(folder) as db:
            clock = SystemClock()
            user = await Identity(db, clock).create_user("eve", "eve@example.org", UserRole.ADMIN)
            accounts = Accounts(
                db,
                clock,
                AccountSettings(),
                origin="http://localhost",
                vault=Vault(Keyring(b"v" * 32)),
            )
            await accounts.recovery.set_password(user, PASSWORD)
            accounts.close()
        async with browsing() as browser:

            async def opened(**options):
                context = await browser.new_context(
                    base_url=gateway.origins[0], reduced_motion="reduce",
                    **{"locale": "en-US"} | options,
                )  # fmt: skip
                page = await context.new_page()
                await page.goto("/login")
                await page.fill("#name", user.name)
                await page.fill("#password", PASSWORD)
                await page.click("main form button.primary")
                await page.wait_for_url("**/account")
                return page

            yield gateway, vendor, opened


async def channel_is_made(page, vendor):
    """By its form."""
    await page.goto("/admin/channels/new?provider=openai")
    await page.fill("#name", "stored")
    await page.fill("#keys", "sk-stored-0123456789\nsk-stored-9876543210")
    await page.get_by_text("Address, limits and headers").click()
    await page.fill("#base_url", f"http://127.0.0.1:{vendor.port}/v1")
    await page.click("button[value=save]")
    await page.get_by_text("stored is saved").wait_for()


async def model_is_made(page):
    """At the channel of the database and at the file's."""
    await page.goto("/admin/models/new")
    await page.fill("#name", "n")
    for row, channel in enumerate(("stored", "main")):
        await page.fill(f"[name='bindings.{row}.channel']", channel)
        await page.fill(f"[name='bindings.{row}.model']", "m")
        await page.fill(f"[name='bindings.{row}.priority']", str(row))
    await page.check("#free")
    await page.click("button[value=try]")
    await page.get_by_role("heading", name="What would happen").wait_for()
    assert "" == await wrong_with(page)
    await page.click("button[value=save]")
    await page.get_by_text("n is saved").wait_for()


@pytest.mark.asyncio
async def test_channels_and_models_are_edited_by_two(tmp_path):
    """Each is told of the other; what is paused serves nobody, and what is undone serves again."""
    async with editing(tmp_path) as (gateway, vendor, opened):
        page, other = await opened(), await opened()
        await channel_is_made(page, vendor)
        await model_is_made(page)
        status, headers, _ = await gateway.send(gateway.chat(model="n"))
        assert (200, b"stored") == (status, headers[b"trivium-channel"])
        for each, field in ((page, "#requests_per_minute"), (other, "#tokens_per_minute")):
            await each.goto("/admin/channels/edit?name=stored")
            if not await each.locator(field).is_visible():
                await each.get_by_text("Address, limits and headers").click()
            await each.fill(field, "500000")
        await page.click("button[value=save]")
        await page.get_by_text("stored is saved").wait_for()
        await other.click("button[value=save]")
        await other.get_by_role("heading", name="Somebody was faster").wait_for()
        assert "" == await wrong_with(other)
        row = other.get_by_role("row", name="requests_per_minute")
        assert "500000" in await row.inner_text()
        await other.get_by_role("link", name="Leave it as it is").click()
        await other.get_by_role("link", name="Changes of this channel").wait_for()
        assert "500000" == await other.input_value("#requests_per_minute")
        await page.goto("/admin/channels")
        await page.get_by_role("link", name="Pause stored").click()
        await page.get_by_text("Requests of the last hour would not").first.wait_for()
        await page.fill("#reason", "the vendor asks")
        await page.get_by_role("button", name="Pause").click()
        await page.get_by_text("stored is paused.").wait_for()
        status, headers, _ = await gateway.send(gateway.chat(model="n"))
        assert (200, b"main") == (status, headers[b"trivium-channel"])
        await page.goto("/admin/log")
        await page.get_by_role("link", name="Undo").first.click()
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("is undone.").wait_for()
        assert "" == await wrong_with(page)
        status, headers, _ = await gateway.send(gateway.chat(model="n"))
        assert (200, b"stored") == (status, headers[b"trivium-channel"])
        assert "sk-stored" not in gateway.log


@pytest.mark.slow
@pytest.mark.asyncio
async def test_without_a_script_on_a_telephone_in_chinese(tmp_path):
    """A group and a rule; nothing is wider than the screen."""
    async with editing(tmp_path) as (_, _, opened):
        page = await opened(
            java_script_enabled=False, locale="zh-CN", viewport={"width": 390, "height": 780}
        )
        await page.goto("/admin/groups/new")
        await page.fill("#name", "half")
        await page.fill("#factor", "much")
        await page.click("button[value=save]")
        await page.get_by_text("must be").wait_for()
        await page.fill("#factor", "0.5")
        await page.click("button[value=save]")
        await page.get_by_text("half 已保存。").wait_for()
        await page.goto("/admin/routing")
        await page.fill("#attempts_max", "3")
        await page.click("button[value=try]")
        await page.get_by_role("heading", name="将会发生什么").wait_for()
        await page.click("button[value=save]")
        await page.get_by_text("路由规则已保存").wait_for()
        await page.goto("/admin/channels/new?provider=openai")
        await page.fill("#name", "stored")
        await page.fill("#keys", "sk-stored-0123456789")
        await page.click("button[value=save]")
        await page.get_by_text("stored 已保存").wait_for()
        for path in ("channels", "models", "groups", "routing", "changes", "start", "channels/new",
                     "channels/edit?name=stored", "models/new"):  # fmt: skip
            await page.goto(f"/admin/{path}")
            assert "zh-Hans" == await page.locator("html").get_attribute("lang")
            box = await page.locator("main").bounding_box()
            assert box["x"] + box["width"] <= 390, path
            for each in await page.locator("main .button, main input, main select").all():
                inner = await each.bounding_box()
                assert inner is None or inner["x"] + inner["width"] <= 391, (path, inner)
