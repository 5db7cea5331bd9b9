"""An account's entries in SQL. Every function works in the transaction it is given.

Entries have an index by user and id, none by user and time: a second one would cost every booking.
Ids rise with time, give or take a batch or a journal that was replayed late, so a moment is found
among them by halving, some thirty look-ups of microseconds each.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.storage.schema import entries

DAY_S: Final = 86_400


async def page(
    conn: AsyncConnection, user_id: int, before: int | None, limit: int, kinds: Sequence[str]
) -> Sequence[Any]:
    """Entries of a user from the newest on, those before an id; of these kinds, or of all."""
    query = select(entries).where(entries.c.user_id == user_id)
    if before is not None:
        query = query.where(entries.c.id < before)
    if kinds:
        query = query.where(entries.c.kind.in_(kinds))
    return (await conn.execute(query.order_by(entries.c.id.desc()).limit(limit))).all()


async def one(conn: AsyncConnection, user_id: int, entry_id: int) -> Any | None:
    """An entry of that user."""
    query = select(entries).where(entries.c.user_id == user_id, entries.c.id == entry_id)
    return (await conn.execute(query)).one_or_none()


async def first_since(conn: AsyncConnection, user_id: int, at: int) -> int:
    """The id from which on a user's entries are of that moment or later, to within a batch."""
    ends = select(func.min(entries.c.id), func.max(entries.c.id)).where(
        entries.c.user_id == user_id
    )
    low, high = (await conn.execute(ends)).one()
    if low is None:
        return 0
    low, high = int(low), int(high) + 1
    while low < high:
        middle = (low + high) // 2
        step = (
            select(entries.c.id, entries.c.created_at)
            .where(entries.c.user_id == user_id, entries.c.id >= middle)
            .order_by(entries.c.id)
            .limit(1)
        )
        row = (await conn.execute(step)).one_or_none()
        if row is None or row.created_at >= at:
            high = middle
        else:
            low = int(row.id) + 1
    return low


async def days(conn: AsyncConnection, user_id: int, first: int, since: int) -> Sequence[Any]:
    """What usage cost a day, and in how many entries, from an id and a moment on."""
    day = entries.c.created_at // DAY_S
    query = (
        select(
            day.label("day"),
            func.sum(-entries.c.amount_nanos).label("nanos"),
            func.count().label("entries"),
        )
        .where(
            entries.c.user_id == user_id,
            entries.c.id >= first,
            entries.c.created_at >= since,
            entries.c.kind == EntryKind.USAGE.value,
        )
        .group_by(day)
        .order_by(day)
    )
    return (await conn.execute(query)).all()
