"""The database: SQLite in a file, or PostgreSQL; one class, reads apart from writes.

SQLite allows one writer. So writes have an engine with one connection, which makes writers of
this process queue in order, and every write transaction starts with ``BEGIN IMMEDIATE``, which
makes other processes wait at the start instead of failing in the middle (a transaction that reads
first and writes later gets SQLITE_BUSY at once, whatever the busy time-out). Readers run beside it
in WAL mode and are told ``query_only``.

PostgreSQL has one pool. Reads are one ``REPEATABLE READ READ ONLY`` transaction, which is what a
SQLite read transaction is as well: everything in one ``read()`` sees one state.

Importing this module loads SQLAlchemy (about a second); importing ``trivium.storage`` does not.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, TypeAlias
from uuid import uuid4

from sqlalchemy import (
    URL,
    BigInteger,
    cast,
    event,
    exc,
    func,
    literal_column,
    make_url,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from trivium.storage.errors import Conflict, Rejected, SchemaStale, StorageDown, StorageError

NOW: Final = {
    "sqlite": literal_column("CAST(strftime('%s', 'now') AS INTEGER)"),
    "postgresql": cast(func.extract("epoch", func.clock_timestamp()), BigInteger),
}
"""Whole seconds since the epoch within a statement, by the database's own clock: what several
workers renew, let end and sweep is told by one.
"""
BUSY_MS: Final = 5_000
"""How long SQLite waits for another process's write; a batch of records takes some 20 ms."""
CONNECT_S: Final = 10.0
"""To a usable PostgreSQL connection; asyncpg's default of 60 would hide an outage."""
CHECK_S: Final = 600.0
"""The check reads the whole file; some 200 MB a second from a warm cache."""
_SHOWN: Final = 20
"""Problems told; one broken page can make thousands."""
LIMIT_S: Final = 30.0
"""A whole ``read()`` or ``write()``, so that a frozen server cannot hang its callers."""
Connection: TypeAlias = AsyncConnection
"""What ``read()`` and ``write()`` give: for those who only hand it on to a store."""
_PAUSE_MS: Final = 20
_ending: Final[set[asyncio.Task[None]]] = set()
"""Transactions that are given up: the loop itself would let their tasks be collected."""
_NO_TABLE: Final = ("42P01", "42703")  # undefined_table, undefined_column
_EXAMPLES: Final = "sqlite:///trivium.db or postgresql://user:password@host/database"


