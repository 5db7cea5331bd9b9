"""Many rows in few statements, by the driver's own text and values.

SQLite's driver gives up and takes back the interpreter's lock at each step, which under load is a
switch between threads, and each statement is three turns of a busy loop: so a statement has many
rows, and all of one kind go to the driver's thread at once. SQLAlchemy's work on each value is
spared on both engines. A value that all rows have costs nothing as a part of the text: SQLite
spends 80 ns on each that is bound.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, TypeAlias

from sqlalchemy import Dialect, Table, bindparam, literal, literal_column
from sqlalchemy.ext.asyncio import AsyncConnection


def upsert(conn: AsyncConnection, table: Table) -> Any:
    """An insert with ``on_conflict_do_update`` and ``on_conflict_do_nothing``.

    Raises ``KeyError`` on any engine but the two: no other is taken for one of them.
    """
    return _engine(conn.dialect.name)[0](table)


@cache
def _engine(name: str) -> tuple[Any, Any]:
    """An engine's insert and its driver's dialect. Only that of the database that there is, is
    imported: PostgreSQL's take 60 ms and 2 MiB. Raises ``KeyError`` for others.
    """
    if name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert, sqlite.dialect
    if name == "postgresql":
        from sqlalchemy.dialects import postgresql
        from sqlalchemy.dialects.postgresql import asyncpg

        return postgresql.insert, asyncpg.dialect
    raise KeyError(name)


TOGETHER: Final = 100
"""Rows a statement on SQLite, as long as their parameters stay under its 32,766. With five times as
many a row costs 5 % less, but the loop waits five times as long while they are bound.
"""
PARAMETERS_MAX: Final = 32_000

Fixed: TypeAlias = tuple[tuple[str, str | int | bool | None], ...]
"""Columns that have the same value in every row, and the values."""


async def insert_new(
    conn: AsyncConnection,
    table: Table,
    key: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    fixed: Fixed = (),
) -> None:
    """Insert rows with values in the order of the table's columns without the ``fixed`` ones. A row
    whose ``key`` exists stays as it is, so repeating the call changes nothing.
    """
    await insert(conn, table, names(table, fixed), rows, fixed, key)


async def insert(
    conn: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    fixed: Fixed = (),
    key: tuple[str, ...] = (),
) -> None:
    """Insert rows with values for these columns, which are in the table's order. Without a ``key``,
    a row that exists already is a conflict.
    """
    engine = conn.dialect.name
    if engine == "sqlite":
        size = min(TOGETHER, PARAMETERS_MAX // len(columns))
        whole = len(rows) - len(rows) % size
        if whole:
            text = _many(table, columns, fixed, key, size)
            starts = range(0, whole, size)
            values = [tuple(chain.from_iterable(rows[at : at + size])) for at in starts]
            await conn.exec_driver_sql(text, values)
        rows = rows[whole:]
    if rows:
        await conn.exec_driver_sql(_one(engine, table, columns, fixed, key), list(rows))


def names(table: Table, fixed: Fixed) -> tuple[str, ...]:
    """Return a table's columns in their order, without the fixed ones."""
    return tuple(name for name in table.c.keys() if name not in dict(fixed))  # noqa: SIM118 - not a dict


@cache
def _one(
    engine: str, table: Table, columns: tuple[str, ...], fixed: Fixed, key: tuple[str, ...]
) -> str:
    """Return the text of a statement for one row."""
    insert_into, dialect_of = _engine(engine)
    dialect: Dialect = dialect_of()
    made = insert_into(table)
    marks: dict[str, Any] = {name: bindparam(name) for name in columns}
    made = made.values(marks | _literals(table, fixed, dialect)).inline()
    if key:
        made = made.on_conflict_do_nothing(index_elements=key)
    compiled = made.compile(dialect=dialect)
    assert tuple(compiled.positiontup or ()) == columns
    return str(compiled)


def _literals(table: Table, fixed: Fixed, dialect: Dialect) -> dict[str, Any]:
    inline = {"literal_binds": True}
    return {
        name: literal_column(
            str(literal(value, table.c[name].type).compile(dialect=dialect, compile_kwargs=inline))
        )
        for name, value in fixed
    }


@cache
def _many(
    table: Table, columns: tuple[str, ...], fixed: Fixed, key: tuple[str, ...], rows: int
) -> str:
    """Return the text of a statement for SQLite that inserts ``rows`` rows."""
    one = _one("sqlite", table, columns, fixed, key)
    head, values, rest = one.partition(" VALUES ")
    row, conflict, tail = rest.partition(" ON CONFLICT ")
    assert row.count("?") == len(columns)
    return head + values + ", ".join([row] * rows) + conflict + tail


async def add_up(
    conn: AsyncConnection, table: Table, sums: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows with values in the order of the table's columns; where the key exists, its
    ``sums`` grow by those of the row.

    The rows' order is the order in which they are locked: whoever adds to several sorts them.
    """
    if rows:
        await conn.exec_driver_sql(_adding(conn.dialect.name, table, sums), list(rows))


@cache
def _adding(engine: str, table: Table, sums: tuple[str, ...]) -> str:
    """Return the text of a statement that inserts one row or adds it up."""
    insert_into, dialect_of = _engine(engine)
    dialect: Dialect = dialect_of()
    columns = names(table, ())
    made = insert_into(table).values({name: bindparam(name) for name in columns}).inline()
    made = made.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key],
        set_={name: table.c[name] + made.excluded[name] for name in sums},
    )
    compiled = made.compile(dialect=dialect)
    assert tuple(compiled.positiontup or ()) == columns
    return str(compiled)
