"""What tokens claim about groups, and which teams that makes."""

import time

import pytest

from trivium.identity.accounts.sso.claimed import (
    GROUPS_MAX,
    ClaimedRoles,
    claimed_roles,
    read_groups,
)
from trivium.identity.teams.model import Team, TeamMap, TeamRole
from trivium.settings.accounts import ClaimedTeam, LoginEntry

ENTRY = LoginEntry(
    name="company",
    issuer="https://login.example",
    client_id="trivium",
    client_secret="s3cret",
    teams_claim="groups",
)
REMOVING = LoginEntry(
    name="company",
    issuer="https://login.example",
    client_id="trivium",
    client_secret="s3cret",
    teams_claim="groups",
    teams_without_claim="remove",
)
SILENT = LoginEntry(
    name="company", issuer="https://login.example", client_id="trivium", client_secret="s3cret"
)
OVERAGE = {
    "_claim_names": {"groups": "src1"},
    "_claim_sources": {
        "src1": {"endpoint": "https://graph.windows.net/t/users/u/getMemberObjects"}
    },
}
"""As Entra writes it for somebody in more groups than fit."""


@pytest.mark.parametrize(
    ("entry", "claims", "values", "trouble"),
    [
        (ENTRY, {"groups": ["a", "b", "a"]}, {"a", "b"}, ""),
        (ENTRY, {"groups": []}, set(), ""),
        (ENTRY, {"groups": "a"}, {"a"}, ""),
        (ENTRY, {}, None, "is missing"),
        (REMOVING, {}, set(), ""),
        (ENTRY, {"groups": None}, None, "is a NoneType, not a list of texts"),
        (REMOVING, {"groups": 7}, None, "is a int, not a list of texts"),
        (ENTRY, {"groups": {"a": 1}}, None, "is a dict, not a list of texts"),
        (ENTRY, {"groups": ["a", 7]}, None, "has values that are no texts"),
        (ENTRY, {"groups": ["a"] * GROUPS_MAX}, {"a"}, ""),
        (ENTRY, {"groups": ["a"] * 10_000}, None, "has 10000 values, more than 2000"),
        (REMOVING, OVERAGE, None, "has too many values for the token, which says where to ask"),
        (REMOVING, {"hasgroups": True}, None, "has too many values for the token, which leaves it out"),
        (ENTRY, {"_claim_names": ["groups"]}, None, "is missing"),
        (SILENT, {"groups": ["a"]}, None, ""),
    ],
)  # fmt: skip
def test_groups_of_a_token(entry, claims, values, trouble):
    """Only a list of texts says who is where; whatever else comes changes nothing, and is said."""
    found = read_groups(claims, entry)
    assert (None if values is None else frozenset(values), trouble) == found


TEAMS = TeamMap(
    [
        Team(id=1, name="acme", title="acme", has_wallet=True),
        Team(id=2, name="acme/lab", title="lab", parent_id=1, claim="lab-people"),
    ],
    (),
)


@pytest.mark.parametrize(
    ("values", "rules", "roles", "unknown"),
    [
        ([], [], {}, ()),
        (["lab-people"], [], {2: TeamRole.MEMBER}, ()),
        (["x"], [("x", "acme", "owner"), ("y", "acme/lab", "member")], {1: TeamRole.OWNER}, ()),
        (
            ["lab-people", "x", "y"],
            [("x", "acme/lab", "manager"), ("y", "acme/lab", "billing")],
            {2: TeamRole.MANAGER},
            (),
        ),
        (["x"], [("x", "gone", "member"), ("y", "gone", "member")], {}, ("gone",)),
        (["X", "x "], [("x", "acme", "member")], {}, ()),
    ],
)
def test_teams_of_groups(values, rules, roles, unknown):
    """By the rules of the login and the claims of teams; the strongest role, letter by letter."""
    rules = [ClaimedTeam(value=value, team=team, role=role) for value, team, role in rules]
    assert ClaimedRoles(roles, unknown) == claimed_roles(values, rules, TEAMS)


def test_twice_as_many_cost_twice_as_much():
    """Rules and groups do not multiply."""

    def spent(n):
        rules = [ClaimedTeam(value=f"g{i}", team="acme", role="member") for i in range(n)]
        values = [f"g{i}" for i in range(n)]
        begun = time.process_time()
        claimed_roles(values, rules, TEAMS)
        return time.process_time() - begun

    assert min(spent(20_000) for _ in range(3)) < 1
