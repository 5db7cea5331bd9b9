"""Transactions, and driver failures in our own words."""

import asyncio
import socket
import sqlite3
import stat
import subprocess
import sys

import pytest
from sqlalchemy import text

from trivium.storage.database import Database
from trivium.storage.errors import Conflict, Rejected, SchemaStale, StorageDown, StorageError

ONE = text("SELECT 1")
USER = text(
    "INSERT INTO users (name, email, role, created_at, revision) VALUES (:name, :email, 'user', 0, 1)"
)
COUNT = text("SELECT count(*) FROM users")
ADA = {"name": "ada", "email": "ada@example.com"}


async def count(db):
    async with db.read() as conn:
        return await conn.scalar(COUNT)


@pytest.mark.asyncio
async def test_a_write_is_there_for_the_next_read(database):
    """A block that ends well is committed."""
    async with database.write() as conn:
        await conn.execute(USER, ADA)
    assert 1 == await count(database)


@pytest.mark.asyncio
async def test_a_write_that_raises_leaves_nothing(database):
    """A block that fails is rolled back, and its own exception passes untouched."""

    async def fail():
        async with database.write() as conn:
            await conn.execute(USER, ADA)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert 0 == await count(database)


@pytest.mark.asyncio
async def test_a_write_that_is_cancelled_leaves_nothing(database):
    """Neither the rows nor a held write lock survive cancellation."""
    wrote = asyncio.Event()

    async def forever():
        async with database.write() as conn:
            await conn.execute(USER, ADA)
            wrote.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(forever())
    await wrote.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 == await count(database)
    async with database.write() as conn:
        await conn.execute(USER, ADA)
    assert 1 == await count(database)


@pytest.mark.asyncio
async def test_a_write_that_is_cancelled_anywhere_holds_nobody_up(database):
    """Beginning, between statements, within one, committing: a caller who hangs up at the wrong
    moment must not keep the write lock, whoever still remembers the task. A lock that is kept is
    kept for ever; a new connection takes as long as the machine is busy.
    """
    tasks = []

    async def write():
        async with database.write() as conn:
            await conn.execute(ONE)
            await conn.execute(USER, ADA)
            raise ZeroDivisionError

    for turns in range(90):
        tasks.append(asyncio.create_task(write()))
        for _ in range(turns):
            await asyncio.sleep(0)
        await asyncio.sleep(0.0004 * (turns % 4))
        tasks[-1].cancel()
        await asyncio.gather(tasks[-1], return_exceptions=True)
        async with database.write() as conn:
            await conn.execute(ONE)
    assert 0 == await count(database)


@pytest.mark.asyncio
async def test_a_read_cannot_write(database):
    """What promises to read is held to it by the engine."""
    with pytest.raises(StorageError):
        async with database.read() as conn:
            await conn.execute(USER, ADA)
    assert 0 == await count(database)


@pytest.mark.asyncio
async def test_a_read_sees_one_state(database):
    """A commit in the middle of a read is seen by the next one only."""
    async with database.read() as conn:
        before = await conn.scalar(COUNT)
        async with database.write() as other:
            await other.execute(USER, ADA)
        assert before == await conn.scalar(COUNT)
    assert before + 1 == await count(database)


@pytest.mark.asyncio
async def test_writers_wait_for_each_other(database):
    """Twenty concurrent read-then-write transactions lose no update and fail none."""

    async def bump():
        async with database.write() as conn:
            await conn.execute(text("UPDATE revision SET value = value + 1"))

    await asyncio.gather(*(bump() for _ in range(20)))
    async with database.read() as conn:
        assert 20 == await conn.scalar(text("SELECT value FROM revision"))


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("INSERT INTO accounts (user_id, balance_nanos, used_nanos) VALUES (999, 0, 0)", Conflict),
        ("INSERT INTO revision (id, value) VALUES (1, 0)", Conflict),
        ("INSERT INTO revision (id, value) VALUES (2, 0)", Conflict),
        ("SELECT * FROM no_such_table", SchemaStale),
        ("SELECT no_such_column FROM users", SchemaStale),
        ("INSERT INTO users (id, name) VALUES (1, 'x', 'y')", Rejected),
    ],
    ids=["reference", "unique", "check", "table", "column", "syntax"],
)
@pytest.mark.asyncio
async def test_driver_errors_become_ours(database, statement, error):
    """Nothing above the border sees a driver's exception, and the statement is not repeated."""
    with pytest.raises(StorageError) as caught:
        async with database.write() as conn:
            await conn.execute(text(statement))
    if error is Rejected and database.is_sqlite:
        error = StorageError  # SQLite's driver has one class for both
    assert isinstance(caught.value, error)
    assert statement not in str(caught.value)


