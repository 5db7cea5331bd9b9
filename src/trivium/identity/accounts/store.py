"""Sessions, tickets, tries and passwords in SQL. Every function works in the transaction given."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, Select, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity import store as users_store
from trivium.identity.accounts.model import Session, Way
from trivium.identity.accounts.throttle_policy import AttemptCount
from trivium.identity.model import User
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import users
from trivium.storage.schema.logins import (
    outside_logins,
    passkeys,
    sessions,
    tickets,
    totp_secrets,
    tries,
)
from trivium.storage.schema.teams import team_invitations
from trivium.storage.structs import struct_of, values_of

_SESSION: Final[Select[Any]] = select(
    sessions.c.id.label("session_id"),
    sessions.c.created_at.label("began_at"),
    sessions.c.seen_at,
    sessions.c.expires_at,
    sessions.c.confirmed_at,
    sessions.c.way,
    sessions.c.address,
    sessions.c.agent,
    users,
).join_from(sessions, users, users.c.id == sessions.c.user_id)


async def has_ticket_since(conn: AsyncConnection, purpose: str, since: int) -> bool:
    """Whether an open ticket for this purpose was issued at or after a moment."""
    query = select(tickets.c.id).where(
        tickets.c.purpose == purpose, tickets.c.created_at >= since, tickets.c.used_at.is_(None)
    )
    return (await conn.execute(query.limit(1))).first() is not None


class LoginAccount(NamedTuple):
    """A user with what a login needs to know."""

    user: User
    password_hash: str | None
    has_factor: bool
    """Whether a second factor is on."""


class Ticket(NamedTuple):
    """A ticket without its secret."""

    id: int
    user_id: int | None
    email: str | None
    data: str
    created_at: int
    expires_at: int


# --- users -----------------------------------------------------------------------------------


async def account(
    conn: AsyncConnection,
    *,
    name_or_email: str | None = None,
    user_id: int | None = None,
    hold: bool = False,
) -> LoginAccount | None:
    """One user, by id or by name or address. ``hold``: as it is until the transaction ends."""
    query = select(users, totp_secrets.c.confirmed_at.label("factor_at")).outerjoin(
        totp_secrets, totp_secrets.c.user_id == users.c.id
    )
    if user_id is not None:
        query = query.where(users.c.id == user_id)
    else:
        named = name_or_email or ""
        query = query.where(or_(users.c.name == named, users.c.email == named.lower()))
    if hold:
        query = query.with_for_update(of=users)
    row = (await conn.execute(query)).one_or_none()
    if row is None:
        return None
    return LoginAccount(users_store.user_of(row), row.password_hash, row.factor_at is not None)


async def set_password(
    conn: AsyncConnection, user_id: int, stored: str, instead_of: str | None = None
) -> None:
    """Store a hash; with ``instead_of`` only while that one is still there."""
    query = update(users).where(users.c.id == user_id).values(password_hash=stored)
    if instead_of is not None:
        query = query.where(users.c.password_hash == instead_of)
    await conn.execute(query)


async def set_email(conn: AsyncConnection, user_id: int, email: str, verified_at: int) -> None:
    """Set a new address, which has been proven to be the user's."""
    values = {"email": email, "email_verified_at": verified_at}
    await conn.execute(update(users).where(users.c.id == user_id).values(values))


async def verify_email(conn: AsyncConnection, user_id: int, email: str, now: int) -> bool:
    """Note that letters to the address arrive; ``False`` when it is no longer the user's."""
    query = update(users).where(users.c.id == user_id, users.c.email == email)
    return (await conn.execute(query.values(email_verified_at=now))).rowcount == 1


async def set_name(conn: AsyncConnection, user_id: int, name: str) -> None:
    """Set another name. Raises Conflict when it is taken."""
    await conn.execute(update(users).where(users.c.id == user_id).values(name=name))