class Database:
    """``read()`` and ``write()`` transactions on one database. Close it when done.

    ``url``: ``sqlite:///RELATIVE``, ``sqlite:////ABSOLUTE`` or ``postgresql://…``. PostgreSQL's
    takes ``?sslmode=…`` and ``?pgbouncer=1``, which is needed behind PgBouncer in transaction mode:
    prepared statements are then neither cached nor named alike. ``pool``: PostgreSQL connections,
    SQLite readers. Raises ``ValueError`` for an address of another kind.
    """

    def __init__(self, url: str, pool: int = 5) -> None:
        parsed = _parse(url)
        self.is_sqlite: Final = parsed.get_backend_name() == "sqlite"
        self._is_created = False
        self.path: Final = parsed.database if self.is_sqlite else None
        if self.is_sqlite:
            self._writer = _sqlite(parsed, 1, "BEGIN IMMEDIATE", query_only=False)
            self._reader = _sqlite(parsed, pool, "BEGIN", query_only=True)
        else:
            self._writer = _postgresql(parsed, pool)
            self._reader = self._writer.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )

    @asynccontextmanager
    async def read(self, limit_s: float = LIMIT_S) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state and cannot write.

        Raises ``StorageDown``, ``SchemaStale`` or ``Rejected``; ``limit_s`` bounds the whole block.
        """
        self._create_private()
        with _translated(limit_s):
            async with asyncio.timeout(limit_s), self._reader.connect() as conn, conn.begin():
                yield conn

    @asynccontextmanager
    async def write(self, limit_s: float = LIMIT_S) -> AsyncIterator[AsyncConnection]:
        """A transaction that commits when the block ends well and rolls back otherwise.

        Raises ``StorageDown``, ``SchemaStale``, ``Conflict`` or ``Rejected``. After ``StorageDown``
        the outcome of a commit is unknown: whatever is retried has to be idempotent.
        """
        self._create_private()
        with _translated(limit_s):
            async with asyncio.timeout(limit_s), self._writer.begin() as conn:
                yield conn

    async def alive(self, limit_s: float = 2.0) -> bool:
        """Whether the database answers a query within the limit."""
        try:
            async with self.read(limit_s) as conn:
                await conn.execute(text("SELECT 1"))
        except StorageError:
            return False
        return True

    async def now(self) -> float | None:
        """The server's own seconds since the epoch; ``None``: a file has no clock of its own.

        Raises what ``read`` raises.
        """
        if self.is_sqlite:
            return None
        async with self.read() as conn:
            at = await conn.scalar(text("SELECT extract(epoch FROM clock_timestamp())"))
        return float(at)

    def _create_private(self) -> None:
        """Only the owner reads the file: it holds key digests. SQLite's side files take its mode.

        Raises ``StorageDown`` with the path, where SQLite's own message would not say which.
        """
        if self.path is None or self._is_created:
            return
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StorageDown(
                f"cannot open the database file {self.path[:200]}: {error.strerror}"
            ) from None
        self._is_created = True

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        await self._writer.dispose()
        if self.is_sqlite:
            await self._reader.dispose()


async def damage(db: Database) -> tuple[str, ...]:
    """What is broken, one line each; empty when the database file is whole.

    PostgreSQL checks its pages as it reads them, so there is nothing to ask it.
    """
    if not db.is_sqlite:
        return ()
    async with db.read(CHECK_S) as conn:
        found = await conn.execute(text(f"PRAGMA integrity_check({_SHOWN})"))
        broken = [line for (line,) in found if line != "ok"]
        loose = await conn.execute(text("PRAGMA foreign_key_check"))
        broken += [
            f"row {row.rowid} of {row.table} refers to a missing row of {row.parent}"
            for row in loose.fetchmany(_SHOWN)
        ]
    return tuple(broken[:_SHOWN])


def _parse(url: str) -> URL:
    """The address with its driver written out: SQLAlchemy's own defaults differ by version."""
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):  # the second: a port that is no number
        raise ValueError(f"storage.url is not a database address: write {_EXAMPLES}") from None
    if parsed.drivername == "sqlite":
        if parsed.database in (None, "", ":memory:") or parsed.host:
            raise ValueError(f"storage.url needs a file that workers can share: write {_EXAMPLES}")
        return parsed.set(drivername="sqlite+aiosqlite")
    if parsed.drivername in ("postgresql", "postgres", "postgresql+asyncpg"):
        if not parsed.database:
            raise ValueError(f"storage.url names no database: write {_EXAMPLES}")
        return parsed.set(drivername="postgresql+asyncpg")
    raise ValueError(f"storage.url has the unknown kind {parsed.drivername!r}: write {_EXAMPLES}")


def _sqlite(url: URL, pool: int, begin: str, *, query_only: bool) -> AsyncEngine:
    """An engine whose transactions start with ``begin``; the driver itself starts none."""
    from trivium.storage.one_trip import connect

    engine = create_async_engine(
        url,
        pool_size=pool,
        max_overflow=0,
        pool_timeout=LIMIT_S,
        connect_args={
            "isolation_level": None,
            "timeout": BUSY_MS / 1000,
            "async_creator_fn": connect,
        },
    )

    def prepare(connection: Any, record: object) -> None:
        del record
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        _use_wal(cursor)
        # with WAL, NORMAL loses no transaction when the process dies, at most the last ones when
        # the machine does; the ledger's own journal covers those
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        # what a statement needs to undo itself would be a file of its own, made and removed
        cursor.execute("PRAGMA temp_store=MEMORY")
        cursor.execute(f"PRAGMA query_only={'ON' if query_only else 'OFF'}")
        cursor.close()

    def start(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine.sync_engine, "connect", prepare)
    event.listen(engine.sync_engine, "begin", start)
    event.listen(engine.sync_engine, "invalidate", _abandon)
    return engine