@pytest.mark.asyncio
async def test_entries_can_only_be_appended(database):
    """The engine itself refuses to change or delete a booking."""
    async with database.write() as conn:
        await conn.execute(USER, ADA)
        await conn.execute(
            text(
                "INSERT INTO entries (user_id, kind, amount_nanos, note, created_at) "
                "SELECT id, 'top_up', 5, '', 0 FROM users"
            )
        )
    for statement in ("UPDATE entries SET amount_nanos = 6", "DELETE FROM entries"):
        with pytest.raises(StorageError, match="append-only"):
            async with database.write() as conn:
                await conn.execute(text(statement))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("trivium.db", "not a database address"),
        ("postgresql://u:s3cret@host:port/db", "not a database address"),
        ("mysql://root@host/x", "unknown kind 'mysql'"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite://trivium.db", "needs a file"),
        ("postgresql://user:s3cret@host", "names no database"),
    ],
)
def test_an_address_of_another_kind_is_refused(url, says):
    """The message names the setting, shows a valid one, and repeats no password."""
    with pytest.raises(ValueError, match=r"storage\.url") as caught:
        Database(url)
    assert says in str(caught.value)
    assert "sqlite:///trivium.db" in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        ("?sslmode=require", {"ssl": "require"}),
        ("?pgbouncer=1", {"statement_cache_size": 0, "prepared_statement_cache_size": 0}),
        ("?pgbouncer=0", {}),
    ],
)
@pytest.mark.asyncio
async def test_parameters_reach_the_driver(monkeypatch, query, expected):
    """libpq's spelling of TLS and our PgBouncer switch are translated, the driver written out."""
    seen = {}

    def connect(self, *args, **options):
        seen.update(options)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(
        "sqlalchemy.dialects.postgresql.asyncpg.AsyncAdapt_asyncpg_dbapi.connect", connect
    )
    db = Database(f"postgresql://user@host/db{query}")
    with pytest.raises(StorageDown):
        async with db.read():
            pass
    await db.close()
    known = ("ssl", "statement_cache_size", "prepared_statement_cache_size")
    assert expected == {name: seen[name] for name in known if name in seen}
    assert ("prepared_statement_name_func" in seen) == ("statement_cache_size" in expected)
    assert not {"sslmode", "pgbouncer"} & set(seen)


@pytest.mark.postgres
@pytest.mark.asyncio
async def test_it_works_without_statement_caches(postgresql_url):
    """The PgBouncer switch leaves a working connection."""
    joint = "&" if "?" in postgresql_url else "?"
    db = Database(f"{postgresql_url}{joint}pgbouncer=1")
    for _ in range(3):
        await count(db)
    await db.close()


