#!/usr/bin/env python
"""Pictures of every page for the documentation, light and dark, with sample data.

    scripts/screenshots.py                  # into docs/screenshots/
    scripts/screenshots.py keys overview    # only these

Serves a gateway on a free port over a database of its own and walks it in Chromium, which must be
installed (Debian: apt-get install chromium, and fonts-wqy-microhei for what is Chinese; elsewhere
set TRIVIUM_CHROMIUM to its path).
"""

import asyncio
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import update

from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.accounts.passkeys.store import insert_passkey
from trivium.identity.accounts.service import Accounts
from trivium.identity.model import Budget, Key, Period, Role
from trivium.identity.service import Identity
from trivium.ledger import store as ledger
from trivium.ledger.audit import Detail, reckoned
from trivium.ledger.entries import Entries
from trivium.ledger.model import NANOS, Entry, EntryKind
from trivium.oauth.consent.decision import Decision
from trivium.oauth.consent.model import Asked
from trivium.oauth.tokens.model import CodeGrant
from trivium.observe import store as records
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.observe.record import Record
from trivium.secret import Keyring
from trivium.settings.accounts import Accounts as AccountSettings
from trivium.settings.limits import RateLimits
from trivium.settings.load import environment
from trivium.settings.model import Settings
from trivium.settings.oauth import OAuth
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.root_key import RootKeys
from trivium.storage.schema import oauth_apps
from trivium.storage.vault import Vault
from trivium.wiring.oauth import oauth_of

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "screenshots"
PASSWORD = "a horse, a battery"  # noqa: S105 - of a database that is gone a minute later
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
PROGRAMS = (
    ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "203.0.113.7", 8),
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
        "2001:db8::17",
        5,
    ),
)
"""Where else somebody is logged in: program, address, hours since."""
MODELS = (("gpt-5", "1.25", "10"), ("claude-sonnet", "3", "15"), ("gemini-flash", "0.3", "2.5"))
DAY_S = 86_400

CLIENT = "gwc_0123456789abcdefghijkl"
CALLBACK = "https://notes.example/callback"


def authorize(scope: str, redirect_uri: str = CALLBACK) -> str:
    """Where the application sends somebody."""
    asked = {"client_id": CLIENT, "redirect_uri": redirect_uri, "scope": scope, "state": "s"}
    return f"/api/oauth2/authorize?{urlencode(asked | {'response_type': 'code'})}"


AUTHORIZE = authorize("profile balance")

PAGES = {
    "login": ("", "/login"),
    "sign-up": ("", "/sign-up"),
    "password-forgot": ("", "/password/forgot"),
    "not-found": ("", "/account/elsewhere"),
    "overview": ("ada", "/account"),
    "keys": ("ada", "/account/keys"),
    "key-new": ("ada", "/account/keys/new"),
    "requests": ("ada", "/account/usage"),
    "request": ("ada", "/account/usage/req_sample_0003"),
    "statement": ("ada", "/account/statement"),
    "profile": ("ada", "/account/profile"),
    "security": ("ada", "/account/security"),
    "second-factor": ("ada", "/account/security/factor"),
    "passkey-new": ("ada", "/account/security/passkeys/new"),
    "security-log": ("ada", "/account/log"),
    "topup": ("ada", "/topup"),
    "applications": ("ada", "/account/applications"),
    "consent": ("bob", AUTHORIZE),
    "consent-cap": ("bob", authorize("profile balance spend")),
    "login-for-app": ("", AUTHORIZE),
    "application-refused": ("", authorize("profile", "https://elsewhere.example/callback")),
    "developer": ("grace", "/account/developer"),
    "app": ("grace", "/account/developer/apps/1"),
    "app-new": ("grace", "/account/developer/apps/new"),
    "token-new": ("grace", "/account/developer/tokens/new"),
    "newcomer": ("bob", "/account"),
    "keys-none": ("bob", "/account/keys"),
    "users": ("eve", "/admin/users"),
    "credit": ("eve", "/admin/credit"),
    "audit-log": ("eve", "/admin/log"),
}
"""Name of the picture: who looks, and where."""
LIGHT_AND_DARK = ("light", "dark")
SMALL = ("login", "overview", "keys")
"""Also as a telephone shows them."""
CHINESE = ("overview",)
LONG = ("requests-", "statement-", "audit-log-", "security-log-")
"""Only what the window shows."""


def main() -> int:
    """Take the pictures that were asked for."""
    wanted = sys.argv[1:] or [*PAGES]
    OUT.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as origin,
        sync_playwright() as engine,
    ):
        browser = engine.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for theme in LIGHT_AND_DARK:
            walk(browser, origin, wanted, theme)
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


