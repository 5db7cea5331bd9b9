"""Codes, families and tokens in SQL. Every function works in the transaction it is given."""

from sqlalchemy import and_, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.store import disable_granted
from trivium.oauth import scope
from trivium.oauth.tokens.model import Access, RevocationReason
from trivium.oauth.tokens.policy import CodeRow, RefreshRow
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import oauth_access_tokens as access
from trivium.storage.schema.oauth import oauth_apps as apps
from trivium.storage.schema.oauth import oauth_codes as codes
from trivium.storage.schema.oauth import oauth_families as families
from trivium.storage.schema.oauth import oauth_grants as grants
from trivium.storage.schema.oauth import oauth_refresh_tokens as refresh
from trivium.storage.structs import struct_of

_GRANTED = and_(grants.c.revoked_at.is_(None), users.c.disabled.is_(False))

# --- codes --------------------------------------------------------------------------------------


async def find_code(conn: AsyncConnection, digest: bytes) -> CodeRow | None:
    """A code by the digest of its secret."""
    query = (
        select(codes, grants.c.app_id, grants.c.user_id, _GRANTED.label("is_granted"))
        .join(grants, grants.c.id == codes.c.grant_id)
        .join(users, users.c.id == grants.c.user_id)
        .where(codes.c.digest == digest)
    )
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    return struct_of(
        CodeRow, row, scopes=frozenset(row.scope.split()), is_granted=bool(row.is_granted)
    )


async def claim_code(conn: AsyncConnection, digest: bytes, now: int) -> bool:
    """Use a code up; of several that try, the database lets the first."""
    unused = (codes.c.digest == digest) & codes.c.used_at.is_(None)
    return (await conn.execute(update(codes).where(unused).values(used_at=now))).rowcount == 1


async def name_family(conn: AsyncConnection, digest: bytes, family_id: int) -> None:
    """Store which family of tokens a code led to."""
    await conn.execute(update(codes).where(codes.c.digest == digest).values(family_id=family_id))


# --- families -----------------------------------------------------------------------------------


async def insert_family(
    conn: AsyncConnection, grant_id: int, scopes: frozenset[str], now: int, until: int
) -> int:
    """A new family; its id."""
    values = {
        "grant_id": grant_id,
        "scope": scope.written(scopes),
        "created_at": now,
        "expires_at": until,
    }
    made = families.insert().values(values).returning(families.c.id)
    return int((await conn.execute(made)).scalar_one())


async def revoke_family(
    conn: AsyncConnection, family_id: int, why: RevocationReason, now: int
) -> bool:
    """Refuse every token of a family; returns whether any was still good."""
    live = (families.c.id == family_id) & families.c.revoked_at.is_(None)
    values = {"revoked_at": now, "reason": why.value}
    is_first = (await conn.execute(update(families).where(live).values(values))).rowcount == 1
    await disable_granted(conn, select(families.c.grant_id).where(families.c.id == family_id))
    return is_first


# --- tokens -------------------------------------------------------------------------------------


async def insert_access(
    conn: AsyncConnection,
    digest: bytes,
    family_id: int,
    scopes: frozenset[str],
    now: int,
    until: int,
    *,
    live_max: int,
) -> None:
    """A new access token; beyond ``live_max`` the oldest of the family go."""
    values = {
        "digest": digest,
        "family_id": family_id,
        "scope": scope.written(scopes),
        "created_at": now,
        "expires_at": until,
    }
    await conn.execute(access.insert().values(values))
    own = access.c.family_id == family_id
    kept = select(access.c.id).where(own).order_by(access.c.id.desc()).limit(live_max)
    ids = (await conn.scalars(kept)).all()
    await conn.execute(delete(access).where(own, access.c.id < min(ids)))


async def insert_refresh(
    conn: AsyncConnection,
    digest: bytes,
    family_id: int,
    parent_id: int | None,
    now: int,
    until: int,
) -> None:
    """A new refresh token."""
    values = {
        "digest": digest,
        "family_id": family_id,
        "parent_id": parent_id,
        "created_at": now,
        "expires_at": until,
    }
    await conn.execute(refresh.insert().values(values))


