"""Teams as the rest of the gateway sees them, and what a key inherits of those above it. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, unique
from typing import Final, NamedTuple

import msgspec

from trivium.identity.model import NO_TAGGED, AllowList
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits

TAG_MARK: Final = "/tag:"
"""Between a team and a tag in a scope."""
EVERYWHERE: Final = "all"
"""In the place of a team in the scope of a tag: requests with it of all keys there are."""
DEPTH_MAX: Final = 8
"""Levels of teams, organisations included."""


@unique
class TeamRole(Enum):
    """What a member may do in a team and in those below it."""

    OWNER = "owner"
    """Everything, also appointing owners and ending the team."""
    MANAGER = "manager"
    """Members, keys, service accounts and budgets."""
    MEMBER = "member"
    """Keys of their own that spend for the team."""
    BILLING = "billing"
    """Statements and budgets, read only; no keys."""


@unique
class MemberSource(Enum):
    """Who says that somebody is a member."""

    MANUAL = "manual"
    SSO = "sso"
    SCIM = "scim"


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """A team, or an organisation."""

    id: int
    """Of its account, too."""
    name: str
    """With those of its parents: ``acme/research``."""
    title: str
    """The last part of the name."""
    parent_id: int | None = None
    """``None``: an organisation."""
    has_wallet: bool = False
    """Whether it has a balance of its own; else it spends its parent's. Organisations have."""
    models: tuple[str, ...] = ()
    """Allowed model names, as those of keys; empty: whatever its parent allows."""
    group: str = ""
    """Price group; empty: its parent's."""
    limits: RateLimits | None = None
    """Over all its keys and those of the teams below together."""
    disabled: bool = False
    unlimited: bool = False
    claim: str | None = None
    """The value of an SSO claim whose people become members; ``None``: none do."""
    created_at: int = 0


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody in a team, as one source has it."""

    team_id: int
    user_id: int
    role: TeamRole
    source: MemberSource = MemberSource.MANUAL
    via: str = ""
    """Of ``SSO`` the issuer, of ``SCIM`` the directory; by hand empty."""
    created_at: int = 0


_RANKS: Final = (TeamRole.OWNER, TeamRole.MANAGER, TeamRole.MEMBER, TeamRole.BILLING)


def stronger(one: TeamRole, other: TeamRole) -> TeamRole:
    """Of two roles the one that may do more."""
    return min(one, other, key=_RANKS.index)


def in_force(rows: Iterable[Member]) -> list[Member]:
    """Of what several sources say about somebody in a team, what counts: what was made by hand,
    else the strongest role. One a team and user, in the order they came first.
    """
    found: dict[tuple[int, int], Member] = {}
    for row in rows:
        who = (row.team_id, row.user_id)
        before = found.get(who)
        if before is None or _decides(row, before):
            found[who] = row
    return list(found.values())


def _decides(row: Member, before: Member) -> bool:
    if before.source is MemberSource.MANUAL:
        return False
    by_hand = row.source is MemberSource.MANUAL
    return by_hand or _RANKS.index(row.role) < _RANKS.index(before.role)


class Inherited(NamedTuple):
    """What a key has of the teams above it."""

    payer_id: int
    unlimited: bool
    disabled: bool
    group: str
    narrowed: tuple[AllowList, ...]
    limits: tuple[tuple[int, RateLimits], ...]
    budgets: tuple[Budget, ...]
    tagged: Mapping[str, tuple[Budget, ...]] = NO_TAGGED


class TeamMap:
    """All teams and the budgets of teams and members, by id and by scope."""

    def __init__(self, teams: Sequence[Team], budgets: Sequence[Budget]) -> None:
        self._teams = {team.id: team for team in teams}
        self._children: dict[int, list[int]] = {}
        for team in teams:
            if team.parent_id is not None:
                self._children.setdefault(team.parent_id, []).append(team.id)
        self._budgets: dict[str, list[Budget]] = {}
        self._tagged: dict[str, dict[str, list[Budget]]] = {}
        """Of tags, by the scope of the team."""
        for budget in budgets:
            self._budgets.setdefault(budget.scope, []).append(budget)
            of, marked, tag = budget.scope.partition(TAG_MARK)
            if marked:
                self._tagged.setdefault(of, {}).setdefault(tag, []).append(budget)

    def __bool__(self) -> bool:
        return bool(self._teams)

    def __len__(self) -> int:
        return len(self._teams)

    def get(self, team_id: int) -> Team | None:
        """The team of that id; ``None`` when there is none."""
        return self._teams.get(team_id)

    def named(self, name: str) -> int | None:
        """The id of the team of that whole name; ``None`` when there is none."""
        return next((team.id for team in self._teams.values() if team.name == name), None)

    def all(self) -> Iterator[Team]:
        """Every team, in the order of their names: those below a team follow it."""
        yield from sorted(self._teams.values(), key=lambda team: team.name.split("/"))

    def payer(self, team_id: int) -> Team:
        """Whose wallet pays for a team: its own, or that of the nearest above. Raises KeyError."""
        chain = list(self.above(team_id)) or [self._teams[team_id]]
        return next((team for team in chain if team.has_wallet), chain[-1])

    def above(self, team_id: int) -> Iterator[Team]:
        """A team and those above it, the organisation last."""
        at: int | None = team_id
        for _ in range(DEPTH_MAX):
            team = None if at is None else self._teams.get(at)
            if team is None:
                return
            yield team
            at = team.parent_id

    def below(self, team_id: int) -> list[int]:
        """The ids of a team and of all that are below it."""
        found = {team_id: None}
        at = [team_id]
        while at:
            at = [below for each in at for below in self._children.get(each, ())]
            at = [below for below in at if below not in found]
            found |= dict.fromkeys(at)
        return list(found)

    def budgets(self, scope: str) -> tuple[Budget, ...]:
        """The budgets of a scope."""
        return tuple(self._budgets.get(scope, ()))

    def inherited(self, team_id: int, user_id: int) -> Inherited:
        """What a key of this user's for this team has of it and of those above. A team that is
        gone lets nobody in.
        """
        chain = list(self.above(team_id))
        if not chain:
            return Inherited(user_id, False, True, "", (), (), ())
        payer = next((team for team in chain if team.has_wallet), chain[-1])
        narrowed = [allow_list(team.models) for team in chain if team.models]
        own = self.budgets(member_scope(team_id, user_id))
        budgets = [_named(each, "this member") for each in own]
        for team in chain:
            whose = f"the team {team.name}" if team.parent_id else f"the organisation {team.name}"
            budgets += [_named(each, whose) for each in self.budgets(team_scope(team.id))]
        return Inherited(
            payer_id=payer.id,
            unlimited=payer.unlimited,
            disabled=any(team.disabled for team in chain),
            group=next((team.group for team in chain if team.group), ""),
            narrowed=tuple(narrowed),
            limits=tuple((team.id, team.limits) for team in chain if team.limits is not None),
            budgets=tuple(budgets),
            tagged=self._tags(chain) if self._tagged else NO_TAGGED,
        )

    def _tags(self, chain: Sequence[Team]) -> dict[str, tuple[Budget, ...]]:
        """Budgets of tags in these teams, by the tag."""
        found: dict[str, tuple[Budget, ...]] = {}
        for team in chain:
            for tag, budgets in self._tagged.get(team_scope(team.id), {}).items():
                whose = f"the tag {tag} of {team.name}"
                found[tag] = found.get(tag, ()) + tuple(_named(each, whose) for each in budgets)
        return found

    def everywhere(self) -> dict[str, tuple[Budget, ...]]:
        """Budgets of tags over all keys there are, by the tag."""
        return {
            tag: tuple(_named(each, f"the tag {tag}") for each in budgets)
            for tag, budgets in self._tagged.get(EVERYWHERE, {}).items()
        }

    def tag_scopes(self, team_id: int | None) -> dict[str, str]:
        """The scopes of the tags of a team that have budgets, or of those over all keys
        (``None``), with the tags.
        """
        of = EVERYWHERE if team_id is None else team_scope(team_id)
        return {f"{of}{TAG_MARK}{tag}": tag for tag in self._tagged.get(of, ())}


def _named(budget: Budget, whose: str) -> Budget:
    return msgspec.structs.replace(budget, whose=whose)


def team_scope(team_id: int) -> str:
    """As counters and budgets name a team."""
    return f"team:{team_id}"


def member_scope(team_id: int, user_id: int) -> str:
    """As counters and budgets name a member of a team, or a service account."""
    return f"member:{team_id}:{user_id}"


def tag_scope(team_id: int | None, tag: str) -> str:
    """As counters and budgets name a tag within a team and those below it, or everywhere."""
    of = EVERYWHERE if team_id is None else team_scope(team_id)
    return f"{of}{TAG_MARK}{tag}"


def allow_list(models: Sequence[str]) -> AllowList:
    """Names of models, apart from prefixes."""
    return (
        frozenset(name for name in models if not name.endswith("*")),
        tuple(name[:-1] for name in models if name.endswith("*")),
    )


MANAGING: Final = frozenset({TeamRole.OWNER, TeamRole.MANAGER})
"""Roles that change members, keys and budgets."""
SPENDING: Final = MANAGING | {TeamRole.MEMBER}
"""Roles that may have keys."""

Roles = Mapping[int, TeamRole]
"""A user's role by team."""
