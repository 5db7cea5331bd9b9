"""Our side of a reconciliation in SQL: answers with their bills, a page at a time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.storage.schema.core import entries
from trivium.storage.schema.requests import records


async def answers(
    conn: AsyncConnection,
    channels: Sequence[str],
    since_ms: int,
    until_ms: int,
    after: tuple[int, str],
    limit: int,
) -> Sequence[Any]:
    """Answers of these channels that were metered, each with its entry's amount and bill.

    In the order of (``at_ms``, ``request_id``), beginning after that one.
    """
    here = tuple_(records.c.at_ms, records.c.request_id)
    query = (
        select(records, entries.c.amount_nanos, entries.c.detail)
        .outerjoin(entries, entries.c.request_id == records.c.request_id)
        .where(
            records.c.at_ms >= since_ms,
            records.c.at_ms < until_ms,
            records.c.channel.in_(channels),
            records.c.fresh.is_not(None),
            here > tuple_(*after),
        )
        .order_by(records.c.at_ms, records.c.request_id)
        .limit(limit)
    )
    return (await conn.execute(query)).all()


async def unrecorded(conn: AsyncConnection, since: int, until: int) -> int:
    """Usage entries of that time whose request records are gone. Seconds since the epoch."""
    query = (
        select(func.count())
        .select_from(entries)
        .outerjoin(records, records.c.request_id == entries.c.request_id)
        .where(
            entries.c.kind == EntryKind.USAGE.value,
            entries.c.created_at >= since,
            entries.c.created_at < until,
            records.c.request_id.is_(None),
        )
    )
    return int(await conn.scalar(query) or 0)