async def find_refresh(
    conn: AsyncConnection, digest: bytes, *, hold: bool = False
) -> RefreshRow | None:
    """A refresh token by its digest; ``hold``: others of its family wait for the transaction."""
    if hold:
        family = select(refresh.c.family_id).where(refresh.c.digest == digest).scalar_subquery()
        held = select(families.c.id).where(families.c.id == family)
        await conn.execute(held.with_for_update(key_share=True))
    query = (
        select(
            refresh,
            families.c.expires_at.label("family_expires_at"),
            families.c.scope,
            families.c.grant_id,
            grants.c.app_id,
            grants.c.user_id,
            grants.c.language,
            and_(_GRANTED, families.c.revoked_at.is_(None)).label("is_granted"),
        )
        .join(families, families.c.id == refresh.c.family_id)
        .join(grants, grants.c.id == families.c.grant_id)
        .join(users, users.c.id == grants.c.user_id)
        .where(refresh.c.digest == digest)
    )
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    is_granted = bool(row.is_granted)
    return struct_of(RefreshRow, row, scopes=frozenset(row.scope.split()), is_granted=is_granted)


async def rotate(conn: AsyncConnection, refresh_id: int, seed: bytes, now: int) -> None:
    """Record that a refresh token, whose family is held, has a successor."""
    values = {"rotated_at": now, "seed": seed}
    await conn.execute(update(refresh).where(refresh.c.id == refresh_id).values(values))


async def find_access(conn: AsyncConnection, digest: bytes, now: int) -> Access | None:
    """What an access token opens now; ``None``: nothing."""
    owner = users.alias("owner")
    query = (
        select(
            access.c.scope,
            access.c.expires_at,
            access.c.family_id,
            families.c.grant_id,
            grants.c.user_id,
            grants.c.app_id,
            grants.c.last_used_at,
            apps.c.client_id,
        )
        .join(families, families.c.id == access.c.family_id)
        .join(grants, grants.c.id == families.c.grant_id)
        .join(users, users.c.id == grants.c.user_id)
        .join(apps, apps.c.id == grants.c.app_id)
        .join(owner, owner.c.id == apps.c.user_id)
        .where(
            access.c.digest == digest,
            access.c.expires_at > now,
            families.c.revoked_at.is_(None),
            apps.c.status == "active",
            owner.c.disabled.is_(False),
            _GRANTED,
        )
    )
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    return struct_of(Access, row, scopes=frozenset(row.scope.split()))


async def touch(conn: AsyncConnection, grant_id: int, now: int) -> None:
    """Store when consent was last used."""
    first = grants.c.first_used_at
    own = grants.c.id == grant_id
    await conn.execute(update(grants).where(own, first.is_(None)).values(first_used_at=now))
    await conn.execute(update(grants).where(own).values(last_used_at=now))


async def owner_of_access(conn: AsyncConnection, digest: bytes) -> int | None:
    """The application whose access token this is."""
    query = (
        select(grants.c.app_id)
        .join(families, families.c.grant_id == grants.c.id)
        .join(access, access.c.family_id == families.c.id)
        .where(access.c.digest == digest)
    )
    found = await conn.scalar(query)
    return None if found is None else int(found)


async def remove_access(conn: AsyncConnection, digest: bytes) -> None:
    """Delete an access token, and end the keys that were given for it."""
    own = (
        select(families.c.grant_id)
        .join(access, access.c.family_id == families.c.id)
        .where(access.c.digest == digest)
    )
    await disable_granted(conn, own)
    await conn.execute(delete(access).where(access.c.digest == digest))


async def sweep(conn: AsyncConnection, now: int, families_before: int, rows: int) -> int:
    """Delete tokens that expired, and families without any that ended before a moment; how many.

    Used refresh tokens stay until they would have expired: that is how reuse is recognised.
    At most ``rows`` of each kind.
    """
    gone = 0
    has_tokens = [exists().where(table.c.family_id == families.c.id) for table in (access, refresh)]
    empty = ~has_tokens[0] & ~has_tokens[1]
    for table, ended in (
        (access, access.c.expires_at <= now),
        (refresh, refresh.c.expires_at <= now),
        (families, empty & (families.c.created_at < families_before)),
    ):
        ids = select(table.c.id).where(ended).limit(rows)
        gone += (await conn.execute(delete(table).where(table.c.id.in_(ids)))).rowcount
    return gone