async def ways_in(conn: AsyncConnection, user_id: int) -> int:
    """How many ways a user has to get in: a password, every passkey, every outside login."""
    query = select(
        select(func.count(users.c.password_hash)).where(users.c.id == user_id).scalar_subquery()
        + select(func.count()).where(passkeys.c.user_id == user_id).scalar_subquery()
        + select(func.count()).where(outside_logins.c.user_id == user_id).scalar_subquery()
    )
    return int((await conn.execute(query)).scalar_one())


# --- sessions --------------------------------------------------------------------------------


async def insert_session(conn: AsyncConnection, values: dict[str, Any]) -> None:
    """Store a new session's columns."""
    await conn.execute(insert(sessions).values(values))


async def session(conn: AsyncConnection, digest: bytes, now: int, idle_s: int) -> Session | None:
    """The session of a token, unless it is over or its user disabled."""
    query = _SESSION.where(
        sessions.c.digest == digest,
        sessions.c.expires_at > now,
        sessions.c.seen_at > now - idle_s,
        users.c.disabled.is_(False),
    )
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _session(row)


async def sessions_of(conn: AsyncConnection, user_id: int, now: int, idle_s: int) -> list[Session]:
    """A user's live sessions, the last used first."""
    query = _SESSION.where(
        sessions.c.user_id == user_id,
        sessions.c.expires_at > now,
        sessions.c.seen_at > now - idle_s,
    ).order_by(sessions.c.seen_at.desc(), sessions.c.id.desc())
    return [_session(row) for row in await conn.execute(query)]


async def set_preferences(
    conn: AsyncConnection, user_id: int, chosen: dict[str, str | bool]
) -> None:
    """Columns ``language``, ``theme`` and ``budget_letters``, those that were chosen."""
    await conn.execute(update(users).where(users.c.id == user_id).values(chosen))


async def touch(conn: AsyncConnection, session_id: int, now: int) -> None:
    """Note that a session is in use."""
    await conn.execute(update(sessions).where(sessions.c.id == session_id).values(seen_at=now))


async def renew(
    conn: AsyncConnection, digest: bytes, fresh: bytes, confirmed: tuple[int, str] | None = None
) -> bool:
    """Give a session another token; ``confirmed``: when and how its user proved who they are."""
    values: dict[str, Any] = {"digest": fresh}
    if confirmed is not None:
        values["confirmed_at"], values["way"] = confirmed
    query = update(sessions).where(sessions.c.digest == digest).values(values)
    return (await conn.execute(query)).rowcount == 1


async def end_session(
    conn: AsyncConnection,
    *,
    digest: bytes | None = None,
    user_id: int | None = None,
    session_id: int | None = None,
) -> int:
    """End the session of a token, or one of a user's; how many that were."""
    which = (
        sessions.c.digest == digest
        if digest is not None
        else (sessions.c.user_id == user_id) & (sessions.c.id == session_id)
    )
    return (await conn.execute(delete(sessions).where(which))).rowcount


async def end_sessions(conn: AsyncConnection, user_id: int, but: bytes | None = None) -> int:
    """End all sessions of a user but the one of a token; how many that were."""
    query = delete(sessions).where(sessions.c.user_id == user_id)
    if but is not None:
        query = query.where(sessions.c.digest != but)
    return (await conn.execute(query)).rowcount


async def end_oldest(conn: AsyncConnection, user_id: int, keep: int) -> None:
    """End what goes beyond so many sessions of a user."""
    kept = (
        select(sessions.c.id)
        .where(sessions.c.user_id == user_id)
        .order_by(sessions.c.seen_at.desc(), sessions.c.id.desc())
        .limit(keep)
    )
    beyond = sessions.c.id.not_in(kept)
    await conn.execute(delete(sessions).where(sessions.c.user_id == user_id, beyond))


# --- tickets ---------------------------------------------------------------------------------


async def insert_ticket(conn: AsyncConnection, values: dict[str, Any]) -> None:
    """Store a new ticket's columns."""
    await conn.execute(insert(tickets).values(values))


async def ticket(conn: AsyncConnection, purpose: str, digest: bytes, now: int) -> Ticket | None:
    """An open ticket, left open."""
    query = select(*_TICKET).where(*_is_open(purpose, now), tickets.c.digest == digest)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else Ticket(*row)


