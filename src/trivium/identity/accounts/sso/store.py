"""Outside logins in SQL. Every function works in the transaction it is given."""

from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.accounts.sso.model import SsoLogin
from trivium.storage.schema.logins import outside_logins
from trivium.storage.structs import struct_of


async def user_of(conn: AsyncConnection, issuer: str, subject: str) -> int | None:
    """The user that a login is linked to."""
    query = select(outside_logins.c.user_id).where(
        outside_logins.c.issuer == issuer, outside_logins.c.subject == subject
    )
    found: int | None = await conn.scalar(query)
    return found


async def insert_login(conn: AsyncConnection, values: dict[str, Any]) -> None:
    """Link a login. Raises Conflict when it is linked already."""
    await conn.execute(insert(outside_logins).values(values))


async def used(conn: AsyncConnection, issuer: str, subject: str, email: str, now: int) -> None:
    """Store the time of a login, and the address the provider has now."""
    query = update(outside_logins).where(
        outside_logins.c.issuer == issuer, outside_logins.c.subject == subject
    )
    await conn.execute(query.values(used_at=now, email=email))


async def of_user(conn: AsyncConnection, user_id: int) -> list[SsoLogin]:
    """A user's outside logins, in the order they were linked."""
    query = select(outside_logins).where(outside_logins.c.user_id == user_id)
    rows = await conn.execute(query.order_by(outside_logins.c.id))
    return [struct_of(SsoLogin, row) for row in rows]


async def remove(conn: AsyncConnection, user_id: int, login_id: int) -> bool:
    """Unlink one of a user's; ``False`` when there was none."""
    query = delete(outside_logins).where(
        outside_logins.c.id == login_id, outside_logins.c.user_id == user_id
    )
    return (await conn.execute(query)).rowcount == 1