def walk(browser: Browser, origin: str, wanted: list[str], theme: str) -> None:
    """Every wanted page in one theme."""
    for who in sorted({PAGES[name][0] for name in wanted}):
        mine = [name for name in wanted if PAGES[name][0] == who]
        page = looking(browser, origin, who, theme)
        for name in mine:
            shoot(page, origin + PAGES[name][1], f"{name}-{theme}")
        if theme == "light":
            page.set_viewport_size({"width": 390, "height": 780})
            for name in set(mine) & set(SMALL):
                shoot(page, origin + PAGES[name][1], f"{name}-small")
            page.set_viewport_size({"width": 1280, "height": 800})
            page.context.add_cookies([{"name": "gw_language", "value": "zh-Hans", "url": origin}])
            for name in set(mine) & set(CHINESE):
                shoot(page, origin + PAGES[name][1], f"{name}-zh-Hans")
        page.context.close()


def looking(browser: Browser, origin: str, who: str, theme: str) -> Page:
    """A page of a browser in which that user is logged in; empty: nobody."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme=theme,
        locale="en-US",  # type: ignore[arg-type]
    )
    page = context.new_page()
    if who:
        page.goto(f"{origin}/login")
        page.fill("#name", who)
        page.fill("#password", PASSWORD)
        page.click("main form button.primary")
        page.wait_for_url(f"{origin}/account")
    return page


def shoot(page: Page, url: str, name: str) -> None:
    """One picture."""
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement?.blur()")
    whole = not name.startswith(LONG)
    page.screenshot(path=OUT / f"{name}.png", full_page=whole, animations="disabled")
    sys.stdout.write(f"{name}.png {(OUT / f'{name}.png').stat().st_size // 1024} KiB\n")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A gateway over sample data; its origin."""
    asyncio.run(sample(folder))
    config = folder / "trivium.toml"
    port = free_port()
    config.write_text(
        f'[server]\nlisten = "127.0.0.1:{port}"\npublic_url = "http://localhost:{port}"\n'
        '[oauth]\nspend = true\n[accounts]\nsignup = "open"\n'
        '[mail]\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"\nsender = "gateway@example.com"\n'
        f'[storage]\nurl = "sqlite:///{folder}/trivium.db"\njournal = "{folder}/journal"\n'
        '[[channels]]\nname = "main"\nprovider = "openai"\napi_key = "sk-none"\n'
        '[[models]]\nname = "gpt-5"\nfree = true\n[[models.bindings]]\nchannel = "main"\n'
    )
    log = folder / "serve.log"
    command = [sys.executable, "-c", "from trivium.cli.main import main; main()"]
    with log.open("wb") as file:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            [*command, "serve", "--config", str(config)], stderr=file
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


async def sample(folder: Path) -> None:
    """A month in the life of a gateway, the same each time but for its end, which is now."""
    chance = random.Random(7)  # noqa: S311 - pictures are to look alike
    end = time.time()  # noqa: TID251 - pages say how long ago
    clock = FixedClock(end - 40 * DAY_S)
    database = Database(f"sqlite:///{folder}/trivium.db")
    await migrate.upgrade(database)
    identity, entries = Identity(database, clock), Entries(database, clock)
    accounts = Accounts(
        database,
        clock,
        AccountSettings(),
        origin="http://127.0.0.1",
        vault=Vault(Keyring(b"v" * 32)),
    )
    users = {}
    for name, role in (("ada", Role.USER), ("bob", Role.USER), ("eve", Role.ADMIN)):
        users[name] = await identity.create_user(name, f"{name}@example.com", role)
        await accounts.recovery.set_password(users[name], PASSWORD)
    for name in ("grace", "edsger", "barbara", "alan"):
        users[name] = await identity.create_user(name, f"{name}@example.com")
    await accounts.recovery.set_password(users["grace"], PASSWORD)
    await identity.disable_user("alan")
    ada = users["ada"].id
    for agent, address, hours in PROGRAMS:
        clock.at = end - hours * 3600
        async with database.write() as conn:
            seen = Visitor(address=address, agent=agent)
            await accounts.sessions.begin(conn, ada, Way.PASSWORD, seen)
    await passkey(database, ada, int(end))
    clock.at = end - 40 * DAY_S
    accounts.close()
    await entries.book(ada, EntryKind.TOP_UP, 50 * NANOS, note="Card")
    month = Budget(amount_nanos=20 * NANOS, period=Period.MONTH)
    keys = [
        (await identity.create_key("ada", "Laptop", limits=RateLimits(requests=60)))[0],
        (await identity.create_key("ada", "Website", ("gpt-5", "gpt-5-*"), budgets=[month]))[0],
        (await identity.create_key("ada", "Coding agent", networks=["203.0.113.0/24"]))[0],
    ]
    old = (await identity.create_key("ada", "Old phone"))[0]
    await identity.revoke_key(f"id:{old.id}")
    for kind, days, what in (
        (ActKind.LOGIN, 20, ""),
        (ActKind.KEY_CREATED, 19, f"key:{keys[0].id}"),
        (ActKind.LOGIN_FAILED, 3, ""),
        (ActKind.KEY_REVOKED, 2, f"key:{old.id}"),
    ):
        clock.at = end - days * DAY_S
        audit = Audit(database, clock)
        await audit.add(
            kind, actor=ada, subject=ada, what=what, address="203.0.113.7", agent="Mozilla/5.0"
        )
    times = sorted(end - 200 - chance.random() ** 1.4 * 16 * DAY_S for _ in range(420))
    for number, at in enumerate(times):
        await request(database, ada, keys, at, len(times) - number, chance)
    clock.at = end - 6 * DAY_S
    await applications(database, clock, users["grace"].id, ada)
    clock.at = end - 2 * DAY_S
    await entries.book(ada, EntryKind.REDEMPTION, 10 * NANOS, note="…4KQX")
    await database.close()


