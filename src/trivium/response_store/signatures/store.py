"""Traces in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.storage.bulk_insert import insert_new
from trivium.storage.schema.requests import traces

Row = tuple[int, str, int, bytes]
"""User, id, seconds since the epoch, packed trace."""

IDS_MAX: Final = 500
"""Ids of one query; SQLite takes 32,766 values, PostgreSQL's driver as many."""


async def insert(conn: AsyncConnection, rows: Sequence[Row]) -> None:
    """Store rows; one that is there already stays, and is what was stored before."""
    await insert_new(conn, traces, ("user_id", "id"), rows)


async def find(
    conn: AsyncConnection, user_id: int, ids: Sequence[str], since: int
) -> dict[str, bytes]:
    """Packed traces of one user by id, none older than ``since``."""
    out: dict[str, bytes] = {}
    for start in range(0, len(ids), IDS_MAX):
        rows = await conn.execute(
            select(traces.c.id, traces.c.value).where(
                traces.c.user_id == user_id,
                traces.c.id.in_(ids[start : start + IDS_MAX]),
                traces.c.created_at >= since,
            )
        )
        out.update((row.id, row.value) for row in rows)
    return out


async def delete_before(conn: AsyncConnection, at: int, limit: int) -> int:
    """Delete at most so many traces older than that, oldest first; returns how many it were.

    Rows that another node is deleting are left to it.
    """
    old = (
        select(traces.c.user_id, traces.c.id)
        .where(traces.c.created_at < at)
        .order_by(traces.c.created_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
        # a subquery may run again for each row, and would then find others; this runs once
        .cte("old", nesting=True)
    )
    keys = tuple_(traces.c.user_id, traces.c.id)
    mine = keys.in_(select(old.c.user_id, old.c.id))
    done = await conn.execute(delete(traces).where(mine))
    return int(done.rowcount)
