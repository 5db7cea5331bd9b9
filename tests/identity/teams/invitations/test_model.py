"""Invitations have bounds that make sense together."""

from trivium.identity.teams.invitations.model import A_DAY_MAX, LIFETIME_S, OPEN_MAX, InvitedTo
from trivium.identity.teams.model import TeamRole


def test_bounds():
    """More can be open than are made in a day, and fewer than in a lifetime."""
    assert A_DAY_MAX < OPEN_MAX < A_DAY_MAX * LIFETIME_S / 86_400
    assert "acme" == InvitedTo(team="acme", role=TeamRole.MEMBER, email="a@x.org").team
