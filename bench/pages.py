"""Pages of administrators over many records: the 95th percentile of 20 loads of each, in milliseconds.

usage: pages.py [--rows N] [--loads N] [--url URL]

Fills an empty database (``--url``; else a SQLite file that goes away again) with N records of 30 days
(a million; at most twenty), of 5,000 users with two keys each, 100 teams, 40 models and 8 channels,
3 in 100 of which failed, with their entries and with the sums that the gateway keeps of them. Then
asks the pages of one process, one after the other, as an administrator, and prints of each the least,
the 95th percentile and how long its answer is.
"""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from sqlalchemy import text

from trivium.console import app, cookies, session
from trivium.console.context import Console
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.model import UserRole
from trivium.observe.traffic.model import BOUNDS_US, BUCKETS
from trivium.settings.model import ServerSettings, Settings, StorageSettings
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.wiring.console import console_of

ROWS_MAX = 20_000_000
DAYS = 30
USERS, KEYS, TEAMS, MODELS, CHANNELS = 5_000, 10_000, 100, 40, 8
ORIGIN = "http://127.0.0.1"
NUMBERS = {
    "sqlite": "(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < {rows} - 1) "
    "SELECT i FROM s) AS numbers",
    "postgresql": "(SELECT i::bigint AS i FROM generate_series(0, {rows} - 1) AS i) AS numbers",
}
PEOPLE = """INSERT INTO users (id, name, email, role, disabled, unlimited, created_at, revision, kind)
SELECT 10 + i, 'user-' || i, 'user-' || i || '@example.com', 'user', {false}, {false}, 1, 0, 'person'
FROM {numbers}"""
OWNED = """INSERT INTO keys (id, user_id, digest, name, hint, models, created_at, revision, team_id)
SELECT 10 + i, 10 + i % {users}, {digest}, 'key-' || i, 'h' || i, '[]', 1, 0,
  CASE WHEN i % 2 = 0 THEN 1 + i % {teams} END FROM {numbers}"""
# primes, so that who asked, for what and how it went have nothing to do with each other
RECORDS = """INSERT INTO records (request_id, at_ms, key_id, user_id, operation, model, channel,
  upstream_model, status, fault, stream, attempts, first_byte_us, total_us, bytes_in, bytes_out,
  end_user, fresh, cache_read, cache_write_short, cache_write_long, output, reasoning, audio_input,
  audio_output, image_input, image_output, requests, estimated)
SELECT 'req_' || i, {since} + i * {step}, 10 + i * 7919 % {keys}, 10 + i * 7919 % {keys} % {users},
  'chat', 'model-' || (i * 7919 % {keys} + i % 2) % {models},
  'channel-' || ((i * 7919 % {keys} + i % 2) % {models} + i * 1299709 % 29 / 28) % {channels}, 'm',
  CASE i % 100 WHEN 17 THEN 429 WHEN 42 THEN 502 WHEN 77 THEN 499 ELSE 200 END,
  CASE i % 100 WHEN 17 THEN 'rate_limited' WHEN 42 THEN 'upstream_broke' WHEN 77 THEN 'caller_left'
    ELSE '' END,
  {false}, 1, 20000 + i * 15485863 % 3000000, 40000 + i * 32452843 % 9000000, 1000, 1000, '', 900, 0,
  0, 0, 100, 0, 0, 0, 0, 0, 1, {false} FROM {numbers}"""
ENTRIES = """INSERT INTO entries (user_id, kind, amount_nanos, note, request_id, created_at, detail)
SELECT user_id, 'usage', -1000000, '', request_id, at_ms / 1000, '' FROM records WHERE status = 200"""
SPENT = """INSERT INTO spend_days (day, payer_id, team_id, user_id, key_id, model, channel, nanos,
  requests, input_tokens, output_tokens)
SELECT at_ms / 86400000, user_id, 0, user_id, key_id, model, channel, count(*) * 1000000, count(*),
  count(*) * 900, count(*) * 100 FROM records WHERE status = 200 GROUP BY 1, 2, 4, 5, 6, 7"""
ASKED = """INSERT INTO traffic_keys (span_s, began_at, key_id, user_id, requests, failed)
SELECT span_s, at_s - at_s % span_s, key_id, user_id, count(*), sum(failed) FROM
  (SELECT key_id, user_id, at_ms / 1000 AS at_s, {span} AS span_s,
    CASE WHEN fault NOT IN ('', 'caller_left') THEN 1 ELSE 0 END AS failed FROM records) AS made
GROUP BY 1, 2, 3, 4"""
SUMMED = """INSERT INTO traffic
SELECT span_s, at_s - at_s % span_s, model, channel, status / 100, fault, count(*), sum(attempts),
  sum(first_byte_us), sum(total_us), {buckets} FROM
  (SELECT records.*, at_ms / 1000 AS at_s, {span} AS span_s FROM records) AS made
GROUP BY 1, 2, 3, 4, 5, 6"""
TABLES = ("records", "entries", "spend_days", "traffic", "traffic_keys", "users", "keys")


