"""Acts in SQL. Every function works in the transaction it is given."""

from typing import Any

from sqlalchemy import Select, delete, func, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.observe.audit.model import Act, ActKind
from trivium.storage.schema.requests import acts
from trivium.storage.structs import struct_of, values_of


async def insert(conn: AsyncConnection, act: Act) -> None:
    """Append an act, whose id is ignored."""
    await conn.execute(acts.insert().values(values_of(act, "id")))


async def of_user(
    conn: AsyncConnection,
    user_id: int,
    before_id: int | None,
    limit: int,
    kind: ActKind | None = None,
) -> list[Act]:
    """Return a page of acts by or on a user, newest first; of one kind. Each half comes from its
    own index; together they are at most twice the page.
    """
    of_kind = [] if kind is None else [acts.c.kind == kind.value]
    halves = [
        select(
            _page(select(acts.c.id).where(column == user_id, *of_kind), before_id, limit).subquery()
        )
        for column in (acts.c.actor_id, acts.c.subject_id)
    ]
    query = select(acts).where(acts.c.id.in_(union(*halves)))
    return await _acts(conn, _page(query, None, limit))


async def newest(
    conn: AsyncConnection,
    before_id: int | None,
    limit: int,
    kind: ActKind | None,
    user_id: int | None,
) -> list[Act]:
    """A page of all acts, newest first."""
    if user_id is not None:
        return await of_user(conn, user_id, before_id, limit, kind)
    query = select(acts)
    if kind is not None:
        query = query.where(acts.c.kind == kind.value)
    return await _acts(conn, _page(query, before_id, limit))


async def count(conn: AsyncConnection, kind: ActKind, subject_id: int, since_ms: int) -> int:
    """Acts of a kind on a user after a moment."""
    query = select(func.count()).where(
        acts.c.kind == kind.value, acts.c.subject_id == subject_id, acts.c.at_ms > since_ms
    )
    return int(await conn.scalar(query) or 0)


async def delete_before(conn: AsyncConnection, at_ms: int, limit: int) -> int:
    """Delete at most ``limit`` acts older than a moment; returns how many. The database itself
    refuses to delete acts younger than the shortest retention.
    """
    old = (
        select(acts.c.id)
        .where(acts.c.at_ms < at_ms)
        .order_by(acts.c.at_ms)
        .limit(limit)
        .with_for_update(skip_locked=True)
        # a subquery may run again for each row, and would then find others; this runs once
        .cte("old", nesting=True)
    )
    done = await conn.execute(delete(acts).where(acts.c.id.in_(select(old.c.id))))
    return int(done.rowcount)


def _page(query: Select[Any], before_id: int | None, limit: int) -> Select[Any]:
    if before_id is not None:
        query = query.where(acts.c.id < before_id)
    return query.order_by(acts.c.id.desc()).limit(limit)


async def _acts(conn: AsyncConnection, query: Select[Any]) -> list[Act]:
    return [struct_of(Act, row) for row in await conn.execute(query)]
