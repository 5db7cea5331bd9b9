"""Request records in SQL, with what each cost: a user's own."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.storage.schema.core import entries
from trivium.storage.schema.requests import records


def _select() -> Select[Any]:
    return select(records, entries.c.amount_nanos, entries.c.id.label("entry_id")).join_from(
        records, entries, records.c.request_id == entries.c.request_id, isouter=True
    )


async def page(
    conn: AsyncConnection,
    user_id: int,
    before: tuple[int, str] | None,
    limit: int,
    *,
    key_id: int | None,
    failed: bool,
) -> Sequence[Any]:
    """Records from the newest on, those before a moment and request."""
    place = tuple_(records.c.at_ms, records.c.request_id)
    query = _select().where(records.c.user_id == user_id)
    if before is not None:
        query = query.where(place < before)
    if key_id is not None:
        query = query.where(records.c.key_id == key_id)
    if failed:
        query = query.where(records.c.status >= 400)
    order = query.order_by(records.c.at_ms.desc(), records.c.request_id.desc())
    found: Sequence[Any] = (await conn.execute(order.limit(limit))).all()
    return found


async def served_since(
    conn: AsyncConnection, at_ms: int, limit: int
) -> Sequence[tuple[str, str, int]]:
    """(model, channel, requests) of what was answered since a moment, most first."""
    query = (
        select(records.c.model, records.c.channel, func.count())
        .where(records.c.at_ms >= at_ms, records.c.channel != "", records.c.status < 400)
        .group_by(records.c.model, records.c.channel)
        .order_by(func.count().desc())
        .limit(limit)
    )
    return [(row[0], row[1], row[2]) for row in await conn.execute(query)]


async def one(conn: AsyncConnection, user_id: int, request_id: str) -> Sequence[Any]:
    """The record of that user and request, if there is one."""
    if "\0" in request_id:
        return []  # PostgreSQL takes no such text
    query = _select().where(records.c.user_id == user_id, records.c.request_id == request_id)
    found: Sequence[Any] = (await conn.execute(query)).all()
    return found
