"""Developer tokens in SQL. Every function works in the transaction it is given."""

from typing import Any

import msgspec
from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import UserRole
from trivium.oauth.developer.model import DeveloperToken
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import developer_tokens as tokens
from trivium.storage.structs import struct_of, values_of


class TokenOwner(msgspec.Struct, frozen=True):
    """The state of a token's user at the moment it is used."""

    is_disabled: bool
    role: UserRole


async def hold_owner(conn: AsyncConnection, user_id: int) -> UserRole:
    """The user's role; others that hold the same user wait until the transaction ends."""
    held = select(users.c.role).where(users.c.id == user_id).with_for_update(key_share=True)
    return UserRole((await conn.execute(held)).scalar_one())


async def count_since(conn: AsyncConnection, user_id: int, since: int) -> int:
    """How many tokens a user made at or after a moment."""
    query = select(func.count()).where(tokens.c.user_id == user_id, tokens.c.created_at >= since)
    return int(await conn.scalar(query) or 0)


async def insert(conn: AsyncConnection, token: DeveloperToken, digest: bytes) -> int:
    """A new token; its id."""
    permissions = " ".join(sorted(token.permissions))
    values = values_of(token, "id", digest=digest, permissions=permissions)
    made = tokens.insert().values(values).returning(tokens.c.id)
    return int((await conn.execute(made)).scalar_one())


async def owned_by(conn: AsyncConnection, user_id: int) -> list[DeveloperToken]:
    """A user's tokens, newest first."""
    query = select(tokens).where(tokens.c.user_id == user_id).order_by(tokens.c.id.desc())
    return [_token(row) for row in await conn.execute(query)]


async def find(conn: AsyncConnection, digest: bytes) -> tuple[DeveloperToken, TokenOwner] | None:
    """The token of a digest, and whose it is."""
    query = (
        select(tokens, users.c.disabled, users.c.role)
        .join(users, users.c.id == tokens.c.user_id)
        .where(tokens.c.digest == digest)
    )
    row = (await conn.execute(query)).one_or_none()
    return (
        None if row is None else (_token(row), TokenOwner(bool(row.disabled), UserRole(row.role)))
    )


async def touch(conn: AsyncConnection, token_id: int, now: int) -> None:
    """Store when a token was used."""
    await conn.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=now))


async def revoke(conn: AsyncConnection, user_id: int, token_id: int, now: int) -> bool:
    """Refuse a user's token from now on; whether it was live."""
    live = (tokens.c.id == token_id) & (tokens.c.user_id == user_id) & tokens.c.revoked_at.is_(None)
    return (await conn.execute(update(tokens).where(live).values(revoked_at=now))).rowcount == 1


async def sweep(conn: AsyncConnection, before: int) -> int:
    """Delete what ended before a moment."""
    ended = or_(tokens.c.expires_at < before, tokens.c.revoked_at < before)
    return (await conn.execute(delete(tokens).where(ended))).rowcount


def _token(row: Any) -> DeveloperToken:
    permissions = frozenset(row.permissions.split())
    return struct_of(DeveloperToken, row, permissions=permissions)
