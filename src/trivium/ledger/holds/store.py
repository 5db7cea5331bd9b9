"""Holds in SQL. Every function works in the transaction it is given, and locks the account first.

A hold is part of its account's ``leased_nanos``, so what is held here no worker can lease. It ends
once: whoever deletes its row books its entry, in the same transaction.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger import store
from trivium.ledger.budgets import store as counting
from trivium.ledger.holds.model import StoredHold
from trivium.ledger.model import Entry
from trivium.settings.budget import Budget, CounterId
from trivium.storage.schema.core import accounts, holds
from trivium.storage.structs import struct_of, values_of
from trivium.wire.attribution import NOBODY, Attributed

_encode: Final = msgspec.json.encode
_who: Final = msgspec.json.Decoder(Attributed).decode
_counters: Final = msgspec.json.Decoder(tuple[CounterId, ...]).decode


class Lacking(msgspec.Struct, frozen=True):
    """What does not cover a hold."""

    budget: Budget | None = None
    """``None``: the account."""


async def place(
    conn: AsyncConnection, held: StoredHold, budgets: Sequence[Budget] = ()
) -> Lacking | None:
    """Set an amount aside; ``None`` when it is, else what has not so much to spare, and nothing is.

    What workers have leased is spoken for, even where they will not need it. ``budgets``: those of
    the hold's counters.
    """
    rows = await store.locked(conn, [held.user_id], [held.user_id])
    account = rows[held.user_id]
    spare = account.balance_nanos + account.overdraft_nanos - account.leased_nanos
    if held.amount_nanos > max(0, spare):
        return Lacking()
    lacking = await counting.set_aside(conn, held.counters, held.counted_nanos, budgets)
    if lacking is not None:
        return Lacking(budget=budgets[lacking])
    counters = _encode(held.counters).decode()
    who = "" if held.who.is_empty else _encode(held.who).decode()
    await conn.execute(holds.insert().values(values_of(held, counters=counters, who=who)))
    await _set_aside(conn, held.user_id, held.amount_nanos)
    return None


async def take(conn: AsyncConnection, request_id: str) -> StoredHold | None:
    """End a hold and give its amount back; ``None``: it has ended before, or never was.

    Whoever it is given to books the entry, if there is to be one, in this transaction.
    """
    user_id = await conn.scalar(select(holds.c.user_id).where(holds.c.request_id == request_id))
    if user_id is None:
        return None
    await store.locked(conn, [user_id], ())
    gone = delete(holds).where(holds.c.request_id == request_id).returning(holds)
    row = (await conn.execute(gone)).one_or_none()
    if row is None:
        return None  # another was faster, before the account was ours
    await _set_aside(conn, user_id, -row.amount_nanos)
    who = _who(row.who) if row.who else NOBODY
    held = struct_of(StoredHold, row, counters=_counters(row.counters), who=who)
    await counting.let_go(conn, held.counters, held.counted_nanos, 0, row.created_at)
    return held


async def book(conn: AsyncConnection, held: StoredHold, entry: Entry) -> None:
    """Append the entry of a hold that was just taken, move the balance and count it."""
    if await store.insert_entry(conn, entry) is not None:
        await store.add_to_account(conn, entry, held.who)
        await counting.let_go(conn, held.counters, 0, -entry.amount_nanos, entry.created_at)


async def _set_aside(conn: AsyncConnection, user_id: int, amount_nanos: int) -> None:
    await conn.execute(
        update(accounts)
        .where(accounts.c.user_id == user_id)
        .values(leased_nanos=accounts.c.leased_nanos + amount_nanos)
    )
