"""Stored responses in SQL. Every function works in the transaction it is given."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.requests import stored_items, stored_responses

_VALUES = ("key_id", "model", "channel", "status", "created_at", "expires_at", "size_bytes", "body")


async def save(
    conn: AsyncConnection,
    responses: Sequence[Mapping[str, Any]],
    items: Sequence[Mapping[str, Any]],
) -> None:
    """Insert rows; repeating it changes nothing. An id used again gets the newer response."""
    made = upsert(conn, stored_responses)
    update = {name: made.excluded[name] for name in _VALUES}
    await conn.execute(
        made.on_conflict_do_update(index_elements=["user_id", "id"], set_=update), list(responses)
    )
    if items:
        made = upsert(conn, stored_items)
        await conn.execute(
            made.on_conflict_do_update(
                index_elements=["user_id", "id"], set_={"response_id": made.excluded.response_id}
            ),
            list(items),
        )


async def find(conn: AsyncConnection, user_id: int, response_id: str, now: int) -> Row[Any] | None:
    """A user's response that has not expired."""
    found = await conn.execute(
        select(stored_responses).where(
            stored_responses.c.user_id == user_id,
            stored_responses.c.id == response_id,
            stored_responses.c.expires_at > now,
        )
    )
    return found.first()


async def holder(conn: AsyncConnection, user_id: int, item_id: str) -> str | None:
    """Id of the user's response that an item belongs to."""
    found = await conn.scalar(
        select(stored_items.c.response_id).where(
            stored_items.c.user_id == user_id, stored_items.c.id == item_id
        )
    )
    return None if found is None else str(found)


async def homes(
    conn: AsyncConnection, user_id: int, item_ids: Sequence[str], now: int
) -> dict[str, str]:
    """Which of these items upstreams keep for the user, and by which channel."""
    found = await conn.execute(
        select(stored_items.c.id, stored_responses.c.channel)
        .join(
            stored_responses,
            (stored_responses.c.user_id == stored_items.c.user_id)
            & (stored_responses.c.id == stored_items.c.response_id),
        )
        .where(
            stored_items.c.user_id == user_id,
            stored_items.c.id.in_(item_ids),
            stored_responses.c.body.is_(None),
            stored_responses.c.expires_at > now,
        )
    )
    return {row.id: row.channel for row in found}


async def forget(conn: AsyncConnection, user_id: int, response_id: str) -> bool:
    """Delete a response and its items' ids."""
    done = await conn.execute(
        delete(stored_responses).where(
            stored_responses.c.user_id == user_id, stored_responses.c.id == response_id
        )
    )
    return bool(done.rowcount)


async def delete_expired(conn: AsyncConnection, now: int, limit: int) -> int:
    """Delete at most so many expired responses; returns how many it were.

    Rows that another node is deleting are left to it.
    """
    old = (
        select(stored_responses.c.user_id, stored_responses.c.id)
        .where(stored_responses.c.expires_at <= now)
        .order_by(stored_responses.c.expires_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return await _delete(conn, [(row.user_id, row.id) for row in await conn.execute(old)])


async def owners_above(
    conn: AsyncConnection, size_bytes: int, since: int | None = None
) -> list[int]:
    """Users who keep more than so many bytes; with ``since`` only of those who had one made from
    then on, which are found by an index: the others keep no more than before.
    """
    of = stored_responses.c
    query = select(of.user_id).where(of.size_bytes > 0)
    if since is not None:
        query = query.where(of.user_id.in_(select(of.user_id).where(of.created_at >= since)))
    query = query.group_by(of.user_id).having(func.sum(of.size_bytes) > size_bytes)
    return [int(user_id) for user_id in await conn.scalars(query)]


async def delete_oldest(
    conn: AsyncConnection, user_id: int, size_bytes: int, limit: int
) -> tuple[int, int]:
    """Delete a user's oldest bodies, at most so many, until no more than so many bytes are left.

    Returns how many it were and the bytes that are still too many. The rows are locked before they
    are summed up: of two nodes that do this at once, the second counts what the first has left.
    """
    mine = (stored_responses.c.user_id == user_id, stored_responses.c.size_bytes > 0)
    oldest = list(
        await conn.execute(
            select(stored_responses.c.id, stored_responses.c.size_bytes)
            .where(*mine)
            .order_by(stored_responses.c.created_at, stored_responses.c.id)
            .limit(limit)
            .with_for_update()
        )
    )
    total = await conn.scalar(select(func.sum(stored_responses.c.size_bytes)).where(*mine))
    excess = int(total or 0) - size_bytes
    gone: list[tuple[int, str]] = []
    for row in oldest:
        if excess <= 0:
            break
        gone.append((user_id, row.id))
        excess -= row.size_bytes
    return await _delete(conn, gone), max(0, excess)


async def _delete(conn: AsyncConnection, keys: Sequence[tuple[int, str]]) -> int:
    rows = 0
    by_user: dict[int, list[str]] = {}
    for user_id, response_id in keys:
        by_user.setdefault(user_id, []).append(response_id)
    for user_id, names in by_user.items():
        done = await conn.execute(
            delete(stored_responses).where(
                stored_responses.c.user_id == user_id, stored_responses.c.id.in_(names)
            )
        )
        rows += int(done.rowcount)
    return rows
