"""Many rows in few statements, by the driver's own text and values.

SQLite's driver gives up and takes back the interpreter's lock at each step, which under load is a
switch between threads, and each statement is a turn of a busy loop. SQLAlchemy's work on each value
is spared on both engines.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

from sqlalchemy import Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection

TOGETHER: Final = 500
"""Rows a statement on SQLite, as long as their parameters stay under its 32,766."""
PARAMETERS_MAX: Final = 32_000


async def insert_new(
    conn: AsyncConnection, table: Table, key: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Store rows, values in the order of the table's columns; one that is there by its ``key``
    stays as it is, so that repeating the call changes nothing.
    """
    engine = conn.dialect.name
    if engine == "sqlite":
        size = min(TOGETHER, PARAMETERS_MAX // len(table.c))
        whole = len(rows) - len(rows) % size
        for start in range(0, whole, size):
            values = tuple(chain.from_iterable(rows[start : start + size]))
            await conn.exec_driver_sql(_many(table, key, size), values)
        rows = rows[whole:]
    if rows:
        await conn.exec_driver_sql(_one(engine, table, key), list(rows))


@cache
def _one(engine: str, table: Table, key: tuple[str, ...]) -> str:
    """The statement's text with one mark a column."""
    dialect: Dialect
    made: Any
    if engine == "sqlite":
        dialect, made = sqlite.dialect(), sqlite.insert(table)
    else:
        dialect, made = asyncpg.dialect(), postgresql.insert(table)  # type: ignore[no-untyped-call] # SQLAlchemy's own
    columns = tuple(table.c.keys())
    compiled = made.on_conflict_do_nothing(index_elements=key).compile(
        dialect=dialect, column_keys=columns
    )
    assert tuple(compiled.positiontup or ()) == columns
    return str(compiled)


@cache
def _many(table: Table, key: tuple[str, ...], rows: int) -> str:
    """The statement for SQLite with the marks of many rows."""
    row = "(" + ", ".join("?" * len(table.c)) + ")"
    one = _one("sqlite", table, key)
    assert one.count(row) == 1
    return one.replace(row, ", ".join([row] * rows))
