"""Teams, members and budgets in SQL, by the page. Every function works in the transaction it is
given.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import User, UserKind
from trivium.identity.store import user_of
from trivium.identity.teams.model import (
    DEPTH_MAX,
    EVERYWHERE,
    TAG_MARK,
    Member,
    Team,
    team_scope,
)
from trivium.identity.teams.store import TEAM_COLUMNS, budget_of, members_among, team_of
from trivium.settings.budget import Budget
from trivium.storage.schema.core import users
from trivium.storage.schema.teams import budgets, team_members, teams

_TEAMS: Final = select(*TEAM_COLUMNS).join_from(teams, users, teams.c.id == users.c.id)


async def chain(conn: AsyncConnection, team_id: int) -> list[Team]:
    """A team and those above it, the organisation last; empty where there is none."""
    found: list[Team] = []
    at: int | None = team_id
    while at is not None and len(found) < DEPTH_MAX:
        row = (await conn.execute(_TEAMS.where(teams.c.id == at))).one_or_none()
        if row is None:
            break
        found.append(team_of(row))
        at = row.parent_id
    return found


async def by_name(
    conn: AsyncConnection,
    search: str,
    after: str,
    limit: int,
    parent_id: int | None = None,
    within: Sequence[int] | None = None,
) -> list[Team]:
    """Teams in the order of their names, after that name, whose name holds the text; with
    ``parent_id`` only those right below that team, with ``within`` only these teams and
    those below them.
    """
    query = _TEAMS.where(users.c.name > after).order_by(users.c.name).limit(limit)
    if search:
        query = query.where(users.c.name.icontains(search, autoescape=True))
    if parent_id is not None:
        query = query.where(teams.c.parent_id == parent_id)
    if within is not None:
        seen = select(teams.c.id).where(teams.c.id.in_(within)).cte("seen", recursive=True)
        lower = select(teams.c.id).join(seen, teams.c.parent_id == seen.c.id)
        query = query.where(teams.c.id.in_(select(seen.union(lower).c.id)))
    return [team_of(row) for row in await conn.execute(query)]


async def of_names(conn: AsyncConnection, names: Sequence[str]) -> list[Team]:
    """The teams of these whole names."""
    return [team_of(row) for row in await conn.execute(_TEAMS.where(users.c.name.in_(names)))]


async def teams_of(conn: AsyncConnection, team_ids: Sequence[int]) -> list[Team]:
    """These teams, in the order of their names."""
    query = _TEAMS.where(teams.c.id.in_(team_ids)).order_by(users.c.name)
    return [team_of(row) for row in await conn.execute(query)]


async def below(conn: AsyncConnection, team_id: int) -> list[int]:
    """The ids of a team and of all that are below it."""
    found, at = [team_id], [team_id]
    for _ in range(DEPTH_MAX):
        query = select(teams.c.id).where(teams.c.parent_id.in_(at))
        at = [int(each) for each in await conn.scalars(query)]
        found += at
        if not at:
            break
    return found


async def members(
    conn: AsyncConnection, team_id: int, search: str, after: int, limit: int
) -> list[tuple[Member, User]]:
    """Members of a team after that user id whose name or address holds the text."""
    listed = (
        select(team_members.c.user_id)
        .where(team_members.c.team_id == team_id, team_members.c.user_id > after)
        .group_by(team_members.c.user_id)
        .order_by(team_members.c.user_id)
        .limit(limit)
    )
    if search:
        listed = listed.join(users, users.c.id == team_members.c.user_id).where(
            or_(
                users.c.name.icontains(search, autoescape=True),
                users.c.email.icontains(search, autoescape=True),
            )
        )
    ids = [int(each) for each in await conn.scalars(listed)]
    found = await members_among(conn, [team_id], ids) if ids else []
    return sorted(found, key=lambda each: each[1].id)


async def member_count(conn: AsyncConnection, team_id: int) -> int:
    """How many people are in a team."""
    query = select(func.count(team_members.c.user_id.distinct()))
    return int(await conn.scalar(query.where(team_members.c.team_id == team_id)) or 0)


async def member(conn: AsyncConnection, team_id: int, user_id: int) -> tuple[Member, User] | None:
    """Somebody in a team, as the source that counts has it; ``None``: they are not in it."""
    found = await members_among(conn, [team_id], [user_id])
    return found[0] if found else None


async def services(
    conn: AsyncConnection, team_id: int, after: int, limit: int, search: str
) -> list[User]:
    """Service accounts of a team after that id whose name holds the text."""
    query = (
        select(users)
        .where(
            users.c.kind == UserKind.SERVICE.value, users.c.team_id == team_id, users.c.id > after
        )
        .order_by(users.c.id)
        .limit(limit)
    )
    if search:
        query = query.where(users.c.name.icontains(search, autoescape=True))
    return [user_of(row) for row in await conn.execute(query)]


async def named(conn: AsyncConnection, user_ids: Sequence[int]) -> dict[int, str]:
    """What accounts of these ids are called: people, teams, service accounts."""
    query = select(users.c.id, users.c.name).where(users.c.id.in_(user_ids))
    return {row.id: row.name for row in await conn.execute(query)}


async def budgets_after(
    conn: AsyncConnection, team_id: int | None, after: int, limit: int
) -> list[tuple[int, Budget]]:
    """Budgets after that id, each with its own: of a team, its members, its service accounts and
    its tags; with ``None`` those of tags everywhere.
    """
    query = select(budgets).where(budgets.c.id > after).order_by(budgets.c.id).limit(limit)
    return await _budgets(conn, query.where(_inside(team_id)))


async def budgets_everywhere(
    conn: AsyncConnection, after: int, limit: int
) -> list[tuple[int, Budget]]:
    """All budgets of whatever is no key, after that id, each with its own."""
    query = select(budgets).where(budgets.c.id > after).order_by(budgets.c.id).limit(limit)
    return await _budgets(conn, query)


async def _budgets(conn: AsyncConnection, query: Any) -> list[tuple[int, Budget]]:
    return [(int(row.id), budget_of(row)) for row in await conn.execute(query)]


def _inside(team_id: int | None) -> ColumnElement[bool]:
    if team_id is None:
        return budgets.c.scope.startswith(f"{EVERYWHERE}{TAG_MARK}", autoescape=True)
    own = team_scope(team_id)
    return or_(
        budgets.c.scope == own,
        budgets.c.scope.startswith(f"{own}{TAG_MARK}", autoescape=True),
        budgets.c.scope.startswith(f"member:{team_id}:", autoescape=True),
    )