def _abandon(connection: Any, record: object, error: object) -> None:
    """End the transaction of a connection that is given up because its caller was cancelled.

    The driver's thread is still busy with the caller's statement, and a connection that is closed
    with an open one keeps its transaction, and the write lock, until the collector finds whatever
    remembers the caller: anybody who hangs up at the right moment could keep all others waiting.
    """
    del record, error
    ending = asyncio.get_running_loop().create_task(connection.driver_connection.rollback())
    _ending.add(ending)
    ending.add_done_callback(_ending.discard)
    await_only(asyncio.shield(ending))


def _use_wal(cursor: Any) -> None:
    """Switch the file to WAL, which lasts. The busy time-out does not cover this statement, and
    several workers may open a new file at the same moment.
    """
    for _ in range(BUSY_MS // _PAUSE_MS):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            await_only(asyncio.sleep(_PAUSE_MS / 1000))
        else:
            return


def _postgresql(url: URL, pool: int) -> AsyncEngine:
    """An engine on asyncpg; parameters that libpq knows and asyncpg does not are renamed."""
    query = dict(url.query)
    arguments: dict[str, Any] = {"timeout": CONNECT_S}
    if "sslmode" in query:
        arguments["ssl"] = query.pop("sslmode")
    if query.pop("pgbouncer", "0") in ("1", "true"):
        # a prepared statement lives in one server connection, and PgBouncer hands out another
        # for the next transaction
        arguments["statement_cache_size"] = 0
        arguments["prepared_statement_cache_size"] = 0
        arguments["prepared_statement_name_func"] = lambda: f"trivium_{uuid4().hex}"
    return create_async_engine(
        url.set(query=query),
        pool_size=pool,
        max_overflow=0,
        pool_timeout=LIMIT_S,
        # a server that was restarted leaves dead connections in the pool
        pool_pre_ping=True,
        connect_args=arguments,
    )


@contextmanager
def _translated(limit_s: float) -> Iterator[None]:
    """Driver exceptions become ours; those of the block itself pass."""
    try:
        yield
    except TimeoutError as error:
        raise StorageDown(f"the database did not answer within {limit_s:g} s") from error
    except OSError as error:
        raise StorageDown(f"the database cannot be reached: {error.strerror or error}") from error
    except exc.TimeoutError as error:
        raise StorageDown("no database connection became free in time") from error
    except exc.IntegrityError as error:
        raise Conflict(_text(error)) from error
    except exc.DBAPIError as error:
        raise _reason(error) from error
    except OverflowError as error:  # SQLite's driver, of a number beyond 64 bits
        raise Rejected(f"a value is not one for the database: {error}") from error
    except Exception as error:
        # while connecting, asyncpg's exceptions come through SQLAlchemy as they are
        if type(error).__module__.startswith("asyncpg."):
            raise StorageDown(f"the database refused the connection: {error}") from error
        raise


def _reason(error: exc.DBAPIError) -> StorageDown | SchemaStale | Rejected:
    said = _text(error)
    state = getattr(error.orig, "sqlstate", None)
    if state in _NO_TABLE or "no such table" in said or "no such column" in said:
        return SchemaStale(f"the database has not the tables of this version ({said}): "
                           "run `trivium migrate`")  # fmt: skip
    if error.connection_invalidated:
        return StorageDown(f"the database connection was lost: {said}")
    if state is None:
        # SQLite: locked, full, read-only and unreadable files; what a driver finds wrong with
        # a value has other classes
        is_down = type(error) in (exc.OperationalError, exc.DatabaseError)
    else:
        # 22: data, 23: integrity, 42: the statement, P0: our triggers. All others pass: lost
        # connections, a standby that is still read-only, a full disk, a deadlock, privileges
        is_down = state[:2] not in ("22", "23", "42", "P0") or state == "42501"
    return StorageDown(f"the database is not usable: {said}") if is_down else Rejected(said)


def _text(error: exc.DBAPIError) -> str:
    """The driver's first line, without the statement and its values."""
    return str(error.orig).partition("\n")[0]