def buckets() -> str:
    """The columns of both histograms."""
    edges = (0, *BOUNDS_US, 2**62)
    return ", ".join(
        f"sum(CASE WHEN {of} >= {edges[n]} AND {of} < {edges[n + 1]} THEN 1 ELSE 0 END)"
        for of in ("first_byte_us", "total_us")
        for n in range(BUCKETS)
    )


def span(now: int, fine_s: int, hours_s: int) -> str:
    """How long the row is that a record of its age is in."""
    at = "at_ms / 1000"
    return (
        f"CASE WHEN {at} >= {(now - fine_s) // 3600 * 3600} THEN 300 "
        f"WHEN {at} >= {(now - hours_s) // 86400 * 86400} THEN 3600 ELSE 86400 END"
    )


async def fill(database: Database, rows: int, now: int) -> None:
    """Fill an empty database with so many records and what is kept of them."""
    engine = "sqlite" if database.is_sqlite else "postgresql"
    false = "0" if database.is_sqlite else "false"
    digest = "CAST('d' || i AS BLOB)" if database.is_sqlite else "decode(md5('d' || i), 'hex')"
    counts = {"users": USERS, "keys": KEYS, "teams": TEAMS, "models": MODELS, "channels": CHANNELS}

    def of(count: int) -> str:
        return NUMBERS[engine].format(rows=count)

    step = DAYS * 86_400_000 // rows
    since = now * 1000 - rows * step
    async with database.write(7_200.0) as conn:
        for statement in (
            PEOPLE.format(false=false, numbers=of(USERS)),
            OWNED.format(digest=digest, numbers=of(KEYS), **counts),
            RECORDS.format(since=since, step=step, false=false, numbers=of(rows), **counts),
            ENTRIES,
            SPENT,
            ASKED.format(span=span(now, 2 * 3_600, 2 * 86_400)),
            SUMMED.format(span=span(now, 26 * 3_600, 9 * 86_400), buckets=buckets()),
        ):
            await conn.execute(text(statement))
        for table in TABLES:
            await conn.execute(text(f"ANALYZE {table}"))


def pages(now: int) -> dict[str, str]:
    """What is asked for, by name."""
    days = [time.strftime("%Y-%m-%d", time.gmtime(now - age * 86_400)) for age in (25, 20)]
    found = {
        f"overview, {name}": f"/admin?period={name}" for name in ("hour", "day", "week", "month")
    }
    found |= {
        f"month by {by}": f"/admin?period=month&by={by}"
        for by in ("channel", "team", "user", "key", "tag")
    }
    found |= {"week by key": "/admin?period=week&by=key", "channels": "/admin/channels"}
    found |= {"own days": f"/admin?since={days[0]}&until={days[1]}"}
    search = {
        "all": "",
        "a user": "user=user-17",
        "a key": "key=%2327",
        "a team": "team=%237",
        "a model": "model=model-7",
        "a channel": "channel=channel-3",
        "a status": "status=502",
        "a cause": "fault=rate_limited",
        "errors": "failed=1",
        "a request": "id=req_17",
        "a day": f"from={days[0]}&to={days[1]}",
        "a user's errors": "user=user-17&failed=1",
        "model, channel": "model=model-7&channel=channel-3&status=502",
        "team and model": "team=%237&model=model-7",
        "what there is not": "user=user-17&model=none",
        "long ago": f"channel=channel-3&to={days[0]}",
    }
    return found | {f"search: {name}": f"/admin/requests?{query}" for name, query in search.items()}


class _Stated:
    """Adds what the edge gives every request."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Serve one request."""
        scope["state"] = {"request_id": "req_bench"}
        await self._application(scope, receive, send)


async def visitor(console: Console) -> httpx.AsyncClient:
    """An administrator's browser."""
    user = await console.identity.create_user("bench", "bench@example.com", UserRole.ADMIN)
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


async def measured(console: Console, loads: int, now: int) -> None:
    """Print a line for each page."""
    async with await visitor(console) as client:
        print(f"{'PAGE':<26}{'LEAST':>8}{'P95 ms':>9}{'KiB':>7}")
        for name, path in pages(now).items():
            times, size = [], 0
            for _ in range(loads):
                began = time.perf_counter()
                answer = await client.get(path)
                times.append((time.perf_counter() - began) * 1e3)
                answer.raise_for_status()
                size = len(answer.content)
            times.sort()
            p95 = times[min(loads - 1, round(0.95 * loads) - 1)]
            print(f"{name:<26}{times[0]:8.1f}{p95:9.1f}{size // 1024:7}", flush=True)


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
            console = console_of(settings, database, stack)
            await measured(console, loads, now)
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
    if not 1 <= given.rows <= ROWS_MAX:
        sys.exit(f"pages.py: between 1 and {ROWS_MAX} rows")
    with tempfile.TemporaryDirectory() as folder:
        url = given.url or f"sqlite:///{Path(folder) / 'pages.db'}"
        asyncio.run(run(url, folder, given.rows, given.loads))


if __name__ == "__main__":
    main()
