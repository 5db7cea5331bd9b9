"""Every page for people, looked at by axe in Chromium: in light and dark, on a telephone as well."""

import asyncio
import runpy
from pathlib import Path

import pyotp
import pytest
import pytest_asyncio

from end_to_end.browsing import browsing, wrong_with

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "screenshots.py"
pytestmark = [pytest.mark.browser, pytest.mark.node]
FEW = ("login", "overview", "keys", "key-new", "gateway", "playground")
CHINESE = ("/account/keys/new",)
ITS_OWN = ("400 (Bad Request)", "404 (Not Found)", "410 (Gone)")
IN_ROWS = "main table button:visible, main table a.button:visible"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pictures():
    """The script that takes pictures of the pages: which there are, and data to fill them."""
    with pytest.MonkeyPatch.context() as patch:
        # a script imports its neighbours from its own folder, as it does when it is started
        patch.syspath_prepend(str(SCRIPT.parent))
        return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def origin(pictures, tmp_path_factory):
    """A gateway in which something has happened."""
    folder = tmp_path_factory.mktemp("pages")
    with pictures["outside"]() as issuer, pictures["serving"](folder, issuer) as origin:
        yield origin


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """One for all: each test has windows of its own."""
    async with browsing() as made:
        yield made


async def logged_in(browser, origin, who, password):
    context = await browser.new_context(base_url=origin, locale="en-US", reduced_motion="reduce")
    page = await context.new_page()
    if who:
        await page.goto("/login")
        await page.fill("#name", who)
        await page.fill("#password", password)
        await page.click("main form button.primary")
        await page.wait_for_url("**/account")
    return page


async def act(page, filled, button):
    """Do what leads to the page, as its picture does."""
    for field, value in filled.items():
        typed = value
        if field == "#code":
            secret = await page.locator(value).inner_text()
            typed = pyotp.TOTP(secret.replace(" ", "")).now()
        await page.fill(field, typed)
    async with page.expect_response(lambda answer: answer.request.method == "POST"):
        await page.click(button)
    await page.wait_for_load_state("networkidle")


async def looked_at(page, path, acts=None):
    """What is wrong with one page in any of its guises."""
    found = []
    errors = []
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    await page.goto(path)
    if acts:
        await act(page, *acts)
    await page.emulate_media(color_scheme="light")
    found.append(await wrong_with(page))
    await page.emulate_media(color_scheme="dark")
    found.append(await wrong_with(page, ["color-contrast"]))
    await page.set_viewport_size({"width": 360, "height": 740})
    over = await page.evaluate(OVERFLOW)
    found.append(f"{over} px too wide for a telephone" if over > 0 else "")
    await page.set_viewport_size({"width": 1280, "height": 800})
    # a policy that is broken is told there, and so is every failed request but the page's own
    found += [error for error in errors if not error.endswith(ITS_OWN)]
    return [f"{path}: {each}" for each in found if each]


async def all_wrong_with(browser, pictures, origin, names):
    """What is wrong with the pages of these names, each looked at by who may see it."""
    found = []
    for who in sorted({pictures["PAGES"][name][0] for name in names}):
        page = await logged_in(browser, origin, who, pictures["PASSWORD"])
        for name in names:
            user, path = pictures["PAGES"][name]
            if user == who:
                found += await looked_at(page, path, pictures["ACTS"].get(name))
        await page.context.close()
    return found


@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_can_be_used_by_everybody(browser, pictures, origin):
    """Names, contrast, landmarks, headings; none is wider than a telephone. One of each kind."""
    found = await all_wrong_with(browser, pictures, origin, FEW)
    assert [] == found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_every_page_can_be_used_by_everybody(browser, pictures, origin):
    """All the others."""
    others = sorted(set(pictures["PAGES"]) - set(FEW))
    found = await all_wrong_with(browser, pictures, origin, others)
    assert [] == found, "\n".join(found)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_in_chinese_says_so(browser, pictures, origin):
    """To whatever reads it aloud."""
    page = await logged_in(browser, origin, "ada", pictures["PASSWORD"])
    await page.click("button[name=language][value=zh-Hans]")
    await page.wait_for_selector("html[lang=zh-Hans]")
    for path in CHINESE:
        assert [] == await looked_at(page, path)
    # it is kept with the account
    await page.click("button[name=language][value=en]")
    await page.wait_for_selector("html[lang=en]")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_keyboard_is_enough(browser, pictures, origin):
    """To skip to the content, open a question, leave it, and choose colours, which are kept with
    the account; focus is seen.
    """
    page = await logged_in(browser, origin, "ada", pictures["PASSWORD"])
    await page.goto("/account/keys")
    await page.keyboard.press("Tab")
    assert "Skip to the content" == await page.evaluate("document.activeElement.innerText")
    await page.keyboard.press("Enter")
    assert "main" == await page.evaluate("document.activeElement.id")
    revoke = page.get_by_role("button", name="Revoke").first
    await revoke.focus()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Tab")
    assert "solid" == await page.evaluate(outline)
    await page.keyboard.press("Enter")
    dialog = page.locator("dialog:modal")
    assert await dialog.is_visible()
    assert "" == await wrong_with(page)
    inside = "!!document.activeElement.closest('dialog') || document.activeElement.tagName"
    for _ in range(5):  # past the last of its buttons the browser's own come, never the page's
        await page.keyboard.press("Tab")
        assert await page.evaluate(inside) in (True, "BODY")
    await page.keyboard.press("Escape")
    assert not await dialog.is_visible()
    assert await revoke.evaluate("each => each === document.activeElement")
    await page.get_by_role("button", name="Dark").focus()
    await page.keyboard.press("Enter")
    await asyncio.sleep(0)
    assert "dark" == await page.evaluate("document.documentElement.dataset.theme")
    await page.reload()
    assert "dark" == await page.evaluate("document.documentElement.dataset.theme")
    other = await logged_in(browser, origin, "ada", pictures["PASSWORD"])
    assert "dark" == await other.evaluate("document.documentElement.dataset.theme")
    async with other.expect_response("**/account/preferences"):
        await other.get_by_role("button", name="As the system").click()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_can_be_asked_without_a_script(browser, pictures, origin):
    """As a popover, which closes as it opened."""
    page = await logged_in(browser, origin, "ada", pictures["PASSWORD"])
    cookies = await page.context.cookies()
    plain = await browser.new_context(base_url=origin, java_script_enabled=False)
    await plain.add_cookies(cookies)
    page = await plain.new_page()
    await page.goto("/account/keys")
    await page.get_by_role("button", name="Revoke").first.click()
    dialog = page.locator("dialog:popover-open")
    assert await dialog.is_visible()
    await dialog.get_by_role("button", name="Cancel").click()
    assert 0 == await dialog.count()


@pytest.mark.asyncio(loop_scope="module")
async def test_every_button_says_what_it_is_for(browser, pictures, origin):
    """To whoever hears the page: of two buttons of one name nobody knows whose row is meant."""
    page = await logged_in(browser, origin, "ada", pictures["PASSWORD"])
    told = []
    for path in ("/account/keys", "/account/security", "/account/developer"):
        await page.goto(path)
        names = await page.locator(IN_ROWS).all_text_contents()
        told += [(path, " ".join(name.split())) for name in names]
    assert ("/account/keys", "Revoke Laptop") in told
    # this module logs in more than once a minute, from the same program at the same address
    told = [each for each in told if not each[1].startswith("End ")]
    assert len(told) == len(set(told)), told
