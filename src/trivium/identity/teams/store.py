"""Teams, members and budgets in SQL. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import case, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.model import User, UserKind
from trivium.identity.store import insert_user, user_of
from trivium.identity.teams.model import (
    Member,
    MemberSource,
    Team,
    TeamMap,
    TeamRole,
    in_force,
)
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import limits
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.core import keys, revision, users
from trivium.storage.schema.teams import budgets, team_members, teams
from trivium.storage.structs import struct_of, values_of

_texts: Final = msgspec.json.Decoder(tuple[str, ...]).decode
TEAM_COLUMNS: Final = (
    *teams.c,
    users.c.name,
    users.c.price_group,
    users.c.disabled,
    users.c.unlimited,
    users.c.requests_per_minute,
    users.c.tokens_per_minute,
    users.c.max_concurrency,
)


_TEAMS: Final = (
    select(*TEAM_COLUMNS).join_from(teams, users, teams.c.id == users.c.id).order_by(teams.c.id)
)


async def find_teams(conn: AsyncConnection) -> TeamMap:
    """All teams, and the budgets of whatever is no key."""
    found = [team_of(row) for row in await conn.execute(_TEAMS)]
    return TeamMap(found, await find_budgets(conn))


async def changed_at(conn: AsyncConnection) -> tuple[int, int]:
    """The revisions of the last change of any team, and of any budget that is no key's."""
    is_team = users.c.kind == UserKind.TEAM.value
    newest = select(func.coalesce(func.max(users.c.revision), 0)).where(is_team).scalar_subquery()
    row = (await conn.execute(select(newest, revision.c.budgets))).one()
    return int(row[0]), int(row[1])


async def teams_after(conn: AsyncConnection, team_id: int, limit: int) -> list[Team]:
    """The next teams by their ids."""
    query = _TEAMS.where(teams.c.id > team_id).limit(limit)
    return [team_of(row) for row in await conn.execute(query)]


async def budgets_after(
    conn: AsyncConnection, budget_id: int, limit: int
) -> tuple[list[Budget], int]:
    """The next budgets of whatever is no key, and the id of the last."""
    query = select(budgets).where(budgets.c.id > budget_id).order_by(budgets.c.id).limit(limit)
    rows = list(await conn.execute(query))
    return [budget_of(row) for row in rows], rows[-1].id if rows else budget_id


async def name_and_parent(conn: AsyncConnection, team_id: int) -> tuple[str, int | None] | None:
    """What a team is called, and which is above it; ``None``: there is none of this id."""
    query = select(users.c.name, teams.c.parent_id).join_from(
        teams, users, teams.c.id == users.c.id
    )
    row = (await conn.execute(query.where(teams.c.id == team_id))).one_or_none()
    return None if row is None else (row[0], row[1])


def team_of(row: Any) -> Team:
    """A row of ``TEAM_COLUMNS`` as a team."""
    return struct_of(
        Team,
        row,
        models=_texts(row.models),
        group=row.price_group,
        limits=limits(row.requests_per_minute, row.tokens_per_minute, row.max_concurrency),
    )


async def find_budgets(conn: AsyncConnection, scopes: Sequence[str] | None = None) -> list[Budget]:
    """Budgets of these scopes, or all."""
    query = select(budgets).order_by(budgets.c.scope, budgets.c.id)
    if scopes is not None:
        query = query.where(budgets.c.scope.in_(scopes))
    return [budget_of(row) for row in await conn.execute(query)]


def budget_of(row: Any) -> Budget:
    """A row of ``budgets`` as a budget."""
    return struct_of(Budget, row, period=Period(row.period), whose="")


async def put_budget(conn: AsyncConnection, budget: Budget) -> None:
    """Set the budget of a scope for its period. The revision must be raised."""
    values = values_of(budget, "whose")
    put = upsert(conn, budgets).values(values)
    kept = {name: value for name, value in values.items() if name not in ("scope", "period")}
    # the same budget with another amount; in another zone its periods are others
    is_same = budgets.c.zone == put.excluded.zone
    kept["since"] = case((is_same, budgets.c.since), else_=put.excluded.since)
    await conn.execute(put.on_conflict_do_update(index_elements=["scope", "period"], set_=kept))
    await conn.execute(_CHANGED)


async def drop_budget(conn: AsyncConnection, scope: str, period: str) -> bool:
    """End the budget of a scope for a period; whether there was one. The revision must be raised,
    as before ``put_budget``.
    """
    gone = delete(budgets).where(budgets.c.scope == scope, budgets.c.period == period)
    await conn.execute(_CHANGED)
    return bool((await conn.execute(gone)).rowcount)


_CHANGED: Final = update(revision).values(budgets=revision.c.value)


async def insert_team(conn: AsyncConnection, team: Team, raised: int) -> int:
    """Store a team, whose id is ignored, with its account; returns the new id."""
    account = User(
        id=0,
        name=team.name,
        email="",
        kind=UserKind.TEAM,
        unlimited=team.unlimited,
        group=team.group,
        created_at=team.created_at,
        limits=team.limits,
    )
    team_id = await insert_user(conn, account, raised)
    values = {
        "id": team_id,
        "parent_id": team.parent_id,
        "title": team.title,
        "has_wallet": team.has_wallet,
        "models": _json(team.models),
        "claim": team.claim,
        "created_at": team.created_at,
    }
    await conn.execute(insert(teams).values(values))
    return team_id


