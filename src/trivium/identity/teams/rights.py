"""Who may do what in which team: one table. Pure."""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final

import msgspec

from trivium.identity.teams.model import TeamMap, TeamRole


@unique
class TeamAction(Enum):
    """What is done in a team."""

    SEE = "see"
    """The team, its members, its keys without their secrets, its budgets."""
    SEE_SPENDING = "see_spending"
    """Statements of the whole team."""
    USE = "use"
    """Keys of one's own that spend for it."""
    MANAGE_KEYS = "manage_keys"
    """Keys of others, and service accounts."""
    MANAGE_MEMBERS = "manage_members"
    MANAGE_BUDGETS = "manage_budgets"
    """Of the team's members, tags, service accounts, and of the teams below it."""
    MANAGE_TEAM = "manage_team"
    """Teams below it, who owns it, and whether its keys work at all."""
    FUND = "fund"
    """Its own balance, budgets, models and limits, which the team above decides about."""

    __hash__ = object.__hash__


_SEEING: Final = frozenset({TeamAction.SEE, TeamAction.SEE_SPENDING})
_MANAGING: Final = _SEEING | {
    TeamAction.USE,
    TeamAction.MANAGE_KEYS,
    TeamAction.MANAGE_MEMBERS,
    TeamAction.MANAGE_BUDGETS,
}
RIGHTS: Final[Mapping[TeamRole, frozenset[TeamAction]]] = {
    TeamRole.OWNER: _MANAGING | {TeamAction.MANAGE_TEAM},
    TeamRole.MANAGER: _MANAGING,
    TeamRole.MEMBER: frozenset({TeamAction.SEE, TeamAction.USE}),
    TeamRole.BILLING: _SEEING,
}
"""What each role may do in its team and in those below."""


class TeamActor(msgspec.Struct, frozen=True, kw_only=True):
    """Whoever wants to do something."""

    user_id: int
    is_admin: bool = False
    """An administrator of the gateway: may do everything, everywhere."""
    roles: Mapping[int, TeamRole] = msgspec.field(default_factory=dict)
    """By the ids of teams."""


def may(actor: TeamActor, action: TeamAction, teams: TeamMap, team_id: int) -> bool:
    """Whether somebody may do something in a team. A role holds in the teams below, too; the money
    of a team and its own budgets are of whoever owns one above it.
    """
    if actor.is_admin:
        return teams.get(team_id) is not None
    for depth, team in enumerate(teams.above(team_id)):
        role = actor.roles.get(team.id)
        if role is None:
            continue
        if action is TeamAction.FUND:
            if depth and role is TeamRole.OWNER:
                return True
        elif action in RIGHTS[role]:
            return True
    return False


def may_appoint(actor: TeamActor, role: TeamRole, teams: TeamMap, team_id: int) -> bool:
    """Whether somebody may give that role in a team, or take it: owners are made by owners."""
    action = TeamAction.MANAGE_TEAM if role is TeamRole.OWNER else TeamAction.MANAGE_MEMBERS
    return may(actor, action, teams, team_id)
