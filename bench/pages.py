"""Pages of administrators over many records: the 95th percentile of 20 loads of each, in milliseconds.

usage: pages.py [--rows N] [--loads N] [--url URL]

Fills an empty database (``--url``; else a SQLite file that goes away again) with N records of 30 days
(a million; at most twenty) and all that goes with them (``pages_world.py``). Then asks every page of
one process that somebody who is logged in can look at, with every filter, one after the other, as an
administrator, and prints of each the least, the 95th percentile and how long its answer is; then which
were slower than 300 ms (1 s on SQLite), and how often PostgreSQL read all records to answer.
"""

import argparse
import asyncio
import contextlib
import logging
import re
import sys
import tempfile
import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import structlog
from pages_world import KEYS, TABLES, TEAM, fill, furnish, served
from sqlalchemy import text

from trivium.console import app, cookies, session
from trivium.console.context import Console
from trivium.console.gateway import GatewayState
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.model import User, UserRole
from trivium.settings.model import ServerSettings, Settings, StorageSettings
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.wiring.console import console_of

ROWS_MAX = 20_000_000
ORIGIN = "http://127.0.0.1"


# ids in paths, and what a page is asked for without which it shows nothing
IDS = {
    "user": "27", "key": "27", "team": str(TEAM + 11), "id": f"req_{17 * pow(7919, -1, KEYS) % KEYS}", "batch": "1", "payment": "1",
    "invoice": "1", "name": "model-7",
}  # fmt: skip
NEEDS = {
    "/admin/catalogue/ask": "act=pause&kind=channel&name=channel-3",
    "/admin/channels/edit": "name=channel-3",
    "/admin/models/edit": "name=model-7",
    "/admin/groups/edit": "name=partners",
}
LEFT_OUT = {
    "/admin/requests.csv": "a file of all there is",
    "/admin/requests.jsonl": "the same",
    "/admin/invoices/{invoice}/pdf": "the invoices here have no document",
    "/account/security/factor": "makes a secret",
    "/account/statement/{id}": "an entry of one's own, as on the next page",
    "/topup/{reference}": "asks the provider",
}


def paths() -> list[str]:
    """Every page that somebody who is logged in can look at."""
    found = []
    for route in app.PAGES:
        path = re.sub(r":\w+\}", "}", getattr(route, "path", ""))
        is_page = path.startswith(("/admin", "/account", "/topup")) and path not in LEFT_OUT
        if not is_page or "GET" not in (getattr(route, "methods", None) or ()):
            continue
        named = re.findall(r"\{(\w+)\}", path)
        if all(name in IDS for name in named):
            needs = NEEDS.get(path)
            found.append(path.format(**IDS) + (f"?{needs}" if needs else ""))
    return sorted(set(found))


def filters(now: int) -> dict[str, str]:
    """Every filter of these pages, by name."""
    days = [time.strftime("%Y-%m-%d", time.gmtime(now - age * 86_400)) for age in (25, 20)]
    found = {
        f"overview, {name}": f"/admin?period={name}" for name in ("hour", "day", "week", "month")
    }
    found |= {
        f"month by {by}": f"/admin?period=month&by={by}"
        for by in ("channel", "team", "user", "key", "tag")
    }
    found |= {"week by key": "/admin?period=week&by=key"}
    found |= {"own days": f"/admin?since={days[0]}&until={days[1]}"}
    search = {
        "a user": "user=user-17",
        "a key": "key=%2327",
        "a team": f"team=%23{TEAM + 8}",
        "a model": "model=model-7",
        "a channel": "channel=channel-3",
        "a status": "status=502",
        "a cause": "fault=rate_limited",
        "errors": "failed=1",
        "a request": "id=req_17",
        "a day": f"from={days[0]}&to={days[1]}",
        "a user's errors": "user=user-17&failed=1",
        "model, channel": "model=model-7&channel=channel-3&status=502",
        "team and model": f"team=%23{TEAM + 8}&model=model-7",
        "what there is not": "user=user-17&model=none",
        "long ago": f"channel=channel-3&to={days[0]}",
    }
    found |= {f"search: {name}": f"/admin/requests?{query}" for name, query in search.items()}
    by = ("team", "user", "payer", "key", "model", "channel", "day", "tag", "end_user", "session")
    found |= {f"spending by {each}": f"/admin/statement?by={each}&and=" for each in by}
    found |= {
        f"spending by {one}, {other}": f"/admin/statement?by={one}&and={other}"
        for one, other in (("team", "user"), ("user", "model"), ("key", "day"), ("user", "day"))
    }
    found |= {
        "spending of a team": "/admin/statement?by=user&and=model&team=team-7",
        "spending of a user": "/admin/statement?by=key&and=day&user=user-17",
        "spending, a file": "/admin/statement.csv?by=team&and=model",
        "keys of a user": "/admin/keys?user=user-17",
        "keys for a team": "/admin/keys?team=team-7",
        "a key by its name": "/admin/keys?key=key-17",
        "users by name": "/admin/users?search=user-49",
        "teams by name": "/admin/teams?search=team-9",
        "models by name": "/admin/models?q=model-3",
        "models at a channel": "/admin/models?channel=channel-3",
        "acts of a user": "/admin/log?user=user-17%40example.com",
        "acts of a kind": "/admin/log?act=login_failed",
        "payments of a user": "/admin/payments?user=user-17",
        "payments, a state": "/admin/payments?state=held",
        "prices that differ": "/admin/prices?differing=1",
    }
    return found


