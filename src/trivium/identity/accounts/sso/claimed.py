"""What a login's ID token claims about somebody's groups, and the teams that makes. Pure.

Nobody may lose their teams because a provider left a claim out, or because it has so many groups
that it only says where to ask for them: then nothing is changed, and the reason is said.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from trivium.identity.teams.model import TeamMap, TeamRole, stronger
from trivium.settings.accounts import ClaimedTeam, LoginEntry

GROUPS_MAX: Final = 2000
"""Groups of one person that are looked at. Entra writes 200 into a token, and then only where to
ask: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference"""


class ClaimedGroups(NamedTuple):
    """Groups as an ID token has them."""

    values: frozenset[str] | None
    """``None``: it does not say, and teams stay as they are."""
    trouble: str = ""
    """Why it does not; empty where nothing was to be said."""


class ClaimedRoles(NamedTuple):
    """The teams that groups make somebody a member of."""

    roles: dict[int, TeamRole]
    unknown: tuple[str, ...]
    """Names of teams in the settings that are not there."""


def read_groups(claims: Mapping[str, Any], entry: LoginEntry) -> ClaimedGroups:
    """The groups of a token's claims. Linear in what was sent, up to ``GROUPS_MAX``."""
    name = entry.teams_claim
    if not name:
        return ClaimedGroups(None)
    if name not in claims:
        return _absent(claims, entry)
    found = claims[name]
    if isinstance(found, str):
        found = [found]  # some providers write one group without a list
    trouble = ""
    if not isinstance(found, list):
        trouble = f"is a {type(found).__name__}, not a list of texts"
    elif len(found) > GROUPS_MAX:
        trouble = f"has {len(found)} values, more than {GROUPS_MAX}"
    elif not all(isinstance(value, str) for value in found):
        trouble = "has values that are no texts"
    return ClaimedGroups(None, trouble) if trouble else ClaimedGroups(frozenset(found))


def _absent(claims: Mapping[str, Any], entry: LoginEntry) -> ClaimedGroups:
    elsewhere = claims.get("_claim_names")
    if isinstance(elsewhere, Mapping) and entry.teams_claim in elsewhere:
        return ClaimedGroups(None, "has too many values for the token, which says where to ask")
    if claims.get("hasgroups") is True and entry.teams_claim == "groups":
        return ClaimedGroups(None, "has too many values for the token, which leaves it out")
    if entry.teams_without_claim == "remove":
        return ClaimedGroups(frozenset())
    return ClaimedGroups(None, "is missing")


def claimed_roles(
    values: Iterable[str], rules: Iterable[ClaimedTeam], teams: TeamMap
) -> ClaimedRoles:
    """Which role these groups give in which team: by the rules of the login, and by the values
    that teams themselves name (``Team.claim``), which make members. The strongest counts.
    """
    held = frozenset(values)
    by_name = {team.name: team.id for team in teams.all()}
    roles = {team.id: TeamRole.MEMBER for team in teams.all() if team.claim in held}
    unknown = []
    for rule in rules:
        team_id = by_name.get(rule.team)
        if team_id is None:
            unknown.append(rule.team)
        elif rule.value in held:
            role = TeamRole(rule.role)
            roles[team_id] = stronger(role, roles.get(team_id, role))
    return ClaimedRoles(roles, tuple(dict.fromkeys(unknown)))
