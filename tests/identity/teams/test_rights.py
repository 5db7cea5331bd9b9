"""Who may do what in which team: the whole table, role by role and place by place."""

import pytest

from trivium.identity.teams.model import Team, TeamMap, TeamRole
from trivium.identity.teams.rights import TeamAction, TeamActor, may, may_appoint

TEAMS = TeamMap(
    [
        Team(id=1, name="o", title="o", has_wallet=True),
        Team(id=2, name="o/t", title="t", parent_id=1),
        Team(id=3, name="o/t/u", title="u", parent_id=2),
        Team(id=4, name="o/v", title="v", parent_id=1),
    ],
    (),
)
SEEING = {"see", "see_spending"}
MANAGING = SEEING | {"use", "manage_keys", "manage_members", "manage_budgets"}
OWNING = MANAGING | {"manage_team"}
EVERYTHING = {action.value for action in TeamAction}
# role in team 2 -> what may be done above (1), there (2), below (3), beside (4)
MATRIX = {
    TeamRole.OWNER: (set(), OWNING, OWNING | {"fund"}, set()),
    TeamRole.MANAGER: (set(), MANAGING, MANAGING, set()),
    TeamRole.MEMBER: (set(), {"see", "use"}, {"see", "use"}, set()),
    TeamRole.BILLING: (set(), SEEING, SEEING, set()),
}


@pytest.mark.parametrize("role", TeamRole)
def test_a_role_holds_in_its_team_and_below(role):
    """Never above or beside it."""
    actor = TeamActor(user_id=9, roles={2: role})
    found = tuple(
        {action.value for action in TeamAction if may(actor, action, TEAMS, team_id)}
        for team_id in (1, 2, 3, 4)
    )
    assert MATRIX[role] == found


def test_an_administrator_may_do_everything_where_there_is_a_team():
    """A stranger nothing."""
    boss, stranger = TeamActor(user_id=1, is_admin=True), TeamActor(user_id=9)
    for action in TeamAction:
        assert [True, True, True, True, False] == [
            may(boss, action, TEAMS, team_id) for team_id in (1, 2, 3, 4, 5)
        ]
        assert not any(may(stranger, action, TEAMS, team_id) for team_id in (1, 2, 3, 4, 5))


@pytest.mark.parametrize(
    ("own", "given", "is_allowed"),
    [
        (TeamRole.OWNER, TeamRole.OWNER, True),
        (TeamRole.MANAGER, TeamRole.OWNER, False),
        (TeamRole.MANAGER, TeamRole.MANAGER, True),
        (TeamRole.MEMBER, TeamRole.MEMBER, False),
        (TeamRole.BILLING, TeamRole.BILLING, False),
    ],
)
def test_owners_are_made_by_owners(own, given, is_allowed):
    """Others by whoever manages members."""
    actor = TeamActor(user_id=9, roles={1: own})
    assert is_allowed is may_appoint(actor, given, TEAMS, 2)