class _Stated:
    """Adds what the edge gives every request."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Serve one request."""
        scope["state"] = {"request_id": "req_bench"}
        await self._application(scope, receive, send)


async def visitor(console: Console, user: User) -> httpx.AsyncClient:
    """A browser in which somebody is logged in."""
    async with console.database.write() as conn:
        visit = Visitor(address="127.0.0.1")
        token = await console.accounts.sessions.begin(conn, user.id, Way.PASSWORD, visit)
    transport = httpx.ASGITransport(_Stated(app.build(console)))
    client = httpx.AsyncClient(
        transport=transport, base_url=ORIGIN, headers={"accept": "text/html"}
    )
    host = urlsplit(console.origin).hostname or ""
    client.cookies.set(cookies.name(console, session.SESSION), token, domain=host)
    return client


async def measured(console: Console, loads: int, now: int) -> list[str]:
    """Print a line for each page; returns those that were slower than they may be."""
    most = 1_000.0 if console.database.is_sqlite else 300.0
    slow = []
    admin = await console.identity.create_user("bench", "bench@example.com", UserRole.ADMIN)
    await furnish(console, admin.id)
    user = await console.identity.find_user("user-17")
    async with await visitor(console, admin) as admins, await visitor(console, user) as users:
        print(f"{'PAGE':<46}{'LEAST':>8}{'P95 ms':>9}{'KiB':>7}")
        for name, path in ({path: path for path in paths()} | filters(now)).items():
            times, size = [], 0
            is_own = path.startswith(("/account", "/topup")) and "/teams/" not in path
            client = users if is_own else admins
            for _ in range(loads):
                began = time.perf_counter()
                answer = await client.get(path)
                times.append((time.perf_counter() - began) * 1e3)
                if answer.status_code != 200:
                    sys.exit(f"pages.py: {path} answered {answer.status_code}")
                size = len(answer.content)
            times.sort()
            p95 = times[min(loads - 1, round(0.95 * loads) - 1)]
            print(f"{name[:45]:<46}{times[0]:8.1f}{p95:9.1f}{size // 1024:7}", flush=True)
            if p95 > most:
                slow.append(name)
    return slow


async def scans(database: Database) -> int | None:
    """How often PostgreSQL has read all records from one end to the other; ``None``: SQLite."""
    if database.is_sqlite:
        return None
    await asyncio.sleep(1.5)  # it is told a second late
    query = "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('records', 'entries')"
    async with database.read() as conn:
        return int(await conn.scalar(text(query)) or 0)


async def run(url: str, folder: str, rows: int, loads: int) -> None:
    """Fill and measure."""
    database = Database(url)
    try:
        await migrate.upgrade(database)
        now = int(time.time())
        began = time.perf_counter()
        await fill(database, rows, now)
        print(f"{rows} records and their sums in {time.perf_counter() - began:.0f} s")
        async with database.read(600.0) as conn:
            for table in TABLES:
                print(f"{table}: {await conn.scalar(text(f'SELECT count(*) FROM {table}'))} rows")
        settings = Settings(
            server=ServerSettings(public_url=ORIGIN),
            storage=StorageSettings(url=url, journal=folder),
        )
        async with contextlib.AsyncExitStack() as stack:
            catalogue = served()
            console = console_of(
                settings,
                database,
                stack,
                models=lambda: tuple(catalogue.models.values()),
                gateway=GatewayState(channels=lambda: tuple(catalogue.channels.values())),
            )
            before = await scans(database)
            slow = await measured(console, loads, now)
            if before is not None:
                print(f"sequential scans of records or entries: {await scans(database) - before}")
            print(f"slower than they may be: {', '.join(slow) or 'none'}")
    finally:
        await database.close()


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--loads", type=int, default=20)
    parser.add_argument("--url", default="", help="of an empty database")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if not 1 <= given.rows <= ROWS_MAX:
        sys.exit(f"pages.py: between 1 and {ROWS_MAX} rows")
    with tempfile.TemporaryDirectory() as folder:
        url = given.url or f"sqlite:///{Path(folder) / 'pages.db'}"
        asyncio.run(run(url, folder, given.rows, given.loads))


if __name__ == "__main__":
    main()