async def claim(conn: AsyncConnection, purpose: str, digest: bytes, now: int) -> Ticket | None:
    """Use up an open ticket. Of several that claim one, the database lets the first."""
    query = (
        update(tickets)
        .where(*_is_open(purpose, now), tickets.c.digest == digest)
        .values(used_at=now)
        .returning(*_TICKET)
    )
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else Ticket(*row)


async def open_tickets(
    conn: AsyncConnection, purpose: str, now: int, after: int = 0, limit: int | None = None
) -> list[Ticket]:
    """The open tickets of a purpose after an id, oldest first; ``limit``: ``None``: all."""
    query = select(*_TICKET).where(*_is_open(purpose, now), tickets.c.id > after)
    return [Ticket(*row) for row in await conn.execute(query.order_by(tickets.c.id).limit(limit))]


async def void(
    conn: AsyncConnection,
    purposes: Sequence[str],
    now: int,
    *,
    user_id: int | None = None,
    ticket_id: int | None = None,
) -> int:
    """Use up open tickets of a user, or one by its id, for nothing; how many that were."""
    which = tickets.c.id == ticket_id if ticket_id is not None else tickets.c.user_id == user_id
    query = update(tickets).where(
        tickets.c.purpose.in_(purposes),
        tickets.c.used_at.is_(None),
        tickets.c.expires_at > now,
        which,
    )
    return (await conn.execute(query.values(used_at=now))).rowcount


# --- tries -----------------------------------------------------------------------------------


async def seen(conn: AsyncConnection, subject: bytes) -> AttemptCount:
    """What is known of a subject, whose row is held until the transaction ends."""
    nothing = {"subject": subject, "count": 0, "since": 0, "until": 0, "forget_at": 0}
    await conn.execute(upsert(conn, tries).values(nothing).on_conflict_do_nothing())
    query = select(tries.c.count, tries.c.since, tries.c.until, tries.c.forget_at)
    row = (await conn.execute(query.where(tries.c.subject == subject).with_for_update())).one()
    return AttemptCount(**row._asdict())


async def keep(conn: AsyncConnection, subject: bytes, now_seen: AttemptCount) -> None:
    """Write down what is known of a subject."""
    query = update(tries).where(tries.c.subject == subject)
    await conn.execute(query.values(values_of(now_seen)))


async def forget(conn: AsyncConnection, subject: bytes) -> None:
    """Everything about a subject."""
    await conn.execute(delete(tries).where(tries.c.subject == subject))


async def sweep(conn: AsyncConnection, now: int, idle_s: int, kept_s: int, most: int) -> int:
    """Delete at most so many rows a table that are over; how many that were."""
    swept = 0
    for table, over in (
        (sessions, (sessions.c.expires_at <= now) | (sessions.c.seen_at <= now - idle_s)),
        (tickets, tickets.c.expires_at <= now - kept_s),
        (team_invitations, team_invitations.c.expires_at <= now - kept_s),
    ):
        found = select(table.c.id).where(over).limit(most)
        swept += (await conn.execute(delete(table).where(table.c.id.in_(found)))).rowcount
    found = select(tries.c.subject).where(tries.c.forget_at <= now).limit(most)
    return swept + (await conn.execute(delete(tries).where(tries.c.subject.in_(found)))).rowcount


_TICKET: Final = (
    tickets.c.id,
    tickets.c.user_id,
    tickets.c.email,
    tickets.c.data,
    tickets.c.created_at,
    tickets.c.expires_at,
)


def _is_open(purpose: str, now: int) -> tuple[Any, ...]:
    return (tickets.c.purpose == purpose, tickets.c.used_at.is_(None), tickets.c.expires_at > now)


def _session(row: Row[Any]) -> Session:
    user = users_store.user_of(row)
    return struct_of(
        Session, row, id=row.session_id, user=user, created_at=row.began_at, way=Way(row.way)
    )
