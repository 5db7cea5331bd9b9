"""Users and keys in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import LargeBinary, Select, and_, cast, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import Key, User, UserKind, UserRole
from trivium.identity.terms import Terms, terms_of
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits, limits
from trivium.storage.schema.core import accounts, keys, revision, users
from trivium.storage.schema.requests import records
from trivium.storage.structs import struct_of, values_of

_KEY = (
    *(column for column in keys.c if column.name not in ("digest", "former_digest", "revision")),
    select(func.max(records.c.at_ms) / 1000)
    .where(records.c.key_id == keys.c.id)
    .scalar_subquery()
    .label("last_used_at"),
)
_CHANGE = select(keys.c.id, keys.c.revision, keys.c.digest, keys.c.former_digest)
_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_budgets = msgspec.json.Decoder(tuple[Budget, ...]).decode


async def bump(conn: AsyncConnection) -> int:
    """Raise the revision and hold its row, so that writes of identities queue until commit."""
    raised = update(revision).values(value=revision.c.value + 1).returning(revision.c.value)
    return int((await conn.execute(raised)).scalar_one())


async def current_revision(conn: AsyncConnection) -> int:
    """The revision of the last committed write."""
    return int((await conn.execute(select(revision.c.value))).scalar_one())


async def changes_after(
    conn: AsyncConnection, position: tuple[int, int], limit: int
) -> Sequence[Any]:
    """The next keys that were made or changed, by (revision, id): these two and the digests.

    Two queries, because no index serves one that compares pairs beyond its first column: keys of
    one import would be read by the square.
    """
    raised, key_id = position
    same = _CHANGE.where(keys.c.revision == raised, keys.c.id > key_id).order_by(keys.c.id)
    rows = list(await conn.execute(same.limit(limit)))
    if len(rows) < limit:
        later = _CHANGE.where(keys.c.revision > raised).order_by(keys.c.revision, keys.c.id)
        rows += await conn.execute(later.limit(limit - len(rows)))
    return rows


async def prefixes_after(
    conn: AsyncConnection, after: bytes, limit: int, bytes_each: int, *, former: bool
) -> bytes:
    """How the next digests of keys begin, in one piece: so many bytes of each. ``former``: of the
    secrets that rotated keys had.
    """
    column = keys.c.former_digest if former else keys.c.digest
    page = select(func.substr(column, 1, bytes_each).label("prefix"))
    page = page.where(column > after).order_by(column).limit(limit)
    prefix = page.subquery().c.prefix
    # a row of each would take ten times as long
    if conn.dialect.name == "sqlite":
        joined = await conn.scalar(select(func.group_concat(func.hex(prefix), "")))
        return bytes.fromhex(joined or "")
    return bytes(await conn.scalar(select(func.string_agg(prefix, cast(b"", LargeBinary)))) or b"")


async def callers_after(conn: AsyncConnection, key_id: int, limit: int) -> Sequence[Any]:
    """The next keys by their ids: what :class:`Snapshot` needs of each, and its user."""
    page = _CALLER.where(keys.c.id > key_id).order_by(keys.c.id).limit(limit)
    return (await conn.execute(page)).all()


async def callers_of(
    conn: AsyncConnection, key_ids: Sequence[int] = (), digests: Sequence[bytes] = ()
) -> Sequence[Any]:
    """The keys of these ids and of these digests, former ones too, with their users."""
    rows = list(await conn.execute(_CALLER.where(keys.c.id.in_(key_ids)))) if key_ids else []
    for column in (keys.c.digest, keys.c.former_digest) if digests else ():
        rows += await conn.execute(_CALLER.where(column.in_(digests)))
    return rows


async def insert_user(conn: AsyncConnection, user: User, raised: int) -> int:
    """Store a user, whose id is ignored; returns the new one."""
    values = values_of(
        user,
        *("id", "group", "limits", "email_verified", "language", "theme"),
        price_group=user.group,
        revision=raised,
        email=user.email or None,
        **_columns(user.limits),
    )
    made = insert(users).values(values).returning(users.c.id)
    return int((await conn.execute(made)).scalar_one())


async def find_users(conn: AsyncConnection, name_or_email: str | None) -> list[User]:
    """Users of that name or e-mail address, or all, in the order they were made."""
    query = select(users).order_by(users.c.id)
    if name_or_email is not None:
        query = query.where(
            or_(users.c.name == name_or_email, users.c.email == name_or_email.lower())
        )
    return [user_of(row) for row in await conn.execute(query)]


async def like_named(conn: AsyncConnection, name: str) -> set[int]:
    """Users of a name that people read as this one; SQLite knows capitals of ASCII alone."""
    query = select(users.c.id).where(func.lower(users.c.name) == func.lower(name))
    return set(await conn.scalars(query))


async def user_by_id(conn: AsyncConnection, user_id: int) -> User | None:
    """Return the user of that id, disabled or not; ``None`` if there is none."""
    row = (await conn.execute(select(users).where(users.c.id == user_id))).one_or_none()
    return None if row is None else user_of(row)


async def page_users(
    conn: AsyncConnection, search: str, after: int, limit: int
) -> list[tuple[User, int, int]]:
    """Users after that id whose name or address holds the text, with balance and enabled keys."""
    enabled = (
        select(func.count())
        .where(keys.c.user_id == users.c.id, keys.c.disabled.is_(False))
        .scalar_subquery()
    )
    query = (
        select(users, accounts.c.balance_nanos, enabled.label("enabled"))
        .join_from(users, accounts, users.c.id == accounts.c.user_id, isouter=True)
        .where(users.c.id > after)
        .order_by(users.c.id)
        .limit(limit)
    )
    if search:
        query = query.where(
            or_(
                users.c.name.icontains(search, autoescape=True),
                users.c.email.icontains(search, autoescape=True),
            )
        )
    rows = await conn.execute(query)
    return [(user_of(row), int(row.balance_nanos or 0), int(row.enabled)) for row in rows]


def user_of(row: Any) -> User:
    """A row of ``users``, or of a join with it, as a user."""
    return struct_of(
        User,
        row,
        email_verified=row.email_verified_at is not None,
        role=UserRole(row.role),
        kind=UserKind(row.kind),
        email=row.email or "",
        group=row.price_group,
        limits=_limits(row),
    )


async def set_user_disabled(
    conn: AsyncConnection, user_id: int, raised: int, *, disabled: bool
) -> None:
    """Switch a user; the keys carry the revision as well, since snapshots page through keys."""
    values = {"disabled": disabled, "revision": raised}
    await conn.execute(update(users).where(users.c.id == user_id).values(values))
    await conn.execute(update(keys).where(keys.c.user_id == user_id).values(revision=raised))


async def update_user(conn: AsyncConnection, user: User, raised: int) -> None:
    """Store what somebody may spend and take; the keys carry the revision as well."""
    of = user.limits
    values = {
        "price_group": user.group,
        "unlimited": user.unlimited,
        "requests_per_minute": of and of.requests,
        "tokens_per_minute": of and of.tokens,
        "max_concurrency": of and of.concurrency,
        "revision": raised,
    }
    await conn.execute(update(users).where(users.c.id == user.id).values(values))
    await conn.execute(update(keys).where(keys.c.user_id == user.id).values(revision=raised))


async def set_role(conn: AsyncConnection, user_id: int, role: UserRole) -> None:
    """Set what a user may do beyond using models."""
    await conn.execute(update(users).where(users.c.id == user_id).values(role=role.value))


async def insert_key(conn: AsyncConnection, key: Key, digest: bytes, raised: int) -> int:
    """Store a key, whose id is ignored; returns the new one."""
    values = {
        "user_id": key.user_id,
        "digest": digest,
        "hint": key.hint,
        "disabled": key.disabled,
        "paused": key.paused,
        "created_at": key.created_at,
        "revision": raised,
        "grant_id": key.grant_id,
        "team_id": key.team_id,
        **_terms(terms_of(key)),
    }
    return int((await conn.execute(insert(keys).values(values).returning(keys.c.id))).scalar_one())


async def find_keys(conn: AsyncConnection, user_id: int | None = None) -> list[Key]:
    """A user's keys, or all, in the order they were made."""
    query = select(*_KEY).order_by(keys.c.id)
    return await _keys(conn, query if user_id is None else query.where(keys.c.user_id == user_id))


