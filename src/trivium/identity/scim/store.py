"""Tokens, people and groups of directories in SQL.

Every function works in the transaction it is given.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, and_, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import UserRole
from trivium.identity.scim.filters import Filter
from trivium.identity.scim.model import ScimGroup, ScimProfile, ScimToken, ScimUser
from trivium.identity.scim.search.store import group_condition, user_condition
from trivium.identity.teams.model import DEPTH_MAX, MemberSource
from trivium.storage.schema.core import users
from trivium.storage.schema.scim import scim_groups as groups
from trivium.storage.schema.scim import scim_tokens as tokens
from trivium.storage.schema.scim import scim_users as people
from trivium.storage.schema.teams import team_members, teams
from trivium.storage.structs import struct_of, values_of

CHUNK: Final = 500
"""Ids of one statement."""
_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_PROFILE: Final = tuple(
    name for name in ScimProfile.__struct_fields__ if name not in ("email", "active")
)


# --- tokens -----------------------------------------------------------------------------------


async def insert_token(conn: AsyncConnection, token: ScimToken, digest: bytes) -> int:
    """A new token; its id."""
    domains = msgspec.json.encode(token.domains).decode()
    values = values_of(token, "id", digest=digest, domains=domains)
    made = insert(tokens).values(values).returning(tokens.c.id)
    return int((await conn.execute(made)).scalar_one())


async def token_of(conn: AsyncConnection, digest: bytes) -> tuple[ScimToken, bool] | None:
    """The token of a digest, and whether its team or one above is switched off."""
    query = select(tokens).where(tokens.c.digest == digest)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else (_token(row), await _is_off(conn, row.directory_id))


async def _is_off(conn: AsyncConnection, team_id: int) -> bool:
    at: int | None = team_id
    for _ in range(DEPTH_MAX):
        query = select(teams.c.parent_id, users.c.disabled).join_from(
            teams, users, users.c.id == teams.c.id
        )
        row = (await conn.execute(query.where(teams.c.id == at))).one()
        if row.disabled or row.parent_id is None:
            return bool(row.disabled)
        at = row.parent_id
    return False


async def tokens_of(conn: AsyncConnection, directory_id: int | None) -> list[ScimToken]:
    """The tokens of a directory, or all, in the order they were made."""
    query = select(tokens).order_by(tokens.c.id)
    if directory_id is not None:
        query = query.where(tokens.c.directory_id == directory_id)
    return [_token(row) for row in await conn.execute(query)]


async def newest_tokens(conn: AsyncConnection, before: int | None, limit: int) -> list[ScimToken]:
    """The newest tokens of all directories, ended ones too; ``before``: an id to go on from."""
    query = select(tokens).order_by(tokens.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tokens.c.id < before)
    return [_token(row) for row in await conn.execute(query)]


async def touch_token(conn: AsyncConnection, token_id: int, now: int) -> None:
    """Store when a token was used."""
    await conn.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=now))


async def end_token(conn: AsyncConnection, token_id: int, now: int) -> bool:
    """Refuse a token from now on; whether it was there and not revoked."""
    live = (tokens.c.id == token_id) & tokens.c.revoked_at.is_(None)
    return (await conn.execute(update(tokens).where(live).values(revoked_at=now))).rowcount == 1


def _token(row: Any) -> ScimToken:
    return struct_of(ScimToken, row, domains=_texts(row.domains))


# --- people -----------------------------------------------------------------------------------


def _theirs(directory_id: int) -> ColumnElement[bool]:
    """The people whom a directory sees: an administrator is not there for any."""
    return and_(
        people.c.directory_id == directory_id,
        people.c.gone_at.is_(None),
        users.c.role != UserRole.ADMIN.value,
    )


_USER: Final = select(people, users.c.email, users.c.disabled, users.c.name).join_from(
    people, users, users.c.id == people.c.user_id
)


async def find_user(conn: AsyncConnection, directory_id: int, user_id: int) -> ScimUser | None:
    """One person of a directory."""
    query = _USER.where(_theirs(directory_id), people.c.user_id == user_id)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else (await _users(conn, directory_id, [row]))[0]


async def page_users(
    conn: AsyncConnection, directory_id: int, wanted: Filter | None, start: int, count: int
) -> tuple[list[ScimUser], int]:
    """People of a directory from the ``start``-th on, and how many there are."""
    where = _theirs(directory_id)
    if wanted is not None:
        where = and_(where, user_condition(wanted))
    total = await conn.scalar(
        select(func.count())
        .select_from(people)
        .join(users, users.c.id == people.c.user_id)
        .where(where)
    )
    page = _USER.where(where).order_by(people.c.user_id).offset(start - 1).limit(count)
    rows = (await conn.execute(page)).all() if count else []
    return await _users(conn, directory_id, rows), int(total or 0)


async def _users(conn: AsyncConnection, directory_id: int, rows: Sequence[Any]) -> list[ScimUser]:
    ids = [row.user_id for row in rows]
    query = (
        select(team_members.c.user_id, groups.c.team_id, groups.c.display_name)
        .join_from(team_members, groups, groups.c.team_id == team_members.c.team_id)
        .where(
            *_provided(directory_id),
            groups.c.directory_id == directory_id,
            groups.c.gone_at.is_(None),
            team_members.c.user_id.in_(ids),
        )
        .order_by(groups.c.team_id)
    )
    own: dict[int, list[tuple[int, str]]] = {}
    for row in (await conn.execute(query)) if ids else ():
        own.setdefault(row.user_id, []).append((row.team_id, row.display_name))
    return [
        ScimUser(
            id=row.user_id,
            profile=ScimProfile(
                email=row.email or "",
                active=not row.disabled,
                **{name: getattr(row, name) for name in _PROFILE},
            ),
            locked=row.locked,
            made_here=row.made_here,
            created_at=row.created_at,
            changed_at=row.changed_at,
            groups=tuple(own.get(row.user_id, ())),
        )
        for row in rows
    ]


class ScimRow(msgspec.Struct, frozen=True):
    """What is kept of a person whom a directory brought, whether or not it sees them now."""

    user_id: int
    directory_id: int
    active: bool
    locked: bool
    made_here: bool
    gone: bool


async def row_of(
    conn: AsyncConnection, *, user_id: int | None = None, key: tuple[int, str] | None = None
) -> ScimRow | None:
    """The row of a user, or of a directory's case-folded name for one."""
    query = select(people)
    if user_id is not None:
        query = query.where(people.c.user_id == user_id)
    elif key is not None:
        query = query.where(people.c.directory_id == key[0], people.c.user_name_key == key[1])
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else struct_of(ScimRow, row, gone=row.gone_at is not None)


