"""`trivium serve` in a process, with a person, an application, and a browser for each test."""

import asyncio
import contextlib
import http.client
import subprocess
import time
from types import SimpleNamespace

import pytest

import warm
from end_to_end.oauth.browsing import AUTH_JS, CALLBACK, NAME, PASSWORD, Browser
from end_to_end.running import START_S, STOP_S, TRIVIUM
from ports import free_port
from trivium.clock import SystemClock
from trivium.identity.accounts.service import Accounts
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.oauth.apps.service import Apps
from trivium.observe.audit.service import Audit
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as AccountSettings
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.vault import Vault

SETTINGS = """
[server]
listen = "127.0.0.1:{port}"
[logs]
format = "json"
[oauth]
allow_insecure_redirect = true
authorize_per_minute = 100000
token_per_minute = 100000
failures_per_minute = 100000
"""


async def prepared(folder, shop_port):
    """People, a balance and an application in a new database."""
    db = Database(f"sqlite:///{folder / 'trivium.db'}")
    clock = SystemClock()
    try:
        await migrate.ensure(db)
        identity = Identity(db, clock)
        owner = await identity.create_user("owner", "owner@example.org")
        ada = await identity.create_user(NAME, "ada@example.org")
        accounts = Accounts(
            db,
            clock,
            AccountSettings(),
            origin="http://127.0.0.1",
            vault=Vault(Keyring(b"k" * 32)),
        )
        await accounts.recovery.set_password(ada, PASSWORD)
        accounts.close()
        await Entries(db, clock).book(ada.id, EntryKind.TOP_UP, 2_500_000_000)
        apps = Apps(
            db,
            clock,
            Audit(db, clock),
            apps_max=20,
            apps_per_hour=20,
            allow_insecure_redirect=True,
        )
        app, secret = await apps.create(owner.id, "Shop", "Sells things.", CALLBACK)
        other = await apps.create(owner.id, "Auth.js", "", AUTH_JS)
        stranger = await apps.create(owner.id, "Stranger", "Never let in.", CALLBACK)
        shop = await apps.create(
            owner.id, "Example", "Of the docs.", f"http://127.0.0.1:{shop_port}/callback"
        )
    finally:
        await db.close()
    return app, secret, other, stranger, shop


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """The running gateway: its origin, its files, the application and its secret."""
    folder = tmp_path_factory.mktemp("oauth")
    shop_port = free_port()
    app, secret, other, stranger, shop = asyncio.run(prepared(folder, shop_port))
    # the issuer is known before anything listens: it follows from the settings
    port = free_port()
    (folder / "trivium.toml").write_text(SETTINGS.format(port=port))
    with (folder / "serve.log").open("wb") as log:
        process = warm.popen([TRIVIUM, "serve"], cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    made = SimpleNamespace(
        folder=folder,
        origin=f"http://127.0.0.1:{port}",
        app=app,
        secret=secret,
        other=other,
        stranger=stranger,
        shop=shop,
        shop_port=shop_port,
        log=(folder / "serve.log").read_text,
    )
    try:
        answering(port, process, made)
        yield made
    finally:
        process.terminate()
        try:
            assert 0 == process.wait(STOP_S)
        finally:
            process.kill()
            process.wait()


def answering(port, process, made):
    """Wait until it answers."""
    deadline = time.monotonic() + START_S
    while True:
        assert process.poll() is None, made.log()
        assert time.monotonic() < deadline, made.log()
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            with contextlib.closing(connection) as line:
                line.request("GET", "/.well-known/oauth-authorization-server")
                if line.getresponse().status == 200:
                    return
        time.sleep(0.02)


@pytest.fixture
def browser(service):
    """ada's, with nobody logged in yet."""
    with Browser(service.origin) as made:
        yield made