async def page_keys(
    conn: AsyncConnection,
    after: int,
    limit: int,
    user_id: int | None,
    team_id: int | None,
    revoked: bool | None = None,
) -> list[Key]:
    """At most so many keys after an id, in the order they were made; none of applications. Of a
    user, for a team; revoked ones, only those, or only others.
    """
    query = select(*_KEY).where(keys.c.id > after, keys.c.grant_id.is_(None))
    if user_id is not None:
        query = query.where(keys.c.user_id == user_id)
    if team_id is not None:
        query = query.where(keys.c.team_id == team_id)
    if revoked is not None:
        query = query.where(keys.c.disabled.is_(revoked))
    return await _keys(conn, query.order_by(keys.c.id).limit(limit))


async def keys_of_team(conn: AsyncConnection, team_id: int) -> list[Key]:
    """The keys that spend for a team, in the order they were made."""
    return await _keys(conn, select(*_KEY).where(keys.c.team_id == team_id).order_by(keys.c.id))


async def key_by_id(conn: AsyncConnection, key_id: int) -> Key | None:
    """The key of that id, revoked or not."""
    found = await _keys(conn, select(*_KEY).where(keys.c.id == key_id))
    return found[0] if found else None


async def match_keys(
    conn: AsyncConnection, *, key_id: int | None, text: str | None, digest: bytes | None
) -> list[Key]:
    """Enabled keys of that id, that name or hint, or that digest; ``None`` matches nothing."""
    matches = []
    if key_id is not None:
        matches.append(keys.c.id == key_id)
    if text is not None:
        matches += [keys.c.name == text, keys.c.hint == text]
    if digest is not None:
        matches += [keys.c.digest == digest, keys.c.former_digest == digest]
    enabled = and_(keys.c.disabled.is_(False), or_(*matches))
    return await _keys(conn, select(*_KEY).where(enabled).order_by(keys.c.id))


