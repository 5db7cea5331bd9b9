"""Tokens for machines in SQL. Every function works in the transaction it is given."""

from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import UserRole
from trivium.oauth.admin.model import AdminToken, words
from trivium.settings.workloads import AdminScope
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import admin_tokens as tokens
from trivium.storage.structs import struct_of, values_of

_SHOWN: Final = [column for column in tokens.c if column.name not in ("digest", "former_digest")]


class AdminTokenOwner(msgspec.Struct, frozen=True):
    """The administrator that a token is of, at the moment it is used."""

    is_disabled: bool
    role: UserRole


class FoundToken(NamedTuple):
    """What a presented secret is of."""

    token: AdminToken
    owner: AdminTokenOwner | None
    is_former: bool
    """Whether it is the secret before the last rotation."""


async def owner(conn: AsyncConnection, user_id: int) -> AdminTokenOwner:
    """Whose token it is to be; others that hold the same user wait until the transaction ends."""
    query = select(users.c.disabled, users.c.role).where(users.c.id == user_id)
    row = (await conn.execute(query.with_for_update(key_share=True))).one()
    return AdminTokenOwner(bool(row.disabled), UserRole(row.role))


async def counts(conn: AsyncConnection, now: int, since: int) -> tuple[int, int]:
    """How many tokens are live, and how many were made at or after a moment."""
    live = tokens.c.revoked_at.is_(None) & (tokens.c.expires_at > now)
    query = select(
        func.count().filter(live).label("live"),
        func.count().filter(tokens.c.created_at >= since).label("made"),
    ).select_from(tokens)
    row = (await conn.execute(query)).one()
    return int(row.live), int(row.made)


async def insert(conn: AsyncConnection, token: AdminToken, digest: bytes) -> int:
    """A new token; its id."""
    values = values_of(token, "id", digest=digest, scopes=words(token.scopes))
    made = tokens.insert().values(values).returning(tokens.c.id)
    return int((await conn.execute(made)).scalar_one())


async def everything(conn: AsyncConnection) -> list[AdminToken]:
    """All tokens, newest first."""
    query = select(*_SHOWN).order_by(tokens.c.id.desc())
    return [_token(row) for row in await conn.execute(query)]


async def newest(conn: AsyncConnection, before: int | None, limit: int) -> list[AdminToken]:
    """At most so many tokens before an id, newest first."""
    query = select(*_SHOWN).order_by(tokens.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tokens.c.id < before)
    return [_token(row) for row in await conn.execute(query)]


async def held(conn: AsyncConnection, token_id: int) -> AdminToken | None:
    """A token that no other transaction changes meanwhile."""
    query = select(*_SHOWN).where(tokens.c.id == token_id).with_for_update()
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _token(row)


async def find(conn: AsyncConnection, digest: bytes, now: int) -> FoundToken | None:
    """The token of a secret, or of the one before that still works, and whose it is."""
    by_now = _of_digest().where(tokens.c.digest == digest)
    row = (await conn.execute(by_now)).one_or_none()
    is_former = row is None
    if row is None:
        former = (tokens.c.former_digest == digest) & (tokens.c.former_until > now)
        row = (await conn.execute(_of_digest().where(former))).one_or_none()
    if row is None:
        return None
    whose = None if row.role is None else AdminTokenOwner(bool(row.disabled), UserRole(row.role))
    return FoundToken(_token(row), whose, is_former)


def _of_digest() -> Select[Any]:
    joined = tokens.outerjoin(users, users.c.id == tokens.c.user_id)
    return select(*_SHOWN, users.c.disabled, users.c.role).select_from(joined)


async def touch(conn: AsyncConnection, token_id: int, now: int) -> None:
    """Store when a token was used."""
    await conn.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=now))


async def rotate(
    conn: AsyncConnection, token: AdminToken, digest: bytes, hint: str, until: int | None
) -> None:
    """Give a token another secret and another end; the former works until then."""
    values = {
        "digest": digest,
        "hint": hint,
        "former_digest": None if until is None else tokens.c.digest,
        "former_until": until,
        "expires_at": token.expires_at,
    }
    await conn.execute(update(tokens).where(tokens.c.id == token.id).values(values))


async def is_below(conn: AsyncConnection, token_id: int, maker_id: int) -> bool:
    """Whether a token, or one that it made, made another."""
    up = select(tokens.c.parent_id).where(tokens.c.id == token_id).cte(recursive=True)
    more = select(tokens.c.parent_id).join(up, tokens.c.id == up.c.parent_id)
    above = up.union(more)
    query = select(above.c.parent_id).where(above.c.parent_id == maker_id).limit(1)
    return (await conn.execute(query)).one_or_none() is not None


async def revoke(conn: AsyncConnection, token_id: int, now: int) -> list[int]:
    """Refuse a token and all below it from now on; the ids of those that were not before."""
    made = select(tokens.c.id).where(tokens.c.id == token_id).cte(recursive=True)
    more = select(tokens.c.id).join(made, tokens.c.parent_id == made.c.id)
    live = tokens.c.id.in_(select(made.union(more).c.id)) & tokens.c.revoked_at.is_(None)
    ended = update(tokens).where(live).values(revoked_at=now).returning(tokens.c.id)
    return sorted(int(row.id) for row in await conn.execute(ended))


async def sweep(conn: AsyncConnection, before: int) -> int:
    """Delete what ended before a moment."""
    ended = or_(tokens.c.expires_at < before, tokens.c.revoked_at < before)
    return (await conn.execute(delete(tokens).where(ended))).rowcount


def _token(row: Any) -> AdminToken:
    scopes = frozenset(AdminScope(word) for word in row.scopes.split())
    return struct_of(AdminToken, row, scopes=scopes)
