"""What an operator sees, in Chromium, of a running gateway with requests behind it: how much there
was and why some failed, one request of many, a channel that rests, and a file to take along.
"""

import contextlib

import pytest

from end_to_end.browsing import browsing, wrong_with
from end_to_end.running import ANSWER, database, identity, running
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.accounts.service import Accounts
from trivium.identity.model import UserRole
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as AccountSettings
from trivium.storage.vault import Vault

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.asyncio]
JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
BROKEN = [Send(sized(b"{}", status=b"500 Internal Server Error", headers=JSON))]
PASSWORD = "a horse, a battery"
WIDE, SMALL = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def administrator(folder):
    """Make eve an administrator with a password, beside the running gateway."""
    async with identity(folder) as people, database(folder) as db:
        eve = await people.create_user("eve", "eve@example.org", UserRole.ADMIN)
        accounts = Accounts(
            db,
            SystemClock(),
            AccountSettings(),
            origin="http://127.0.0.1",
            vault=Vault(Keyring(b"v" * 32)),
        )
        await accounts.recovery.set_password(eve, PASSWORD)
        accounts.close()


@contextlib.asynccontextmanager
async def operating(folder, scripts, requests, *, script=True):
    """An administrator's page before a gateway that has served some requests."""
    rest = '[routing]\nfailures = 2\n[metrics]\nenabled = true\ntoken = "s3cret"\n'
    async with Double(scripts) as vendor, running(folder, vendor, rest=rest) as gateway:
        await administrator(folder)
        for _ in range(requests):
            await gateway.send(gateway.chat())
        async with browsing() as browser:
            context = await browser.new_context(
                base_url=gateway.origins[0],
                java_script_enabled=script,
                viewport=WIDE,
                reduced_motion="reduce",
            )
            page = await context.new_page()
            page.errors = []
            page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
            await page.goto("/login")
            await page.fill("#name", "eve")
            await page.fill("#password", PASSWORD)
            await page.click("main form button.primary")
            await page.wait_for_url("**/account")
            yield page


async def seen(page, text, tries=50):
    """Wait for a text, looking again: records are written in the background."""
    for _ in range(tries):
        if await page.get_by_text(text).count():
            return True
        await page.wait_for_timeout(100)
        await page.reload()
    return False


async def test_an_operator_follows_a_failure_from_the_overview_to_its_request(tmp_path):
    """And tests the channel, which is well again; no script or policy complains."""
    async with operating(tmp_path, [OK, OK, BROKEN, BROKEN, *[OK] * 5], 4) as page:
        await page.goto("/admin?period=hour")
        assert await seen(page, "upstream broke")
        assert "4" == await page.locator("#live dd").first.inner_text()
        bars = page.locator("svg[role=img] rect.step title")
        assert any("failed" in text for text in await bars.all_text_contents())
        await page.get_by_text("As a table").first.click()
        assert await page.get_by_role("region", name="Requests by time").is_visible()
        await page.get_by_role("link", name="upstream broke").click()
        await page.wait_for_url("**/admin/requests?**")
        await page.locator("tbody tr a").first.click()
        assert await page.get_by_text("It did not end well").is_visible()
        await page.goto("/admin/channels")
        assert await seen(page, "upstream broke")
        await page.get_by_role("button", name="Test").click()
        assert await page.get_by_text("Test of main").is_visible()
        assert await page.get_by_text("answered", exact=True).is_visible()
        await page.goto("/admin/requests")
        async with page.expect_download() as downloading:
            await page.get_by_role("link", name="CSV").click()
        download = await downloading.value
        lines = (await download.path()).read_text().splitlines()
        assert 5 == len(lines)
        assert [] == page.errors


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
async def test_pages_of_the_gateway_can_be_used_everywhere(tmp_path, script):
    """On a screen and a telephone, light and dark, in both languages, with a script and without."""
    async with operating(tmp_path, [OK, OK, BROKEN, *[OK] * 5], 3, script=script) as page:
        await page.goto("/admin")
        assert await seen(page, "upstream broke")
        found = []
        for language, size, scheme in (("en", WIDE, "dark"), ("zh-Hans", SMALL, "light")):
            await page.set_viewport_size(size)
            await page.emulate_media(color_scheme=scheme)
            await page.click(f"button[name=language][value={language}]")
            await page.wait_for_selector(f"html[lang={language}]")
            for path in (
                "/admin",
                "/admin?period=month&by=key",
                "/admin/requests",
                "/admin/channels",
                "/admin/keys",
                "/admin/statement",
                "/admin/explain",
                "/admin/ledger",
                "/admin/directories",
            ):
                await page.goto(path)
                if script:
                    found.append(await wrong_with(page))
                over = await page.evaluate(OVERFLOW)
                found.append(f"{path} {size['width']}: {over} px too wide" if over > 0 else "")
        assert [] == [each for each in found if each]
        assert [] == page.errors


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
async def test_what_only_a_shell_could_do_is_done_in_the_browser(tmp_path, script):
    """What was spent, the books proved, a request explained, a key made and a directory let in."""
    async with operating(tmp_path, [OK] * 6, 3, script=script) as page:
        button = page.locator("main form button.primary:not([popovertarget])").first
        await page.goto("/admin/statement?by=user&and=model")
        async with page.expect_download() as downloading:
            await page.get_by_role("link", name="As FOCUS").click()
        text = (await (await downloading.value).path()).read_text()
        assert text.startswith("BilledCost,")
        await page.goto("/admin/ledger")
        await page.get_by_role("button", name="Prove").click()
        await page.get_by_text("every balance is their sum").wait_for()  # it comes in pieces
        await page.goto("/admin/explain")
        await page.fill("#model", "m")
        await button.click()
        assert await page.get_by_text("priority 0").first.is_visible()
        await page.goto("/admin/keys?user=ada")
        await page.get_by_role("link", name="ada").first.click()
        await page.get_by_role("link", name="New key").click()
        await page.fill("#name", "made for ada")
        await button.click()
        assert "sk-gateway-" in await page.locator("main").inner_text()
        await page.goto("/admin/teams/new")
        await page.fill("#title", "acme")
        await button.click()
        await page.goto("/admin/directories")
        await page.fill("#team", "acme")
        await button.click()
        assert "gwscim_" in await page.locator("main").inner_text()
        assert [] == page.errors
