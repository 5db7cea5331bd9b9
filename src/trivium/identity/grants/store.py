"""Consents, developer tokens and what applications were given, in SQL.

Every function works in the transaction it is given. Locks are taken in one order: user,
application, consent, family, then the one revision of identities.
"""

from collections.abc import Collection

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.store import disable_granted
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import admin_tokens
from trivium.storage.schema.oauth import developer_tokens as tokens
from trivium.storage.schema.oauth import oauth_apps as apps
from trivium.storage.schema.oauth import oauth_families as families
from trivium.storage.schema.oauth import oauth_grants as grants


async def hold(conn: AsyncConnection, user_id: int) -> None:
    """Lock a user, so that no other transaction begins or ends anything for them meanwhile."""
    held = select(users.c.id).where(users.c.id == user_id).with_for_update(key_share=True)
    await conn.execute(held)


async def consents(
    conn: AsyncConnection, user_id: int, grant_id: int | None = None
) -> list[tuple[int, int]]:
    """A user's consents that hold, or that one, held: the consent's id and the application's."""
    query = (
        select(grants.c.id, grants.c.app_id)
        .where(grants.c.user_id == user_id, grants.c.revoked_at.is_(None))
        .with_for_update(key_share=True)
    )
    if grant_id is not None:
        query = query.where(grants.c.id == grant_id)
    return [(row.id, row.app_id) for row in await conn.execute(query)]


async def end_consents(conn: AsyncConnection, ids: Collection[int], now: int) -> None:
    """End consents, together with every token and key that was made under them."""
    await conn.execute(update(grants).where(grants.c.id.in_(ids)).values(revoked_at=now))
    ended = families.c.grant_id.in_(ids) & families.c.revoked_at.is_(None)
    values = {"revoked_at": now, "reason": "grant_revoked"}
    await conn.execute(update(families).where(ended).values(values))
    await disable_granted(conn, list(ids))


async def end_tokens(
    conn: AsyncConnection, user_id: int, now: int, permission: str | None = None
) -> list[int]:
    """Refuse a user's developer tokens from now on, or those with a permission; their ids."""
    query = select(tokens.c.id, tokens.c.permissions).where(
        tokens.c.user_id == user_id, tokens.c.revoked_at.is_(None), tokens.c.expires_at > now
    )
    ids = [
        row.id
        for row in await conn.execute(query.order_by(tokens.c.id))
        if permission is None or permission in row.permissions.split()
    ]
    await conn.execute(update(tokens).where(tokens.c.id.in_(ids)).values(revoked_at=now))
    return ids


async def end_admin_tokens(conn: AsyncConnection, user_id: int, now: int) -> list[int]:
    """Refuse the tokens for machines that are a user's from now on; their ids."""
    is_live = admin_tokens.c.revoked_at.is_(None) & (admin_tokens.c.expires_at > now)
    theirs = (admin_tokens.c.user_id == user_id) & is_live
    ended = update(admin_tokens).where(theirs).values(revoked_at=now).returning(admin_tokens.c.id)
    return sorted(int(row.id) for row in await conn.execute(ended))


async def end_keys_of_apps(conn: AsyncConnection, owner_id: int) -> None:
    """Refuse every key that the applications of a developer were given."""
    given = select(grants.c.id).join(apps, apps.c.id == grants.c.app_id)
    await disable_granted(conn, given.where(apps.c.user_id == owner_id))
