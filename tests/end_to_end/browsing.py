"""The system's Chromium before a gateway of its own, and what axe finds wrong with a page.

async with browsing() as browser:
    page = await browser.new_page(base_url=origin)
"""

import contextlib
import os
import shutil
from pathlib import Path

from playwright.async_api import async_playwright

AXE = Path(__file__).resolve().parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def chromium():
    """Where the browser is."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("TRIVIUM_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert found, "Chromium is missing: scripts/browser.sh says how to get it or go without"
    return found


@contextlib.asynccontextmanager
async def browsing():
    """A browser without a window."""
    async with async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()


async def wrong_with(page, rules=RULES):
    """What axe finds on the page that is open: rule and the elements it is about, one a line."""
    if not await page.evaluate("typeof axe === 'object'"):
        # through the debugger: the page's own policy lets no foreign script in
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    kind = "rule" if rules == ["color-contrast"] else "tag"
    found = await page.evaluate(
        "options => axe.run(document, options).then(result => result.violations.map("
        "v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message || "
        "n.all[0]?.message || n.none[0]?.message || '')).join(' | ')))",
        {"runOnly": {"type": kind, "values": rules}, "resultTypes": ["violations"]},
    )
    return "\n".join(found)
