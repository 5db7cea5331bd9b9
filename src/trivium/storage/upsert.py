"""Inserts that know ON CONFLICT: each engine has a class of its own for the same words."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

INSERT: Final[dict[str, Callable[[Table], Any]]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def upsert(conn: AsyncConnection, table: Table) -> Any:
    """An insert with ``on_conflict_do_update`` and ``on_conflict_do_nothing``.

    Raises ``KeyError`` on any engine but the two: no other is taken for one of them.
    """
    return INSERT[conn.dialect.name](table)