async def applications(database: Database, clock: FixedClock, owner: int, user: int) -> None:
    """Two applications, both let in, one to spend as well, and the tokens of their maker."""
    settings = Settings(oauth=OAuth(spend=True))
    oauth = oauth_of(settings, database, clock, RootKeys(b"k" * 32))
    for name in ("Deployment", "Laptop"):
        await oauth.developer.create(owner, name)
    notes, _ = await oauth.apps.create(owner, "Notebook", "Notes that write themselves.", CALLBACK)
    galley, _ = await oauth.apps.create(
        owner, "Galley", "Proofs for books.", "https://galley.example/back"
    )
    await fixed_client(database, notes.client_id)
    notes = msgspec.structs.replace(notes, client_id=CLIENT)
    for app, scopes, cap_nanos in (
        (galley, {"profile", "balance", "spend"}, 10 * NANOS),
        (notes, {"profile"}, None),
    ):
        asked = Asked(
            app=app,
            redirect_uri=app.redirect_uri,
            scopes=frozenset(scopes),
            state=b"s",
            code_challenge=None,
            auto_authorize=False,
        )
        request_id = await oauth.consents.begin(asked)
        await oauth.consents.logged_in(request_id, user)
        where = await oauth.consents.approve(request_id, user, Decision.ASK, cap_nanos=cap_nanos)
        (code,) = parse_qs(urlsplit(where).query)["code"]
        grant = CodeGrant(code=code, redirect_uri=app.redirect_uri, verifier=None)
        issued = await oauth.tokens.exchange(app, grant)
        clock.advance(DAY_S // 30)
        await oauth.tokens.access(issued.access_token)


async def passkey(database: Database, user: int, now: int) -> None:
    """One that opens nothing: the pages show its name only."""
    values = {
        "user_id": user,
        "credential": b"c" * 32,
        "public_key": b"k",
        "handle": b"h" * 32,
        "sign_count": 0,
        "synced": True,
        "transports": "[]",
        "name": "Work laptop",
        "created_at": now - 30 * DAY_S,
        "used_at": now - 2 * DAY_S,
    }
    async with database.write() as conn:
        await insert_passkey(conn, values)


async def fixed_client(database: Database, client_id: str) -> None:
    """Give an application an id that paths can name beforehand."""
    change = update(oauth_apps).where(oauth_apps.c.client_id == client_id)
    async with database.write() as conn:
        await conn.execute(change.values(client_id=CLIENT))


async def request(
    database: Database, user: int, keys: list[Key], at: float, number: int, chance: random.Random
) -> None:
    """One request with its record and its entry."""
    model, low, high = chance.choice(MODELS)
    usage = Usage(
        fresh=chance.randint(300, 9_000),
        cache_read=chance.choice((0, 0, 12_000)),
        output=chance.randint(40, 2_500),
        reasoning=chance.choice((0, 800)),
    )
    failed = chance.random() < 0.04
    name = f"req_sample_{number:04}"
    key = chance.choice(keys)
    took = chance.uniform(400, 9_000)
    record = Record(
        request_id=name,
        at=at,
        key_id=key.id,
        user_id=user,
        operation=chance.choice(("chat", "messages", "responses")),
        model=model,
        channel="main",
        upstream_model=model,
        status=chance.choice((429, 502)) if failed else 200,
        fault="upstream_busy" if failed else "",
        stream=chance.random() < 0.7,
        attempts=1,
        first_byte_ms=took / 5,
        total_ms=took,
        bytes_in=usage.fresh * 4,
        bytes_out=usage.output * 5,
        usage=None if failed else usage,
        dropped="logprobs, seed" if number == 3 else "",
    )
    detail = {
        "model": model,
        "prices": {"input": low, "cache_read": low, "output": high},
        "key": key.id,
        "usage": usage,
    }
    raw = msgspec.json.encode(detail)
    cost = reckoned(msgspec.json.decode(raw, type=Detail)) or 0
    entry = Entry(
        id=0,
        user_id=user,
        kind=EntryKind.USAGE,
        amount_nanos=-cost,
        request_id=name,
        created_at=int(at),
        detail=raw.decode(),
    )
    async with database.write() as conn:
        await records.insert(conn, [records.row_of(record, int)])
        if not failed:
            await ledger.insert_entry(conn, entry)
            await ledger.add_to_account(conn, entry)


if __name__ == "__main__":
    sys.exit(main())