@pytest.mark.asyncio
async def test_a_server_that_is_away_is_storage_down():
    """A refused connection is one readable error without the password."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused
        db = Database(
            f"postgresql://u:s3cret@127.0.0.1:{taken.getsockname()[1]}/db?sslmode=disable"
        )
        with pytest.raises(StorageDown) as caught:
            await count(db)
        assert "s3cret" not in str(caught.value)
    await db.close()


@pytest.mark.asyncio
async def test_a_frozen_server_is_storage_down_within_the_limit():
    """A server that accepts and never answers does not hang its callers."""
    with socket.socket() as frozen:
        frozen.bind(("127.0.0.1", 0))
        frozen.listen()
        port = frozen.getsockname()[1]
        db = Database(f"postgresql://u@127.0.0.1:{port}/db?sslmode=disable")
        with pytest.raises(StorageDown, match=r"0\.2 s"):
            async with db.read(limit_s=0.2):
                pass
    await db.close()


@pytest.mark.postgres
@pytest.mark.asyncio
async def test_connections_that_died_are_replaced(postgresql_url):
    """A server that dropped its connections, as a restart does, is not an error for the next read."""
    db = Database(postgresql_url, pool=1)
    other = Database(postgresql_url, pool=1)
    await count(db)
    async with other.write() as conn:
        await conn.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = 'migrated' AND pid <> pg_backend_pid()"
            )
        )
    assert 0 <= await count(db)
    await db.close()
    await other.close()


@pytest.mark.postgres
@pytest.mark.asyncio
async def test_a_connection_that_dies_in_use_is_storage_down(postgresql_url):
    """The statement in flight fails as something that may be tried again."""
    db = Database(postgresql_url, pool=2)

    async def cut():
        async with db.write() as conn:
            pid = await conn.scalar(text("SELECT pg_backend_pid()"))
            async with db.write() as other:
                await other.execute(text(f"SELECT pg_terminate_backend({pid})"))
            await conn.execute(COUNT)

    with pytest.raises(StorageDown):
        await cut()
    await db.close()


@pytest.mark.asyncio
async def test_a_missing_directory_is_named(tmp_path):
    """SQLite itself would not say which file it cannot open."""
    db = Database(f"sqlite:///{tmp_path}/nowhere/trivium.db")
    with pytest.raises(StorageDown, match=r"nowhere/trivium\.db"):
        await count(db)
    await db.close()


@pytest.mark.asyncio
async def test_only_the_owner_reads_the_file(tmp_path):
    """Key digests and balances are nobody else's, in the side files neither."""
    db = Database(f"sqlite:///{tmp_path}/trivium.db")
    async with db.write() as conn:
        await conn.execute(text("CREATE TABLE t (x)"))
        modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    await db.close()
    assert {0o600} == modes


@pytest.mark.asyncio
async def test_a_relative_path_is_below_the_working_directory(tmp_path, monkeypatch):
    """Three slashes and a name: the file lies where the command was started."""
    monkeypatch.chdir(tmp_path)
    db = Database("sqlite:///here.db")
    async with db.write() as conn:
        await conn.execute(text("CREATE TABLE t (x)"))
    await db.close()
    assert (tmp_path / "here.db").exists()


@pytest.mark.asyncio
async def test_another_process_may_write_in_between(tmp_path):
    """A writer elsewhere is waited for, and readers here never notice it."""
    path = tmp_path / "trivium.db"
    db = Database(f"sqlite:///{path}")
    async with db.write() as conn:
        await conn.execute(text("CREATE TABLE t (x)"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES (1)")

    async def insert():
        async with db.write() as conn:
            await conn.execute(text("INSERT INTO t VALUES (2)"))

    task = asyncio.create_task(insert())
    async with db.read() as conn:
        assert 0 == await conn.scalar(text("SELECT count(*) FROM t"))
    assert not task.done()
    other.execute("COMMIT")
    other.close()
    await task
    async with db.read() as conn:
        assert 2 == await conn.scalar(text("SELECT count(*) FROM t"))
    await db.close()


def test_the_package_is_light():
    """Listening does not wait for SQLAlchemy, and neither does catching its faults."""
    names = ("storage", "storage.errors", "identity.authenticate", "observe.recorder",
             "observe.sweep", "ledger.entries")  # fmt: skip
    script = (
        f"import {', '.join('trivium.' + name for name in names)}, sys; "
        "print([m for m in ('sqlalchemy', 'alembic', 'aiosqlite', 'asyncpg') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert "[]" == done.stdout.strip()


@pytest.mark.asyncio
async def test_alive_says_whether_it_answers(database, tmp_path):
    """A readiness probe gets a yes or a no, never an exception."""
    away = Database(f"sqlite:///{tmp_path}/nowhere/trivium.db")
    assert (True, False) == (await database.alive(), await away.alive())
    await away.close()
