"""Who is in a team: one way to change it, whoever says so.

People are in teams by hand, by a claim of their login, or by a directory (SCIM). Each source has
rows of its own and changes no other's; ``model.in_force`` says which counts. Whoever spends for a
team no longer, by all that is said, loses the keys that do; an organisation keeps its last owner.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trivium.identity.errors import IdentityError
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams import store
from trivium.identity.teams.model import SPENDING, Member, MemberSource, Roles, TeamMap, TeamRole
from trivium.observe.audit.model import ActKind, Detail
from trivium.storage.database import Connection


class MemberOrigin(NamedTuple):
    """Who says that people are members."""

    source: MemberSource
    via: str = ""


BY_HAND = MemberOrigin(MemberSource.MANUAL)


class TeamsFollowed(NamedTuple):
    """What became of a person's teams."""

    changed: int
    """How many of them."""
    kept: tuple[int, ...]
    """Organisations whose last owner they are: nothing was changed there."""


async def roles_of(conn: Connection, user_id: int) -> dict[int, TeamRole]:
    """A user's roles by team, those that count."""
    return {each.team_id: each.role for each in await store.memberships(conn, user_id)}


def may_spend(roles: Roles, teams: TeamMap, team_id: int) -> bool:
    """Whether these roles let somebody have keys of a team."""
    return any(roles.get(team.id) in SPENDING for team in teams.above(team_id))


async def follow(
    conn: Connection,
    teams: TeamMap,
    user_id: int,
    origin: MemberOrigin,
    wanted: Mapping[int, TeamRole],
    raised: int,
    now: int,
    log_act: LogAct = log_nothing,
) -> TeamsFollowed:
    """Make a user a member of just these teams, as far as this source says. ``raised``: the
    revision, whose row is held.
    """
    present = said_by(await store.said_of(conn, user_id), origin)
    changed = [
        team_id
        for team_id in (wanted.keys() | present.keys())
        if wanted.get(team_id) is not present.get(team_id)
    ]
    before = await roles_of(conn, user_id)
    kept = []
    for team_id in sorted(changed):
        role = wanted.get(team_id)
        await _put(conn, team_id, user_id, origin, role, now)
        if not await _has_owner(conn, teams, team_id, before):
            await _put(conn, team_id, user_id, origin, present.get(team_id), now)
            kept.append(team_id)
            continue
        await _log(conn, team_id, user_id, origin, role, log_act)
    done = [team_id for team_id in changed if team_id not in kept]
    await end_lost_keys(conn, teams, user_id, done, raised)
    return TeamsFollowed(len(done), tuple(kept))


def said_by(rows: Iterable[Member], origin: MemberOrigin) -> dict[int, TeamRole]:
    """The roles by team that one source says."""
    return {each.team_id: each.role for each in rows if (each.source, each.via) == origin}


async def end_lost_keys(
    conn: Connection, teams: TeamMap, user_id: int, team_ids: Iterable[int], raised: int
) -> None:
    """Revoke the keys of theirs that spend for these teams and those below, where no role of
    theirs lets them any more: requests that run end, and are billed, as they began.
    """
    roles = await roles_of(conn, user_id)
    below = {each for team_id in team_ids for each in teams.below(team_id)}
    lost = [each for each in sorted(below) if not may_spend(roles, teams, each)]
    if lost:
        await store.end_keys(conn, lost, user_id, raised)


async def check_owner(conn: Connection, teams: TeamMap, team_id: int) -> None:
    """Raise ``IdentityError`` (``role``) when an organisation that they owned has no owner now."""
    team = teams.get(team_id)
    if team is not None and not await _owned(conn, teams, team_id):
        raise IdentityError("role", f"{team.name} would have no owner; appoint another first")


async def _has_owner(conn: Connection, teams: TeamMap, team_id: int, before: Roles) -> bool:
    return before.get(team_id) is not TeamRole.OWNER or await _owned(conn, teams, team_id)


async def _owned(conn: Connection, teams: TeamMap, team_id: int) -> bool:
    team = teams.get(team_id)
    if team is None or team.parent_id is not None:
        return True
    own = await store.members_of(conn, [team_id])
    return any(each.role is TeamRole.OWNER for each, _ in own)


async def say(
    conn: Connection,
    team_id: int,
    user_id: int,
    origin: MemberOrigin,
    role: TeamRole | None,
    now: int,
    log_act: LogAct = log_nothing,
) -> None:
    """Store what one source says of somebody in a team, ``None``: that they are no member; keys
    stay as they are.
    """
    await _put(conn, team_id, user_id, origin, role, now)
    await _log(conn, team_id, user_id, origin, role, log_act)


async def _put(
    conn: Connection,
    team_id: int,
    user_id: int,
    origin: MemberOrigin,
    role: TeamRole | None,
    now: int,
) -> None:
    if role is None:
        await store.drop_member(conn, team_id, user_id, origin.source, origin.via)
        return
    member = Member(
        team_id=team_id,
        user_id=user_id,
        role=role,
        source=origin.source,
        via=origin.via,
        created_at=now,
    )
    await store.put_member(conn, member)


async def _log(
    conn: Connection,
    team_id: int,
    user_id: int,
    origin: MemberOrigin,
    role: TeamRole | None,
    log_act: LogAct,
) -> None:
    detail: Detail = {"user": user_id, "source": origin.source.value}
    kind = ActKind.TEAM_MEMBER_REMOVED
    if role is not None:
        kind, detail = ActKind.TEAM_MEMBER, {**detail, "role": role.value}
    await log_act(conn, kind, user_id, f"team:{team_id}", detail)
