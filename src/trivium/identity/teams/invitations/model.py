"""Invitations to teams, as their managers and the invited see them. Pure."""

from typing import Final

import msgspec

from trivium.identity.teams.model import TeamRole

LIFETIME_S: Final = 7 * 86_400
OPEN_MAX: Final = 100
"""Of one team that can still be used."""
A_DAY_MAX: Final = 50
"""Made for one team within a day."""
DAY_S: Final = 86_400


class TeamInvitation(msgspec.Struct, frozen=True, kw_only=True):
    """Permission to become a member. Times are seconds since the epoch."""

    id: int
    team_id: int
    email: str
    role: TeamRole
    invited_by: int | None
    """``None``: the operator."""
    created_at: int
    expires_at: int


class InvitedTo(msgspec.Struct, frozen=True, kw_only=True):
    """What a link holds, for whoever has the letter."""

    team: str
    role: TeamRole
    email: str
