"""Accounts and entries in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import case, func, literal, select, type_coerce
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.ledger.model import Entry, EntryKind
from trivium.storage.schema import accounts, entries, users


def _insert(conn: AsyncConnection, table: Any) -> Any:
    """An insert that knows ON CONFLICT: the same words, two classes."""
    dialect = sqlite if conn.dialect.name == "sqlite" else postgresql
    return dialect.insert(table)


async def has_user(conn: AsyncConnection, user_id: int) -> bool:
    """Whether there is an account to book on, or could be."""
    return await conn.scalar(select(users.c.id).where(users.c.id == user_id)) is not None


async def insert_entry(conn: AsyncConnection, entry: Entry) -> int | None:
    """Append an entry, whose id is ignored; ``None`` when its request is booked already."""
    values = {
        "user_id": entry.user_id,
        "kind": entry.kind.value,
        "amount_nanos": entry.amount_nanos,
        "note": entry.note,
        "request_id": entry.request_id,
        "created_at": entry.created_at,
    }
    append = (
        _insert(conn, entries)
        .values(values)
        .on_conflict_do_nothing(index_elements=["request_id"])
        .returning(entries.c.id)
    )
    booked = (await conn.execute(append)).scalar()
    return None if booked is None else int(booked)


async def add_to_account(conn: AsyncConnection, entry: Entry) -> int:
    """Move the balance by an entry's amount and return it; the first entry opens the account."""
    used = -entry.amount_nanos if entry.kind is EntryKind.USAGE else 0
    opened = _insert(conn, accounts).values(
        user_id=entry.user_id, balance_nanos=entry.amount_nanos, used_nanos=used
    )
    moved = opened.on_conflict_do_update(
        index_elements=["user_id"],
        set_={
            "balance_nanos": accounts.c.balance_nanos + opened.excluded.balance_nanos,
            "used_nanos": accounts.c.used_nanos + opened.excluded.used_nanos,
        },
    ).returning(accounts.c.balance_nanos)
    return int((await conn.execute(moved)).scalar_one())


async def entry_of(conn: AsyncConnection, request_id: str) -> Entry | None:
    """The entry that booked a request."""
    query = select(entries).where(entries.c.request_id == request_id)
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    return Entry(
        id=row.id,
        user_id=row.user_id,
        kind=EntryKind(row.kind),
        amount_nanos=row.amount_nanos,
        note=row.note,
        request_id=row.request_id,
        created_at=row.created_at,
    )


async def balance_of(conn: AsyncConnection, user_id: int) -> int:
    """Nano-dollars; 0 for whoever has no entry yet."""
    query = select(accounts.c.balance_nanos).where(accounts.c.user_id == user_id)
    return int(await conn.scalar(query) or 0)


async def differing_accounts(conn: AsyncConnection) -> Sequence[Any]:
    """Accounts whose balance or use is not what their entries add up to, and the four numbers."""
    taken = case((entries.c.kind == EntryKind.USAGE.value, -entries.c.amount_nanos), else_=0)
    sums = (
        select(
            entries.c.user_id,
            func.sum(entries.c.amount_nanos).label("balance"),
            func.sum(taken).label("used"),
        )
        .group_by(entries.c.user_id)
        .subquery()
    )
    whole = accounts.c.balance_nanos.type
    balance = type_coerce(func.coalesce(sums.c.balance, literal(0)), whole).label("entries_nanos")
    used = type_coerce(func.coalesce(sums.c.used, literal(0)), whole).label("entries_used_nanos")
    has_balance = func.coalesce(accounts.c.balance_nanos, 0).label("balance_nanos")
    has_used = func.coalesce(accounts.c.used_nanos, 0).label("used_nanos")
    query = (
        select(users.c.id, has_balance, balance, has_used, used)
        .select_from(users)
        .outerjoin(accounts, accounts.c.user_id == users.c.id)
        .outerjoin(sums, sums.c.user_id == users.c.id)
        .where((has_balance != balance) | (has_used != used))
        .order_by(users.c.id)
    )
    return (await conn.execute(query)).all()
