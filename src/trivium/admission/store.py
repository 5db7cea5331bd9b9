"""What keys have spent, out of the ledger's entries. Reads only."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, case, cast, func, select
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.storage.schema import entries

DAY_S: Final = 86_400
_BILLED: Final = entries.c.detail.like("{%")


async def last_entry(conn: AsyncConnection) -> int:
    """The highest id there is; 0 without any."""
    return int(await conn.scalar(select(func.max(entries.c.id))) or 0)


async def spent_by_day(
    conn: AsyncConnection, user_ids: Sequence[int], since: int, up_to_id: int
) -> Sequence[Any]:
    """Sums of usage: ``key_id``, ``day_at`` (its first second), ``nanos``."""
    if conn.dialect.name == "sqlite":
        key: Any = func.json_extract(entries.c.detail, "$.key")
    else:
        # a plain cast would be tried on rows that the condition leaves out
        key = cast(case((_BILLED, entries.c.detail)), JSON)["key"].as_string().cast(BigInteger)
    day = entries.c.created_at - entries.c.created_at % DAY_S
    query = (
        select(
            key.label("key_id"),
            day.label("day_at"),
            cast(func.sum(-entries.c.amount_nanos), BigInteger).label("nanos"),
        )
        .where(
            entries.c.user_id.in_(user_ids),
            entries.c.kind == EntryKind.USAGE.value,
            entries.c.created_at >= since,
            entries.c.id <= up_to_id,
            _BILLED,
        )
        .group_by(key, day)
    )
    return (await conn.execute(query)).all()


async def usage_after(
    conn: AsyncConnection, user_ids: Sequence[int], after_id: int, limit: int
) -> Sequence[Any]:
    """The next entries of usage: ``id``, ``request_id``, ``amount_nanos``, ``created_at``,
    ``detail``.
    """
    query = (
        select(
            entries.c.id,
            entries.c.request_id,
            entries.c.amount_nanos,
            entries.c.created_at,
            entries.c.detail,
        )
        .where(
            entries.c.id > after_id,
            entries.c.user_id.in_(user_ids),
            entries.c.kind == EntryKind.USAGE.value,
        )
        .order_by(entries.c.id)
        .limit(limit)
    )
    return (await conn.execute(query)).all()
