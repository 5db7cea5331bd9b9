"""The upstreams' health for people, in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.requests import breakers
from trivium.storage.structs import struct_of


class Resting(msgspec.Struct, frozen=True, kw_only=True):
    """One breaker that is not closed."""

    channel: str
    account: str
    """See ``sharing.accounts``."""
    model: str
    """The channel's own name; empty: the credential for all models."""
    fault: str
    told: bool
    """Whether the vendor named the end."""
    openings: int
    until_at: int
    """Seconds since the epoch; past: it waits for a request to probe it."""
    written_at: int


async def put(conn: AsyncConnection, rows: Sequence[Resting]) -> None:
    """Note these, instead of what was noted of them before."""
    if not rows:
        return
    insert = upsert(conn, breakers)
    key = ("channel", "account", "model")
    changed = {name: insert.excluded[name] for name in breakers.c.keys() if name not in key}  # noqa: SIM118 - columns, not their names, are iterated
    await conn.execute(
        insert.on_conflict_do_update(index_elements=key, set_=changed),
        [msgspec.structs.asdict(row) for row in rows],
    )


async def remove(conn: AsyncConnection, keys: Sequence[tuple[str, str, str]]) -> None:
    """Take these (channel, account, model) off, as they are well."""
    if keys:
        # one by one: thousands of alternatives in one statement are more than SQLite reads
        gone = delete(breakers).where(
            breakers.c.channel == bindparam("c"),
            breakers.c.account == bindparam("a"),
            breakers.c.model == bindparam("m"),
        )
        await conn.execute(gone, [{"c": c, "a": a, "m": m} for c, a, m in keys])


async def remove_all(conn: AsyncConnection, before: int | None = None) -> None:
    """Take all off, or those whose rest ended before a moment in seconds since the epoch."""
    found = delete(breakers)
    await conn.execute(found if before is None else found.where(breakers.c.until_at < before))


async def listed(conn: AsyncConnection) -> list[Resting]:
    """All of them, by channel."""
    rows = await conn.execute(select(breakers).order_by(breakers.c.channel, breakers.c.model))
    return [struct_of(Resting, row) for row in rows]
