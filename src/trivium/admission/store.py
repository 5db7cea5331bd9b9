"""What keys have spent, out of the ledger's entries, and what requests under a cap set aside. Every
function works in the transaction it is given.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    any_,
    bindparam,
    case,
    cast,
    delete,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import EntryKind
from trivium.storage.schema.core import entries
from trivium.storage.schema.oauth import oauth_cap_holds, oauth_caps

DAY_S: Final = 86_400
_BILLED: Final = entries.c.detail.like("{%")
_REQUEST: Final = oauth_cap_holds.c.request_id == bindparam("of")


def _of(conn: AsyncConnection, user_ids: Sequence[int]) -> ColumnElement[bool]:
    """Entries of these users, who are one parameter together: drivers take some thousands."""
    if conn.dialect.name == "sqlite":
        one = func.json_each(msgspec.json.encode(user_ids).decode()).table_valued("value")
        return entries.c.user_id.in_(select(one.c.value))
    return entries.c.user_id == any_(literal(list(user_ids), ARRAY(BigInteger)))


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
            _of(conn, user_ids),
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
    """The next entries of usage: id, request_id, amount_nanos, created_at and detail."""
    query = (
        select(
            entries.c.id,
            entries.c.request_id,
            entries.c.amount_nanos,
            entries.c.created_at,
            entries.c.detail,
        )
        .where(
            entries.c.id > after_id, _of(conn, user_ids), entries.c.kind == EntryKind.USAGE.value
        )
        .order_by(entries.c.id)
        .limit(limit)
    )
    return (await conn.execute(query)).all()


# --- caps ---------------------------------------------------------------------------------------


async def lock_cap(conn: AsyncConnection, grant_id: int) -> int | None:
    """Return a consent's cap in nano-dollars a month, and lock it until the transaction ends.
    ``None``: it has no cap.
    """
    query = select(oauth_caps.c.cap_nanos).where(oauth_caps.c.grant_id == grant_id)
    found = await conn.scalar(query.with_for_update())
    return None if found is None else int(found)


async def cap_holds(conn: AsyncConnection, grant_id: int, now: int) -> Sequence[Any]:
    """What is set aside under a cap: ``request_id``, ``nanos``."""
    query = select(oauth_cap_holds.c.request_id, oauth_cap_holds.c.nanos).where(
        oauth_cap_holds.c.grant_id == grant_id, oauth_cap_holds.c.expires_at > now
    )
    return (await conn.execute(query)).all()


async def place_cap_hold(
    conn: AsyncConnection, grant_id: int, request_id: str, nanos: int, until: int
) -> None:
    """Set an amount aside for a request."""
    values = {"grant_id": grant_id, "request_id": request_id, "nanos": nanos, "expires_at": until}
    await conn.execute(oauth_cap_holds.insert().values(values))


async def settle_cap_holds(conn: AsyncConnection, costs: Mapping[str, int]) -> None:
    """Replace held amounts by actual costs. Holds of requests that cost nothing are deleted."""
    free = [{"of": request_id} for request_id, nanos in costs.items() if not nanos]
    if free:
        await conn.execute(delete(oauth_cap_holds).where(_REQUEST), free)
    rows = [{"of": request_id, "cost": nanos} for request_id, nanos in costs.items() if nanos]
    if rows:
        query = update(oauth_cap_holds).where(_REQUEST).values(nanos=bindparam("cost"))
        await conn.execute(query, rows)


async def end_cap_holds(conn: AsyncConnection, request_ids: Sequence[str], at: int) -> None:
    """Let the holds of requests whose entries are booked end at a moment."""
    query = update(oauth_cap_holds).where(_REQUEST, oauth_cap_holds.c.expires_at > at)
    rows = [{"of": request_id} for request_id in request_ids]
    await conn.execute(query.values(expires_at=at), rows)


async def sweep_cap_holds(conn: AsyncConnection, now: int) -> int:
    """Delete holds that have ended; returns how many."""
    over = delete(oauth_cap_holds).where(oauth_cap_holds.c.expires_at <= now)
    return (await conn.execute(over)).rowcount