async def put_user(
    conn: AsyncConnection, user_id: int, values: dict[str, Any], *, is_new: bool
) -> None:
    """Store columns of a person."""
    query = update(people).where(people.c.user_id == user_id).values(values)
    await conn.execute(insert(people).values(user_id=user_id, **values) if is_new else query)


async def set_address(
    conn: AsyncConnection, user_id: int, email: str, verified_at: int | None
) -> None:
    """Another address of an account."""
    values = {"email": email, "email_verified_at": verified_at}
    await conn.execute(update(users).where(users.c.id == user_id).values(values))


def profile_columns(profile: ScimProfile) -> dict[str, Any]:
    """What is kept of what a directory says about a person."""
    found = {name: getattr(profile, name) for name in _PROFILE}
    return {**found, "user_name_key": profile.user_name.casefold(), "active": profile.active}


# --- groups -----------------------------------------------------------------------------------


def _shown(directory_id: int) -> ColumnElement[bool]:
    return and_(groups.c.directory_id == directory_id, groups.c.gone_at.is_(None))


def _provided(directory_id: int) -> tuple[ColumnElement[bool], ...]:
    return (
        team_members.c.source == MemberSource.SCIM.value,
        team_members.c.via == str(directory_id),
    )


async def find_group(conn: AsyncConnection, directory_id: int, team_id: int) -> ScimGroup | None:
    """One group of a directory, without its members."""
    query = select(groups).where(_shown(directory_id), groups.c.team_id == team_id)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _group(row)


