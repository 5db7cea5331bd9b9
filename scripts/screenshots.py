#!/usr/bin/env python
"""Pictures of every page for the documentation, light and dark, with sample data.

    scripts/screenshots.py                  # into docs/screenshots/
    scripts/screenshots.py keys overview    # only these

Serves a gateway on a free port over a database of its own and walks it in Chromium, which must be
installed (Debian: apt-get install chromium, and fonts-noto-cjk for what is Chinese; elsewhere
set TRIVIUM_CHROMIUM to its path).
"""

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pyotp
from playwright.sync_api import Browser, Page, sync_playwright
from sample_gateway import PASSWORD, sample
from sample_pages import ACTS, PAGES, SUBMIT

from trivium.settings.load import environment

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "screenshots"
MODELS = ROOT / "scripts" / "sample_models.toml"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LISTENS = "trivium is listening on "
LIGHT_AND_DARK = ("light", "dark")
SMALL = (
    *("login", "overview", "keys", "models", "model", "playground", "spending"),
    *("gateway", "all-requests", "model-edit", "models-all", "channels"),
)
"""Also as a telephone shows them."""
CHINESE = ("overview", "gateway", "channel-edit")
LONG = (
    "key-edit-",
    "requests-",
    "all-requests-",
    "gateway-",
    "statement-",
    "audit-log-",
    "security-log-",
    "user-",
    "settings-",
    "vendors-",
    "model-edit-",
    "changes-",
    "channels-",
)
"""Only what the window shows."""


def main() -> int:
    """Take the pictures that were asked for."""
    wanted = sys.argv[1:] or [*PAGES]
    OUT.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        outside() as issuer,
        serving(Path(folder), issuer) as origin,
        sync_playwright() as engine,
    ):
        browser = engine.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        walk(browser, origin, wanted)
        browser.close()
    return 0


def chromium() -> str:
    """Where the browser is."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = environment().get("TRIVIUM_CHROMIUM") or next(
        filter(None, map(shutil.which, names)), ""
    )
    if not found:
        raise SystemExit("Chromium is missing: apt-get install chromium, or set TRIVIUM_CHROMIUM")
    return found


def walk(browser: Browser, origin: str, wanted: list[str]) -> None:
    """Every wanted page in both themes."""
    for who in sorted({PAGES[name][0] for name in wanted}):
        mine = [name for name in PAGES if name in wanted and PAGES[name][0] == who]
        page = looking(browser, origin, who)
        for name in mine:
            go(page, origin, name)
            for theme in LIGHT_AND_DARK:
                page.emulate_media(color_scheme=theme)
                shoot(page, f"{name}-{theme}")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 780})
        for name in set(mine) & set(SMALL):
            go(page, origin, name)
            shoot(page, f"{name}-small")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.context.add_cookies([{"name": "gw_language", "value": "zh-Hans", "url": origin}])
        for name in set(mine) & set(CHINESE):
            go(page, origin, name)
            shoot(page, f"{name}-zh-Hans")
        page.context.close()


def looking(browser: Browser, origin: str, who: str) -> Page:
    """A page of a browser in which that user is logged in; empty: nobody."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    page = context.new_page()
    if who:
        page.goto(f"{origin}/login")
        page.fill("#name", who)
        page.fill("#password", PASSWORD)
        page.click(SUBMIT)
        page.wait_for_url(f"{origin}/account")
    return page


def go(page: Page, origin: str, name: str) -> None:
    """Open a page and do there what its picture needs."""
    page.goto(origin + PAGES[name][1])
    if name in ACTS:
        filled, button = ACTS[name]
        for field, value in filled.items():
            typed = value
            if field == "#code":
                secret = page.locator(value)
                typed = pyotp.TOTP(secret.inner_text().replace(" ", "")).now()
            page.fill(field, typed)
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.click(button)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement?.blur()")


def shoot(page: Page, name: str) -> None:
    """One picture."""
    whole = not name.startswith(LONG)
    page.screenshot(path=OUT / f"{name}.png", full_page=whole, animations="disabled")
    sys.stdout.write(f"{name}.png {(OUT / f'{name}.png').stat().st_size // 1024} KiB\n")


class Provider(BaseHTTPRequestHandler):
    """Of outside logins: says where it is, and lets nobody leave the page they are on."""

    def do_GET(self) -> None:
        """Its description; 204 for the login itself."""
        issuer = f"http://{self.headers['host']}"
        description = {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        is_known = self.path == "/.well-known/openid-configuration"
        body = msgspec.json.encode(description) if is_known else b""
        self.send_response(200 if is_known else 204)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def outside() -> Iterator[str]:
    """A provider of outside logins; its issuer."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def serving(folder: Path, issuer: str) -> Iterator[str]:
    """A gateway over sample data; its origin."""
    asyncio.run(sample(folder))
    config = folder / "trivium.toml"
    port = free_port()
    config.write_text(
        f'[server]\nlisten = "127.0.0.1:{port}"\npublic_url = "http://localhost:{port}"\n'
        '[oauth]\nspend = true\n[accounts]\nsignup = "open"\n'
        '[mail]\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"\nsender = "gateway@example.com"\n'
        '[payments]\nprovider = "stripe"\nsecret_key = "sk_test"\nwebhook_secret = "whsec"\n'
        f'[[logins]]\nname = "example"\ntitle = "Example"\nissuer = "{issuer}"\n'
        'client_id = "trivium"\nclient_secret = "none"\n'
        f'[storage]\nurl = "sqlite:///{folder}/trivium.db"\njournal = "{folder}/journal"\n'
        + MODELS.read_text()
    )
    log = folder / "serve.log"
    command = [sys.executable, "-c", "from trivium.cli.main import main; main()"]
    with log.open("wb") as file:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            [*command, "serve", "--config", config.name], cwd=folder, stderr=file
        )
    try:
        listening(log)
        # passkeys are bound to a name
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """A port nobody listens on just now; pages show it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listening(log: Path) -> None:
    """Wait until the gateway says that it listens."""
    for _ in range(300):
        if LISTENS in log.read_text():
            return
        time.sleep(0.1)
    raise SystemExit(log.read_text())


if __name__ == "__main__":
    sys.exit(main())
