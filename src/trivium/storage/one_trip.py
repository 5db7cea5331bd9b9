"""SQLite's driver with one trip to its thread for each statement.

aiosqlite makes four: for a cursor, to execute, to fetch and to close. Each wakes a thread and then
the event loop, which takes longer than most statements of a gateway do. Here the thread does all
four at once, and keeps nothing: what was found is in memory, as SQLAlchemy would have it anyway.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import aiosqlite
from aiosqlite.context import contextmanager

_CHUNK_ROWS = 64
_Description: TypeAlias = tuple[tuple[str, None, None, None, None, None, None], ...]


class OneTrip(aiosqlite.Connection):
    """A connection whose cursors begin to live in the statement they execute, and end with it."""

    async def trip(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Have the connection's thread do something with the connection. Raises what it raises."""
        execute: Any = self._execute  # it has no types
        await execute(work, self._conn)

    @contextmanager
    async def cursor(self) -> aiosqlite.Cursor:
        """A cursor; it takes no trip."""
        return OneTripCursor(self)


class OneTripCursor(aiosqlite.Cursor):
    """What one statement found, whole; the last one, where several are executed."""

    def __init__(self, conn: OneTrip) -> None:
        self.iter_chunk_size = _CHUNK_ROWS
        self._there = conn
        self._rows: deque[Any] = deque()
        self._description: _Description | None = None
        self._count = -1
        self._last: int | None = None

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> aiosqlite.Cursor:
        """Execute a statement and fetch what it finds. Raises SQLite's errors."""

        def work(conn: sqlite3.Connection) -> None:
            cursor = conn.cursor()
            try:
                # its type has no plain iterables
                given: Any = () if parameters is None else parameters
                cursor.execute(sql, given)
                self._keep(cursor)
            finally:
                cursor.close()

        await self._there.trip(work)
        return self

    async def executemany(self, sql: str, parameters: Iterable[Iterable[Any]]) -> aiosqlite.Cursor:
        """Execute a statement with each of the parameters. Raises SQLite's errors."""

        def work(conn: sqlite3.Connection) -> None:
            cursor = conn.cursor()
            try:
                given: Any = parameters
                cursor.executemany(sql, given)
                self._keep(cursor)
            finally:
                cursor.close()

        await self._there.trip(work)
        return self

    def _keep(self, cursor: sqlite3.Cursor) -> None:
        self._description = cursor.description
        self._rows = deque(cursor.fetchall()) if self._description else deque()
        self._count = cursor.rowcount
        self._last = cursor.lastrowid

    async def fetchone(self) -> Any:
        """The next row; ``None``: there is none."""
        return self._rows.popleft() if self._rows else None

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        """As many rows more, or 1."""
        size = 1 if size is None else size
        return [self._rows.popleft() for _ in range(min(size, len(self._rows)))]

    async def fetchall(self) -> list[Any]:
        """All rows that are left."""
        found, self._rows = self._rows, deque()
        return list(found)

    async def close(self) -> None:
        """Forget the rows; the thread has nothing to close."""
        self._rows = deque()

    @property
    def description(self) -> Any:
        """The columns of what was found; ``None`` where a statement finds nothing."""
        return self._description

    @property
    def rowcount(self) -> int:
        """Rows that were changed; -1 where that is not known."""
        return self._count

    @property
    def lastrowid(self) -> int | None:
        """The number of the last row that was inserted."""
        return self._last


def connect(database: str, **how: Any) -> OneTrip:
    """A connection to await. ``how``: as ``sqlite3.connect`` takes it."""
    made = OneTrip(lambda: sqlite3.connect(database, **how), _CHUNK_ROWS)
    # as SQLAlchemy does with connections of its own: a process ends without waiting for it
    made._thread.daemon = True  # noqa: SLF001
    return made
