"""An account's entries in SQL. Every function works in the transaction it is given.

Entries have an index by user and id, none by user and time: a second one would cost every booking.
What usage came to a day is kept as a sum, written in the transaction that appends the entries.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import entries, usage_days, users

DAY_S: Final = 86_400
_PAYMENT: Final = entries.c.kind != literal_column("'usage'")
"""As the index has it that is of these entries alone."""


async def page(
    conn: AsyncConnection, user_id: int, before: int | None, limit: int, kinds: Sequence[str]
) -> Sequence[Any]:
    """Entries of a user from the newest on, those before an id; of these kinds, or of all."""
    query = select(entries).where(entries.c.user_id == user_id)
    if before is not None:
        query = query.where(entries.c.id < before)
    if kinds:
        query = query.where(entries.c.kind.in_(kinds))
        if EntryKind.USAGE.value not in kinds:
            query = query.where(_PAYMENT)
    return (await conn.execute(query.order_by(entries.c.id.desc()).limit(limit))).all()


async def named(conn: AsyncConnection, ids: Sequence[int]) -> Sequence[Any]:
    """Return the entries of these ids, the newest first, each with ``user_name``."""
    query = (
        select(entries, users.c.name.label("user_name"))
        .join(users, users.c.id == entries.c.user_id)
        .where(entries.c.id.in_(ids))
        .order_by(entries.c.id.desc())
    )
    return (await conn.execute(query)).all()


async def one(conn: AsyncConnection, user_id: int, entry_id: int) -> Any | None:
    """An entry of that user."""
    query = select(entries).where(entries.c.user_id == user_id, entries.c.id == entry_id)
    return (await conn.execute(query)).one_or_none()


async def days(conn: AsyncConnection, user_id: int, since: int) -> Sequence[Any]:
    """Return what usage cost a day and in how many entries, from a day since the epoch on."""
    query = (
        select(usage_days.c.day, usage_days.c.nanos, usage_days.c.entries)
        .where(usage_days.c.user_id == user_id, usage_days.c.day >= since)
        .order_by(usage_days.c.day)
    )
    return (await conn.execute(query)).all()


async def add_to_days(conn: AsyncConnection, booked: Iterable[tuple[int, int, int]]) -> None:
    """Add usage entries to their days: user, seconds since the epoch, nano-dollars that they took.

    The accounts are held already, so two transactions never wait for each other's days.
    """
    sums: dict[tuple[int, int], list[int]] = {}
    for user_id, at, nanos in booked:
        found = sums.setdefault((user_id, at // DAY_S), [0, 0])
        found[0] += nanos
        found[1] += 1
    if not sums:
        return
    put = upsert(conn, usage_days)
    put = put.on_conflict_do_update(
        index_elements=["user_id", "day"],
        set_={
            "nanos": usage_days.c.nanos + put.excluded.nanos,
            "entries": usage_days.c.entries + put.excluded.entries,
        },
    )
    rows = [
        {"user_id": user_id, "day": day, "nanos": nanos, "entries": count}
        for (user_id, day), (nanos, count) in sorted(sums.items())
    ]
    await conn.execute(put, rows)
