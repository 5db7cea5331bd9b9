"""Authorization requests, consent and codes in SQL, within the transaction that is given."""

from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.grants import store as granted
from trivium.oauth import scope
from trivium.oauth.apps.store import app_of
from trivium.oauth.consent.model import (
    AuthorizationRequest,
    Authorized,
    ConsentHistory,
    Grant,
    Pending,
)
from trivium.storage.schema.core import users
from trivium.storage.schema.oauth import oauth_access_tokens as access
from trivium.storage.schema.oauth import oauth_apps as apps
from trivium.storage.schema.oauth import oauth_codes as codes
from trivium.storage.schema.oauth import oauth_families as families
from trivium.storage.schema.oauth import oauth_grants as grants
from trivium.storage.schema.oauth import oauth_refresh_tokens as refresh
from trivium.storage.schema.oauth import oauth_requests as requests
from trivium.storage.structs import struct_of, values_of

# --- requests -----------------------------------------------------------------------------------


async def insert_request(
    conn: AsyncConnection, digest: bytes, asked: AuthorizationRequest, now: int, until: int
) -> None:
    """Insert a waiting request."""
    values = values_of(
        asked,
        *("app", "scopes"),
        digest=digest,
        app_id=asked.app.id,
        scope=scope.written(asked.scopes),
        created_at=now,
        expires_at=until,
    )
    await conn.execute(requests.insert().values(values))


async def find_request(conn: AsyncConnection, digest: bytes, now: int) -> Pending | None:
    """A request that still waits, with its application."""
    query = (
        select(
            requests,
            users.c.name.label("owner"),
            users.c.disabled.label("of_app_owner_disabled"),
            *(column.label(f"of_app_{column.name}") for column in apps.c),
        )
        .join(apps, apps.c.id == requests.c.app_id)
        .join(users, users.c.id == apps.c.user_id)
        .where(requests.c.digest == digest, requests.c.expires_at > now)
    )
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    asked = struct_of(
        AuthorizationRequest,
        row,
        app=app_of(_Prefixed(row, "of_app_")),
        scopes=frozenset(row.scope.split()),
    )
    return struct_of(Pending, row, asked=asked)


class _Prefixed:
    """The columns of a row that begin with a prefix, by their names without it."""

    def __init__(self, row: Any, prefix: str) -> None:
        self._row = row
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, self._prefix + name)


async def claim_request(conn: AsyncConnection, digest: bytes, user_id: int) -> bool:
    """Bind a request to this user; ``False`` when it is bound to another."""
    free = requests.c.user_id.is_(None) | (requests.c.user_id == user_id)
    mine = update(requests).where(requests.c.digest == digest, free).values(user_id=user_id)
    return (await conn.execute(mine)).rowcount == 1


async def pass_request(
    conn: AsyncConnection, digest: bytes, user_id: int | None, login_at: int | None
) -> None:
    """Bind a request to the user who logged in, or release it."""
    values = {"user_id": user_id, "login_at": login_at}
    await conn.execute(update(requests).where(requests.c.digest == digest).values(values))


async def take_request(conn: AsyncConnection, digest: bytes, user_id: int, now: int) -> bool:
    """Remove a user's request, the first who tries; ``False``: answered already, or expired."""
    own = (requests.c.digest == digest) & (requests.c.user_id == user_id)
    done = await conn.execute(delete(requests).where(own, requests.c.expires_at > now))
    return done.rowcount == 1


# --- consent ------------------------------------------------------------------------------------


def grant_of(row: Any) -> Grant:
    """Consent from a row that has the columns of ``oauth_grants``."""
    return struct_of(Grant, row, scopes=frozenset(row.scopes.split()))


