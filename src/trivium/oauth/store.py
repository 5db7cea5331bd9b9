"""Accounts as applications see them, in SQL. Works in the transaction it is given."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.oauth.account import Account
from trivium.storage.schema.core import accounts, users
from trivium.storage.structs import struct_of


async def account(conn: AsyncConnection, user_id: int) -> Account | None:
    """A user with their balance."""
    query = (
        select(
            users.c.id,
            users.c.name,
            users.c.email,
            users.c.email_verified_at.is_not(None).label("email_verified"),
            users.c.created_at,
            func.coalesce(accounts.c.balance_nanos, 0).label("balance_nanos"),
            func.coalesce(accounts.c.used_nanos, 0).label("used_nanos"),
        )
        .outerjoin(accounts, accounts.c.user_id == users.c.id)
        .where(users.c.id == user_id)
    )
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    return struct_of(Account, row, email_verified=bool(row.email_verified))
