"""From an empty database to an answer in the playground and its bill, all in Chromium."""

import contextlib
import re

import pytest

from end_to_end.browsing import browsing, wrong_with
from end_to_end.running import listening, start
from end_to_end.test_walk import PASSWORD, SKIPPED
from end_to_end.test_walk_playground import STREAM, asked
from scripted_upstream import Double

pytestmark = [pytest.mark.browser, pytest.mark.node]

SETUP = re.compile(r"open (http://\S+/setup/\S+) to make one")
SETTINGS = """\
[server]
listen = "127.0.0.1:0"
drain_notice_s = 0
drain_idle_s = 1
[records]
flush_s = 0.1
"""


@contextlib.asynccontextmanager
async def first_start(folder):
    """A gateway that was never started before, without a channel, and the link it printed."""
    (folder / "trivium.toml").write_text(SETTINGS)
    gateway = start(folder, "")
    try:
        await listening(gateway)
        async with browsing() as browser:
            context = await browser.new_context(
                base_url=gateway.origins[0], locale="en-US", reduced_motion="reduce"
            )
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
            for _ in range(400):
                if found := SETUP.search(gateway.log):
                    break
                await page.wait_for_timeout(25)
            yield page, gateway, found[1]
    finally:
        gateway.process.terminate()
        await gateway.ended()


async def looked_at(page):
    """Nothing is wrong with the page, nor too wide for a telephone."""
    found = await wrong_with(page)
    assert "" == found, f"{page.url}: {found}"
    await page.set_viewport_size({"width": 390, "height": 780})
    over = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    await page.set_viewport_size({"width": 1280, "height": 800})
    assert over <= 0, f"{page.url}: {over} px too wide for a telephone"


async def channel_is_made(page, vendor):
    """A vendor is picked, its key given, what would happen looked at."""
    await page.get_by_role("link", name="Choose a vendor").click()
    await looked_at(page)
    await page.get_by_role("link", name="OpenAI openai", exact=True).click()
    await page.fill("#keys", "sk-vendor-0123456789abcdef")
    await page.get_by_text("Address, limits and headers").click()
    await page.fill("#base_url", f"http://127.0.0.1:{vendor.port}/v1")
    await page.fill("#queue_max", "many")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text('not the text "many"').wait_for()
    await looked_at(page)
    await page.fill("#queue_max", "")
    await page.get_by_role("button", name="See what would happen").click()
    await page.get_by_role("heading", name="What would happen").wait_for()
    await looked_at(page)
    await page.get_by_role("button", name="Save").click()


async def model_is_made(page):
    """One with a known price is picked."""
    await page.get_by_role("link", name="Choose a model").click()
    await looked_at(page)
    await page.locator(".tiles a").first.click()
    name = await page.input_value("#name")
    assert await page.locator("[name='price.input']").input_value()
    await looked_at(page)
    await page.get_by_role("button", name="Save").click()
    return name


@pytest.mark.asyncio
async def test_from_an_empty_database_to_an_answer_and_its_bill(tmp_path):
    """The link of the terminal, an administrator, a vendor, a model with its price, balance and a
    key, and the playground; then a 404 where the link led to.
    """
    async with Double([STREAM]) as vendor, first_start(tmp_path) as (page, _, link):
        await page.goto(link)
        await page.fill("#name", "eve")
        await page.fill("#email", "eve@example.org")
        await page.fill("#password", PASSWORD)
        await page.get_by_role("button", name="Create account").click()
        await page.get_by_role("heading", name="First steps").wait_for()
        await looked_at(page)
        await channel_is_made(page, vendor)
        await page.get_by_text("openai is saved.").wait_for()
        name = await model_is_made(page)
        await page.get_by_text(f"{name} is saved").wait_for()
        await page.get_by_role("button", name="Book it and make the key").click()
        key = await page.locator("#secret").inner_text()
        assert key.startswith("sk-gateway-")
        await looked_at(page)
        await page.get_by_role("link", name="Open the playground").click()
        assert name == await page.input_value("#model")
        await asked(page)
        said = await page.locator("#said p").all_inner_texts()
        assert ["Say hello.", "Hello <b>there"] == said
        await page.locator("#bill a").first.wait_for()
        assert "$0.0000" in await page.locator("#bill").inner_text()
        await page.goto("/account/statement")
        assert await page.get_by_text("10.00").first.is_visible()
        await page.goto("/admin/start")
        assert 4 == await page.locator(".step.done").count()
        await looked_at(page)
        assert [] == [each for each in page.problems if "422" not in each]
        answer = await page.goto(link)
        assert answer.status in (404, 410)