async def history(conn: AsyncConnection, user_id: int, app_id: int) -> ConsentHistory:
    """Return a user's earlier answers to an application."""
    query = (
        select(grants)
        .where(grants.c.user_id == user_id, grants.c.app_id == app_id)
        .order_by(grants.c.id.desc())
        .limit(1)
    )
    row = (await conn.execute(query)).one_or_none()
    last = None if row is None else grant_of(row)
    if last is None or last.revoked_at is None:
        return ConsentHistory(grant=last, was_revoked=False)
    return ConsentHistory(grant=None, was_revoked=True)


async def insert_grant(
    conn: AsyncConnection, user_id: int, app_id: int, given: dict[str, Any]
) -> int:
    """New consent; its id. ``given``: columns that another consent to more changes, too."""
    values = {**given, "user_id": user_id, "app_id": app_id, "created_at": given["consented_at"]}
    made = grants.insert().values(values).returning(grants.c.id)
    return int((await conn.execute(made)).scalar_one())


async def widen_grant(conn: AsyncConnection, grant_id: int, given: dict[str, Any]) -> None:
    """Record that consent was given again, perhaps to more."""
    await conn.execute(update(grants).where(grants.c.id == grant_id).values(given))


async def authorized(conn: AsyncConnection, user_id: int, now: int) -> list[Authorized]:
    """A user's consent that holds, newest first."""
    owner = users.alias("owner")
    tokens = [
        select(func.count())
        .select_from(table.join(families, families.c.id == table.c.family_id))
        .where(
            families.c.grant_id == grants.c.id,
            families.c.revoked_at.is_(None),
            families.c.expires_at > now,
            table.c.expires_at > now,
            *([table.c.rotated_at.is_(None)] if table is refresh else []),
        )
        .scalar_subquery()
        for table in (access, refresh)
    ]
    incident = (
        select(func.max(families.c.revoked_at))
        .where(families.c.grant_id == grants.c.id, families.c.reason.in_(("code_replay", "reuse")))
        .scalar_subquery()
    )
    query = (
        select(
            grants,
            owner.c.name.label("owner"),
            owner.c.disabled.label("of_app_owner_disabled"),
            (tokens[0] + tokens[1]).label("live_tokens"),
            incident.label("incident_at"),
            *(column.label(f"of_app_{column.name}") for column in apps.c),
        )
        .join(apps, apps.c.id == grants.c.app_id)
        .join(owner, owner.c.id == apps.c.user_id)
        .where(grants.c.user_id == user_id, grants.c.revoked_at.is_(None))
        .order_by(grants.c.id.desc())
    )
    return [
        struct_of(Authorized, row, grant=grant_of(row), app=app_of(_Prefixed(row, "of_app_")))
        for row in await conn.execute(query)
    ]


async def revoke_grants(
    conn: AsyncConnection, user_id: int, grant_id: int | None, now: int
) -> list[int]:
    """Take back one consent of a user's, or all; the applications whose it was."""
    found = await granted.consents(conn, user_id, grant_id)
    await granted.end_consents(conn, [consent_id for consent_id, _ in found], now)
    return [app_id for _, app_id in found]


# --- codes --------------------------------------------------------------------------------------


async def insert_code(
    conn: AsyncConnection,
    digest: bytes,
    grant_id: int,
    asked: AuthorizationRequest,
    now: int,
    until: int,
) -> None:
    """Insert a code, bound to what was asked for."""
    values = {
        "digest": digest,
        "grant_id": grant_id,
        "redirect_uri": asked.redirect_uri,
        "scope": scope.written(asked.scopes),
        "code_challenge": asked.code_challenge,
        "created_at": now,
        "expires_at": until,
    }
    await conn.execute(codes.insert().values(values))


async def sweep(conn: AsyncConnection, now: int, codes_before: int, grants_before: int) -> int:
    """Delete expired requests, and codes and consent that ended before a moment; how many."""
    gone = 0
    for table, ended in (
        (requests, requests.c.expires_at <= now),
        (codes, codes.c.expires_at < codes_before),
        (grants, grants.c.revoked_at < grants_before),
    ):
        gone += (await conn.execute(delete(table).where(ended))).rowcount
    return gone