async def has_administrator(conn: AsyncConnection) -> bool:
    """Whether there is one, disabled or not."""
    query = select(users.c.id).where(users.c.role == UserRole.ADMIN.value).limit(1)
    return (await conn.execute(query)).first() is not None


async def digest_of(conn: AsyncConnection, key_id: int) -> bytes:
    """SHA-256 of the secret of a key that there is."""
    found = await conn.execute(select(keys.c.digest).where(keys.c.id == key_id))
    return bytes(found.scalar_one())


async def disable_key(conn: AsyncConnection, key_id: int, raised: int) -> None:
    """Revoke a key. The row stays: records name it, and snapshots learn of it."""
    values = {"disabled": True, "revision": raised}
    await conn.execute(update(keys).where(keys.c.id == key_id).values(values))


async def rotate_key(
    conn: AsyncConnection, key_id: int, digest: bytes, hint: str, until: int | None, raised: int
) -> None:
    """Give a key another secret; the one it has works until then, ``None``: no longer."""
    values = {
        "digest": digest,
        "hint": hint,
        "former_digest": None if until is None else keys.c.digest,
        "former_until": until,
        "revision": raised,
    }
    await conn.execute(update(keys).where(keys.c.id == key_id).values(values))


async def set_paused(conn: AsyncConnection, key_id: int, raised: int, *, paused: bool) -> None:
    """Refuse a key for a while, or accept it again."""
    values = {"paused": paused, "revision": raised}
    await conn.execute(update(keys).where(keys.c.id == key_id).values(values))


async def update_key(conn: AsyncConnection, key_id: int, terms: Terms, raised: int) -> None:
    """Set another name and other limits of a key."""
    values = {**_terms(terms), "revision": raised}
    await conn.execute(update(keys).where(keys.c.id == key_id).values(values))


async def disable_granted(conn: AsyncConnection, grant_ids: Sequence[int] | Select[Any]) -> int:
    """Refuse every key that applications were given under these consents; how many there were."""
    live = keys.c.grant_id.in_(grant_ids) & keys.c.disabled.is_(False)
    # consent without keys does not make every gateway read keys again
    if not await conn.scalar(select(func.count()).select_from(keys).where(live)):
        return 0
    values = {"disabled": True, "revision": await bump(conn)}
    return (await conn.execute(update(keys).where(live).values(values))).rowcount


async def _keys(conn: AsyncConnection, query: Select[Any]) -> list[Key]:
    return [
        struct_of(
            Key,
            row,
            models=_texts(row.models),
            last_used_at=None if row.last_used_at is None else int(row.last_used_at),
            limits=_limits(row),
            budgets=_budgets(row.budgets),
            networks=_texts(row.networks),
            end_user_budgets=_budgets(row.end_user_budgets),
        )
        for row in await conn.execute(query)
    ]


def _limits(row: Any) -> RateLimits | None:
    return limits(row.requests_per_minute, row.tokens_per_minute, row.max_concurrency)


def _terms(terms: Terms) -> dict[str, Any]:
    lists = {
        name: msgspec.json.encode(getattr(terms, name)).decode()
        for name in ("models", "budgets", "networks", "end_user_budgets")
    }
    return values_of(terms, "limits", **lists, **_columns(terms.limits))


def _columns(of: RateLimits | None) -> dict[str, int | None]:
    of = of or RateLimits()
    return {
        "requests_per_minute": of.requests,
        "tokens_per_minute": of.tokens,
        "max_concurrency": of.concurrency,
    }


_CALLER = select(
    *(column for column in keys.c if column.name not in ("name", "hint", "created_at")),
    users.c.disabled.label("user_disabled"),
    users.c.unlimited,
    users.c.price_group,
    *(users.c[name].label(f"user_{name}") for name in _columns(None)),
).join_from(keys, users, keys.c.user_id == users.c.id)
