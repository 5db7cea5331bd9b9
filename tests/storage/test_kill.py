"""A process that is killed at any moment leaves a database that can be gone on with."""

import asyncio
import signal
import subprocess
import sys
import time

import pytest
from sqlalchemy import text

from trivium.clock import SystemClock
from trivium.ledger.entries import Entries
from trivium.storage import migrate
from trivium.storage.database import Database, damage

WRITER = """
import asyncio, sys
from itertools import count
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.observe import store
from trivium.observe.record import Record
from trivium.storage import migrate
from trivium.storage.database import Database

async def main(url, name):
    db = Database(url)
    await migrate.ensure(db)
    identity, entries = Identity(db, SystemClock()), Entries(db, SystemClock())
    user = await identity.create_user(name, f"{name}@example.com")

    async def keys():
        while True:
            key, _ = await identity.create_key(name)
            await identity.revoke_key(f"id:{key.id}")

    async def bookings():
        for number in count():
            request = f"{name}-{number}"
            await entries.book(user.id, EntryKind.USAGE, -1, request_id=request)
            print(request, flush=True)

    async def records():
        for batch in count():
            rows = [store.row_of(Record(request_id=f"{name}-{batch}-{n}", at=1.0)) for n in range(50)]
            async with db.write() as conn:
                await store.insert(conn, rows)

    print("ready", flush=True)
    await asyncio.gather(keys(), bookings(), records())

asyncio.run(main(*sys.argv[1:]))
"""


def write_and_die(url, name, seconds):
    """Run the writer, kill it so long after its first booking, and return what it confirmed."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, url, name], stdout=subprocess.PIPE, text=True
    )
    with process.stdout as said:
        assert "ready\n" == said.readline()
        first = said.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        rest = said.read()
    assert -signal.SIGKILL == process.wait(30)
    return [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]


@pytest.mark.parametrize(
    "lives", [2, pytest.param(5, marks=[pytest.mark.slow, pytest.mark.timeout(300)])]
)
@pytest.mark.asyncio
async def test_nothing_confirmed_is_lost_and_nothing_is_half_done(database_url, lives):
    """Keys, bookings and records in flight, killed again and again: whole, adding up, and complete."""
    confirmed = []
    for life in range(lives):
        seconds = life * 0.07
        confirmed += await asyncio.to_thread(write_and_die, database_url, f"w{life}", seconds)
    db = Database(database_url)
    await migrate.ensure(db)
    assert () == await damage(db)
    assert [] == await Entries(db, SystemClock()).verify()
    async with db.read() as conn:
        booked = set(await conn.scalars(text("SELECT request_id FROM entries")))
        top = await conn.scalar(text("SELECT max(revision) FROM keys"))
        revision = await conn.scalar(text("SELECT value FROM revision"))
        batches = await conn.scalars(text("SELECT count(*) % 50 FROM records"))
    await db.close()
    assert lives <= len(confirmed)
    assert {line.strip() for line in confirmed} <= booked
    assert len(booked) <= len(confirmed) + lives
    assert (top, 0) == (min(top, revision), batches.one())
