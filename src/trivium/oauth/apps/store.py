"""Applications and their secrets in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.store import disable_granted
from trivium.oauth import scope
from trivium.oauth.apps.model import App, AppStatus, GrantType, OwnSecret
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import oauth_apps as apps
from trivium.storage.schema.oauth import oauth_grants as grants
from trivium.storage.schema.oauth import oauth_secrets as secrets
from trivium.storage.structs import struct_of, values_of

_APPS = select(apps, users.c.disabled.label("owner_disabled")).join(
    users, users.c.id == apps.c.user_id
)


def app_of(row: Any) -> App:
    """An application from a row that has the columns of ``oauth_apps``, and ``owner_disabled``."""
    return struct_of(
        App,
        row,
        status=AppStatus(row.status),
        owner_disabled=bool(row.owner_disabled),
        scopes=frozenset(row.scopes.split()),
        grants=frozenset(map(GrantType, row.grants.split())),
    )


def _values(app: App) -> dict[str, Any]:
    return values_of(
        app,
        *("id", "client_id", "owner_disabled", "created_at"),
        scopes=scope.written(app.scopes),
        grants=" ".join(sorted(grant.value for grant in app.grants)),
    )


async def hold_user(conn: AsyncConnection, user_id: int) -> bool | None:
    """Lock a user and return whether they are disabled; ``None``: there is no such user. Two
    registrations at once, or two first consents to an application, wait for each other.
    """
    query = select(users.c.disabled).where(users.c.id == user_id).with_for_update(key_share=True)
    found = await conn.scalar(query)
    return None if found is None else bool(found)


async def count(conn: AsyncConnection, user_id: int, since: int = 0) -> int:
    """How many applications a user has, registered at or after a moment."""
    query = select(func.count()).where(apps.c.user_id == user_id, apps.c.created_at >= since)
    return int(await conn.scalar(query) or 0)


async def insert(conn: AsyncConnection, app: App) -> int:
    """Insert an application; returns its id."""
    values = {**_values(app), "client_id": app.client_id, "created_at": app.created_at}
    made = apps.insert().values(values).returning(apps.c.id)
    return int((await conn.execute(made)).scalar_one())


async def replace(conn: AsyncConnection, app: App) -> None:
    """Write what may change of an application; a suspended one spends nothing any more."""
    await conn.execute(update(apps).where(apps.c.id == app.id).values(_values(app)))
    if app.status is not AppStatus.ACTIVE:
        await disable_granted(conn, _consents(app.id))


async def remove(conn: AsyncConnection, app_id: int) -> None:
    """Delete an application with its consents, codes and tokens; the keys it had are refused."""
    await disable_granted(conn, _consents(app_id))
    await conn.execute(delete(apps).where(apps.c.id == app_id))


def _consents(app_id: int) -> Select[Any]:
    return select(grants.c.id).where(grants.c.app_id == app_id)


async def owned(
    conn: AsyncConnection, user_id: int, app_id: int, *, hold: bool = False
) -> App | None:
    """A user's own application; ``hold``: nobody else changes it until the transaction ends."""
    return await _one(conn, apps.c.id == app_id, apps.c.user_id == user_id, hold=hold)


async def owned_by(conn: AsyncConnection, user_id: int) -> list[App]:
    """A user's applications, oldest first."""
    query = _APPS.where(apps.c.user_id == user_id).order_by(apps.c.id)
    return [app_of(row) for row in await conn.execute(query)]


async def everything(conn: AsyncConnection) -> list[App]:
    """All applications, oldest first."""
    return [app_of(row) for row in await conn.execute(_APPS.order_by(apps.c.id))]


async def page(
    conn: AsyncConnection, after: int, limit: int, user_id: int | None, status: AppStatus | None
) -> list[App]:
    """At most so many applications after an id, oldest first; of an owner, in a state."""
    query = _APPS.where(apps.c.id > after).order_by(apps.c.id).limit(limit)
    if user_id is not None:
        query = query.where(apps.c.user_id == user_id)
    if status is not None:
        query = query.where(apps.c.status == status.value)
    return [app_of(row) for row in await conn.execute(query)]


async def by_client_id(conn: AsyncConnection, client_id: str, *, hold: bool = False) -> App | None:
    """The application of a client id; ``hold``: as ``owned`` has it."""
    return await _one(conn, apps.c.client_id == client_id, hold=hold)


async def by_id(conn: AsyncConnection, app_id: int) -> App | None:
    """The application of an id."""
    return await _one(conn, apps.c.id == app_id)


async def _one(
    conn: AsyncConnection, *which: ColumnElement[bool], hold: bool = False
) -> App | None:
    query = _APPS.where(*which)
    if hold:
        query = query.with_for_update(key_share=True, of=apps)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else app_of(row)


async def digests(conn: AsyncConnection, app_id: int, now: int) -> Sequence[bytes]:
    """Digests of the secrets that open an application now."""
    return (await conn.scalars(select(secrets.c.digest).where(*_opening(app_id, now)))).all()


async def own_secrets(conn: AsyncConnection, app_id: int, now: int) -> list[OwnSecret]:
    """The secrets that open an application now, newest first."""
    query = select(secrets).where(*_opening(app_id, now)).order_by(secrets.c.id.desc())
    return [struct_of(OwnSecret, row) for row in await conn.execute(query)]


def _opening(app_id: int, now: int) -> tuple[ColumnElement[bool], ...]:
    live = or_(secrets.c.expires_at.is_(None), secrets.c.expires_at > now)
    return secrets.c.app_id == app_id, live


async def add_secret(
    conn: AsyncConnection, app_id: int, digest: bytes, hint: str, now: int, until: int
) -> None:
    """A new current secret; the one before opens until ``until``, those before it no more."""
    await conn.execute(
        delete(secrets).where(secrets.c.app_id == app_id, secrets.c.expires_at.is_not(None))
    )
    old = update(secrets).where(secrets.c.app_id == app_id).values(expires_at=until)
    await conn.execute(old)
    values = {"app_id": app_id, "digest": digest, "hint": hint, "created_at": now}
    await conn.execute(secrets.insert().values(values))


async def end_old_secrets(conn: AsyncConnection, app_id: int) -> int:
    """Refuse replaced secrets at once; how many there were."""
    old = (secrets.c.app_id == app_id) & secrets.c.expires_at.is_not(None)
    return (await conn.execute(delete(secrets).where(old))).rowcount


async def sweep_secrets(conn: AsyncConnection, now: int) -> int:
    """Delete replaced secrets that open nothing any more."""
    return (await conn.execute(delete(secrets).where(secrets.c.expires_at <= now))).rowcount
