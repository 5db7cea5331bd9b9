"""Caps and the keys under them, in SQL, within the transaction that is given.

Locks are taken in one order: application, consent, family, then the one revision of identities,
which every write of keys raises. Whoever takes consent back holds one of the first three, so a key
is given before, and ended, or not given at all.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity import store as identity
from trivium.identity.model import Key
from trivium.ledger.budgets.store import counted
from trivium.oauth.tokens.model import Access
from trivium.oauth.tokens.store import find_access
from trivium.settings.budget import Budget, Period
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import keys
from trivium.storage.schema.oauth import oauth_apps as apps
from trivium.storage.schema.oauth import oauth_caps
from trivium.storage.schema.oauth import oauth_families as families
from trivium.storage.schema.oauth import oauth_grants as grants

_BUDGETS: Final = msgspec.json.Encoder()


async def held(
    conn: AsyncConnection, app_id: int, digest: bytes, now: int
) -> tuple[Access, int] | None:
    """What an application's access token opens, held, and the revision that its key gets."""
    found = await find_access(conn, digest, now)
    if found is None or found.app_id != app_id:
        return None
    for table, own, is_shared in (
        (apps, apps.c.id == found.app_id, True),
        (grants, grants.c.id == found.grant_id, False),
        (families, families.c.id == found.family_id, False),
    ):
        lock = (
            select(table.c.id).where(own).with_for_update(read=is_shared, key_share=not is_shared)
        )
        await conn.execute(lock)
    # with this whoever disables the application's owner waits as well
    raised = await identity.bump(conn)
    # what was found may have ended before it was held
    found = await find_access(conn, digest, now)
    return None if found is None else (found, raised)


async def cap_of(conn: AsyncConnection, grant_id: int) -> int | None:
    """Nano-dollars a month; ``None`` where none was set."""
    found = await conn.scalar(
        select(oauth_caps.c.cap_nanos).where(oauth_caps.c.grant_id == grant_id)
    )
    return None if found is None else int(found)


async def capped(conn: AsyncConnection, user_id: int, grant_id: int) -> int | None:
    """The application of a user's consent that has a cap; held until the transaction ends."""
    query = (
        select(grants.c.app_id)
        .join(oauth_caps, oauth_caps.c.grant_id == grants.c.id)
        .where(grants.c.id == grant_id, grants.c.user_id == user_id, grants.c.revoked_at.is_(None))
        .with_for_update(key_share=True, of=grants)
    )
    found = await conn.scalar(query)
    return None if found is None else int(found)


async def caps_of(conn: AsyncConnection, user_id: int) -> dict[int, int]:
    """Caps of a user's consents that hold."""
    query = (
        select(oauth_caps.c.grant_id, oauth_caps.c.cap_nanos)
        .join(grants, grants.c.id == oauth_caps.c.grant_id)
        .where(grants.c.user_id == user_id, grants.c.revoked_at.is_(None))
    )
    return {row.grant_id: row.cap_nanos for row in await conn.execute(query)}


async def set_cap(
    conn: AsyncConnection, grant_id: int, cap_nanos: int, budgets: Sequence[Budget], now: int
) -> None:
    """Set the cap of a consent, also for the keys that were given under it."""
    made = upsert(conn, oauth_caps).values(grant_id=grant_id, cap_nanos=cap_nanos, set_at=now)
    values = {"cap_nanos": cap_nanos, "set_at": now}
    await conn.execute(made.on_conflict_do_update(index_elements=["grant_id"], set_=values))
    own = keys.c.grant_id == grant_id
    if await conn.scalar(select(func.count()).where(own)):
        raised = await identity.bump(conn)
        text = _BUDGETS.encode(budgets).decode()
        await conn.execute(update(keys).where(own).values(budgets=text, revision=raised))


async def wait_s(conn: AsyncConnection, grant_id: int, now: int, live_max: int) -> int:
    """How long until another key may be given; 0: now."""
    live = and_(keys.c.grant_id == grant_id, keys.c.disabled.is_(False), keys.c.expires_at > now)
    query = select(func.count(), func.min(keys.c.expires_at)).where(live)
    count, first = (await conn.execute(query)).one()
    return first - now if count >= live_max else 0


async def give(
    conn: AsyncConnection,
    to: Access,
    raised: int,
    *,
    name: str,
    digest: bytes,
    hint: str,
    budgets: Sequence[Budget],
    now: int,
) -> int:
    """A key with this secret: an expired one of the consent's, or another; its id."""
    over = or_(keys.c.disabled.is_(True), keys.c.expires_at <= now)
    free = (
        select(keys.c.id).where(keys.c.grant_id == to.grant_id, over).order_by(keys.c.id).limit(1)
    )
    key_id = await conn.scalar(free)
    if key_id is None:
        key = Key(
            id=0,
            user_id=to.user_id,
            name=name,
            hint=hint,
            expires_at=to.expires_at,
            created_at=now,
            budgets=tuple(budgets),
            grant_id=to.grant_id,
        )
        return await identity.insert_key(conn, key, digest, raised)
    values = {
        "digest": digest,
        "hint": hint,
        "name": name,
        "expires_at": to.expires_at,
        "disabled": False,
        "budgets": _BUDGETS.encode(budgets).decode(),
        "revision": raised,
    }
    await conn.execute(update(keys).where(keys.c.id == key_id).values(values))
    return int(key_id)


async def spent_since(conn: AsyncConnection, user_id: int, since: int) -> dict[int, int]:
    """Nano-dollars that the applications of a user's consents have spent in the month that began
    then, as booked by now.
    """
    query = select(grants.c.id).where(grants.c.user_id == user_id)
    scopes = {f"grant:{grant_id}": grant_id for grant_id in await conn.scalars(query)}
    return {
        scopes[counter.scope]: spent
        for counter, (spent, _) in (await counted(conn, list(scopes))).items()
        if counter.period == Period.MONTH.value and counter.starts_at == since
    }