async def update_team(conn: AsyncConnection, team: Team, raised: int) -> None:
    """Store what was changed of a team."""
    own = {"has_wallet": team.has_wallet, "models": _json(team.models), "claim": team.claim}
    await conn.execute(update(teams).where(teams.c.id == team.id).values(own))
    of = team.limits
    account = {
        "price_group": team.group,
        "unlimited": team.unlimited,
        "disabled": team.disabled,
        "requests_per_minute": of and of.requests,
        "tokens_per_minute": of and of.tokens,
        "max_concurrency": of and of.concurrency,
        "revision": raised,
    }
    await conn.execute(update(users).where(users.c.id == team.id).values(account))


async def touch_keys(conn: AsyncConnection, team_ids: Sequence[int], raised: int) -> None:
    """Give the keys of these teams the revision, so that snapshots read them again."""
    own = keys.c.team_id.in_(team_ids)
    await conn.execute(update(keys).where(own).values(revision=raised))


async def put_member(conn: AsyncConnection, member: Member) -> None:
    """Store what a source says of a member, or another role by it."""
    values = values_of(member)
    put = upsert(conn, team_members).values(values)
    whose = ["team_id", "user_id", "source", "via"]
    await conn.execute(
        put.on_conflict_do_update(index_elements=whose, set_={"role": values["role"]})
    )


async def drop_member(
    conn: AsyncConnection,
    team_id: int,
    user_id: int,
    source: MemberSource | None = None,
    via: str = "",
) -> bool:
    """End a membership, or what one source says of it; whether there was one."""
    gone = delete(team_members).where(
        team_members.c.team_id == team_id, team_members.c.user_id == user_id
    )
    if source is not None:
        gone = gone.where(team_members.c.source == source.value, team_members.c.via == via)
    return bool((await conn.execute(gone)).rowcount)


async def end_keys(
    conn: AsyncConnection, team_ids: Sequence[int], user_id: int, raised: int
) -> int:
    """Revoke a user's keys that spend for these teams; how many there were."""
    own = keys.c.team_id.in_(team_ids) & (keys.c.user_id == user_id) & keys.c.disabled.is_(False)
    gone = update(keys).where(own).values(disabled=True, revision=raised)
    return (await conn.execute(gone)).rowcount


async def members_of(conn: AsyncConnection, team_ids: Sequence[int]) -> list[tuple[Member, User]]:
    """Members of these teams with their accounts, in the order they came; of several sources the
    one that counts.
    """
    return await members_among(conn, team_ids)


async def members_among(
    conn: AsyncConnection, team_ids: Sequence[int], user_ids: Sequence[int] | None = None
) -> list[tuple[Member, User]]:
    """The same of these users alone; ``None``: of all."""
    query = (
        select(users, *(column.label(f"of_{column.name}") for column in team_members.c))
        .join_from(team_members, users, team_members.c.user_id == users.c.id)
        .where(team_members.c.team_id.in_(team_ids))
        .order_by(team_members.c.team_id, team_members.c.created_at, users.c.id)
    )
    if user_ids is not None:
        query = query.where(team_members.c.user_id.in_(user_ids))
    found: list[Member] = []
    people: dict[int, Any] = {}
    for row in await conn.execute(query):
        member = Member(
            team_id=row.of_team_id,
            user_id=row.of_user_id,
            role=TeamRole(row.of_role),
            source=MemberSource(row.of_source),
            via=row.of_via,
            created_at=row.of_created_at,
        )
        found.append(member)
        people.setdefault(member.user_id, row)
    return [(member, user_of(people[member.user_id])) for member in in_force(found)]


async def member_count(conn: AsyncConnection, team_id: int, but: int) -> int:
    """How many members a team has beside this one."""
    query = select(func.count(team_members.c.user_id.distinct())).where(
        team_members.c.team_id == team_id, team_members.c.user_id != but
    )
    return int(await conn.scalar(query) or 0)


async def memberships(conn: AsyncConnection, user_id: int) -> list[Member]:
    """The teams that a user is in; of several sources the one that counts."""
    return in_force(await said_of(conn, user_id))


async def said_of(conn: AsyncConnection, user_id: int) -> list[Member]:
    """What every source says of a user's teams."""
    query = select(team_members).where(team_members.c.user_id == user_id)
    return [
        struct_of(Member, row, role=TeamRole(row.role), source=MemberSource(row.source))
        for row in await conn.execute(query.order_by(team_members.c.team_id))
    ]


async def services_of(conn: AsyncConnection, team_ids: Sequence[int]) -> list[User]:
    """The service accounts of these teams."""
    own = (users.c.kind == UserKind.SERVICE.value) & users.c.team_id.in_(team_ids)
    return [user_of(row) for row in await conn.execute(select(users).where(own))]


async def name_taken(conn: AsyncConnection, name: str) -> bool:
    """Whether a user, a team or a service account has that name."""
    query = select(users.c.id).where(users.c.name == name)
    return await conn.scalar(query.limit(1)) is not None


def _json(texts: Sequence[str]) -> str:
    return msgspec.json.encode(texts).decode()
