"""What a key inherits of the teams above it: narrowed, never widened."""

import pytest

from trivium.identity.teams.model import (
    DEPTH_MAX,
    Team,
    TeamMap,
    allow_list,
    member_scope,
    tag_scope,
    team_scope,
)
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits


def team(team_id, parent_id=None, **more):
    known = {"name": f"t{team_id}", "title": f"t{team_id}", "has_wallet": parent_id is None}
    return Team(id=team_id, parent_id=parent_id, **(known | more))


def budget(scope, amount=5, period=Period.MONTH):
    return Budget(amount_nanos=amount, period=period, scope=scope)


TREE = (
    team(1, group="partners", models=("a*", "b")),
    team(2, 1, limits=RateLimits(requests=5)),
    team(3, 2, has_wallet=True, models=("a1",), group="lab"),
    team(4, 1, disabled=True),
    team(5, 4),
)


def test_the_nearest_wallet_pays():
    """An organisation always has one."""
    teams = TeamMap(TREE, ())
    assert [1, 1, 3, 1] == [teams.inherited(each, 9).payer_id for each in (1, 2, 3, 5)]


def test_every_list_of_models_narrows():
    """A team cannot allow what the one above does not."""
    narrowed = TeamMap(TREE, ()).inherited(3, 9).narrowed
    assert (allow_list(("a1",)), allow_list(("a*", "b"))) == narrowed
    assert () == TeamMap((team(1),), ()).inherited(1, 9).narrowed


def test_limits_of_all_count_and_the_nearest_price_group():
    """Each limit with its team."""
    found = TeamMap(TREE, ()).inherited(3, 9)
    assert ((2, RateLimits(requests=5)),) == found.limits
    assert ["lab", "partners"] == [TeamMap(TREE, ()).inherited(each, 9).group for each in (3, 2)]


def test_a_disabled_team_lets_nobody_below_in():
    """Nor does one that is not there."""
    teams = TeamMap(TREE, ())
    assert [False, True, True, True] == [
        teams.inherited(each, 9).disabled for each in (3, 4, 5, 77)
    ]


def test_budgets_of_member_team_and_those_above():
    """Each says whose it is; those of others are not counted."""
    scopes = [member_scope(3, 9), member_scope(3, 8), team_scope(3), team_scope(1), team_scope(4)]
    found = TeamMap(TREE, [budget(scope) for scope in scopes]).inherited(3, 9).budgets
    assert [
        ("member:3:9", "this member"),
        ("team:3", "the team t3"),
        ("team:1", "the organisation t1"),
    ] == [(each.scope, each.whose) for each in found]


def test_a_circle_of_teams_ends():
    """No way leads there but a hand in the database."""
    teams = TeamMap((team(1, 2), team(2, 1)), ())
    assert DEPTH_MAX == len(list(teams.above(1)))
    assert {1, 2} == set(teams.below(1))


@pytest.mark.parametrize(("team_id", "below"), [(1, {1, 2, 3, 4, 5}), (2, {2, 3}), (5, {5})])
def test_what_is_below(team_id, below):
    """Itself included."""
    assert below == set(TeamMap(TREE, ()).below(team_id))


def test_tags_have_budgets_in_a_team_and_those_above():
    """By the tag; those of other teams are not among them."""
    teams = TeamMap(
        [
            Team(id=1, name="acme", title="acme", has_wallet=True),
            Team(id=2, name="acme/a", title="a", parent_id=1),
            Team(id=3, name="acme/b", title="b", parent_id=1),
        ],
        [
            Budget(amount_nanos=n, period=Period.DAY, scope=tag_scope(team, tag))
            for n, (team, tag) in enumerate([(1, "x"), (2, "x"), (2, "y"), (3, "x")], 1)
        ],
    )
    tagged = teams.inherited(2, 9).tagged
    assert {"x": [2, 1], "y": [3]} == {
        tag: [each.amount_nanos for each in budgets] for tag, budgets in tagged.items()
    }
    assert {"team:1/tag:x": "x"} == teams.tag_scopes(1)
    assert "the tag x of acme/a" == tagged["x"][0].whose
    assert {} == dict(TeamMap((), ()).inherited(9, 9).tagged)