async def page_groups(
    conn: AsyncConnection, directory_id: int, wanted: Filter | None, start: int, count: int
) -> tuple[list[ScimGroup], int]:
    """Groups of a directory from the ``start``-th on, without members, and how many there are."""
    where = _shown(directory_id)
    if wanted is not None:
        where = and_(where, group_condition(wanted))
    total = await conn.scalar(select(func.count()).select_from(groups).where(where))
    page = select(groups).where(where).order_by(groups.c.team_id).offset(start - 1).limit(count)
    rows = (await conn.execute(page)).all() if count else []
    return [_group(row) for row in rows], int(total or 0)


async def group_named(conn: AsyncConnection, directory_id: int, display_key: str) -> int | None:
    """The team that a directory has as a group of that case-folded name."""
    query = select(groups.c.team_id).where(
        groups.c.directory_id == directory_id, groups.c.display_key == display_key
    )
    found: int | None = await conn.scalar(query)
    return found


async def directory_of_group(conn: AsyncConnection, team_id: int) -> tuple[int, bool] | None:
    """Whose group a team is, and whether that directory has deleted it; ``None``: nobody's."""
    query = select(groups.c.directory_id, groups.c.gone_at).where(groups.c.team_id == team_id)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else (row.directory_id, row.gone_at is not None)


async def put_group(
    conn: AsyncConnection, team_id: int, values: dict[str, Any], *, is_new: bool
) -> None:
    """Store columns of a group."""
    query = update(groups).where(groups.c.team_id == team_id).values(values)
    await conn.execute(insert(groups).values(team_id=team_id, **values) if is_new else query)


async def member_counts(
    conn: AsyncConnection, directory_id: int, team_ids: Sequence[int]
) -> dict[int, int]:
    """How many members a directory has put into each of these teams."""
    query = (
        select(team_members.c.team_id, func.count())
        .where(*_provided(directory_id), team_members.c.team_id.in_(team_ids))
        .group_by(team_members.c.team_id)
    )
    return {team_id: int(n) for team_id, n in await conn.execute(query)}


async def members(
    conn: AsyncConnection, directory_id: int, team_ids: Sequence[int]
) -> dict[int, list[tuple[int, str]]]:
    """Ids and names of the people whom a directory has put into each of these teams."""
    query = (
        select(team_members.c.team_id, team_members.c.user_id, people.c.user_name)
        .join_from(team_members, people, people.c.user_id == team_members.c.user_id)
        .join(users, users.c.id == people.c.user_id)
        .where(*_provided(directory_id), _theirs(directory_id))
        .where(team_members.c.team_id.in_(team_ids))
        .order_by(team_members.c.user_id)
    )
    found: dict[int, list[tuple[int, str]]] = {team_id: [] for team_id in team_ids}
    for row in await conn.execute(query):
        found[row.team_id].append((row.user_id, row.user_name))
    return found


async def known(conn: AsyncConnection, directory_id: int, user_ids: Sequence[int]) -> set[int]:
    """Which of these are people of a directory."""
    found: set[int] = set()
    for at in range(0, len(user_ids), CHUNK):
        query = (
            select(people.c.user_id)
            .join(users, users.c.id == people.c.user_id)
            .where(_theirs(directory_id), people.c.user_id.in_(user_ids[at : at + CHUNK]))
        )
        found |= {row.user_id for row in await conn.execute(query)}
    return found


def _group(row: Any) -> ScimGroup:
    return struct_of(ScimGroup, row, id=row.team_id, members=None)
