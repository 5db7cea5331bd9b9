"""``/api/admin/teams``: organisations and teams, who is in them, and their service accounts.

Administrators see and do everything; everybody else what their roles allow, by one table
(``identity/teams/rights.py``). A team that somebody may not see is not there for them.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, whole
from trivium.console.api.admin.keys import LimitsBody
from trivium.console.api.answer import ApiError
from trivium.identity.errors import IdentityError
from trivium.identity.model import User
from trivium.identity.teams.model import Member, Team, TeamMap, TeamRole
from trivium.identity.teams.rights import TeamAction, TeamActor, may, may_appoint
from trivium.settings.limits import limits as rates_of
from trivium.settings.workloads import AdminScope

FUNDED: Final = frozenset({"models", "limits", "has_wallet"})
"""What the team above decides about."""
PAID: Final = frozenset({"has_wallet", "unlimited", "group"})
"""What decides about money, for which a token for machines has a scope of its own."""
NAME_CHARS_MAX: Final = 1_000
"""Of a team's name with those above it."""
NOBODY: Final = 0
"""The user that a machine is."""
OPERATED: Final = frozenset({"unlimited", "group", "claim"})
"""What only administrators decide about."""


class NewTeam(ApiBody, frozen=True, kw_only=True):
    """A team in ``parent_id``; without one an organisation."""

    title: str
    parent_id: int | None = None
    owner_id: int | None = None
    has_wallet: bool = False


class TeamChange(ApiBody, frozen=True, kw_only=True):
    """A change to a team; members that are left out stay as they are."""

    models: tuple[str, ...] | UnsetType = UNSET
    limits: LimitsBody | UnsetType | None = UNSET
    has_wallet: bool | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET
    unlimited: bool | UnsetType = UNSET
    group: str | UnsetType = UNSET
    claim: str | UnsetType | None = UNSET


class NewMember(ApiBody, frozen=True, kw_only=True):
    """Who becomes a member: a name or an e-mail address."""

    user: str
    role: TeamRole = TeamRole.MEMBER


class MemberChange(ApiBody, frozen=True, kw_only=True):
    """The role that a member has from now on."""

    role: TeamRole


class NewService(ApiBody, frozen=True, kw_only=True):
    """A service account, by the last part of its name."""

    title: str


async def actor_of(asked: AdminRequest) -> TeamActor:
    """Whoever asks, with their roles."""
    if asked.is_admin:
        return TeamActor(user_id=asked.by or NOBODY, is_admin=True)
    assert asked.by is not None
    return TeamActor(user_id=asked.by, roles=await asked.console.teams.roles(asked.by))


class TeamView(msgspec.Struct, frozen=True):
    """The team of the path, seen by whoever asks."""

    actor: TeamActor
    teams: TeamMap
    team: Team

    def may(self, action: TeamAction) -> bool:
        """Whether whoever asks may do that in this team."""
        return may(self.actor, action, self.teams, self.team.id)

    def check(self, action: TeamAction) -> None:
        """Raise ApiError (403) unless they may."""
        if not self.may(action):
            raise ApiError(403, f"your role in {self.team.name} does not let you {_SAID[action]}")


_SAID: Final = {
    TeamAction.SEE: "see it",
    TeamAction.SEE_SPENDING: "see what it spends",
    TeamAction.USE: "have keys for it",
    TeamAction.MANAGE_KEYS: "manage its keys",
    TeamAction.MANAGE_MEMBERS: "manage its members",
    TeamAction.MANAGE_BUDGETS: "manage its budgets",
    TeamAction.MANAGE_TEAM: "manage the team",
    TeamAction.FUND: "decide what the team above it decides",
}


async def seen(asked: AdminRequest) -> TeamView:
    """The team of the path. Raises ApiError (404), also for a team that they may not see."""
    team_id = asked.number("team")
    teams = await _chain(asked, team_id)
    actor = await actor_of(asked)
    team = teams.get(team_id)
    if team is None or not may(actor, TeamAction.SEE, teams, team.id):
        raise ApiError(404, "there is no team of this id")
    return TeamView(actor, teams, team)


async def _chain(asked: AdminRequest, team_id: int) -> TeamMap:
    """A team and those above it; nothing, where there is none of this id."""
    try:
        return await asked.console.team_lists.chain(team_id)
    except IdentityError:
        return TeamMap((), ())


async def listing(asked: AdminRequest) -> Any:
    """Teams that whoever asks may see, in the order of their names; and after which name the next
    page begins.
    """
    actor = await actor_of(asked)
    found, more = await asked.console.team_lists.page(
        paging.search(asked),
        paging.text(asked, "after", NAME_CHARS_MAX) or "",
        paging.limit(asked),
        paging.number(asked, "parent", "the id of a team"),
        within=None if actor.is_admin else actor.roles,
    )
    teams = await asked.console.team_lists.with_those_above(found)
    return {"teams": [shown(team, teams) for team in found], "after": more}


async def create(asked: AdminRequest) -> Any:
    """Make a team, or, as an administrator, an organisation; answers with it."""
    wanted: NewTeam = asked.body
    if wanted.has_wallet:
        asked.check_scope(AdminScope.MONEY, "has_wallet")
    above, actor = wanted.parent_id, await actor_of(asked)
    teams = TeamMap((), ()) if above is None else await _chain(asked, above)
    if above is None and not asked.is_admin:
        raise ApiError(403, "only administrators make organisations: name a `parent_id`")
    if above is not None and not may(actor, TeamAction.SEE, teams, above):
        raise ApiError(404, "parent_id: there is no team of this id")
    if above is not None and not may(actor, TeamAction.MANAGE_TEAM, teams, above):
        raise ApiError(403, "your role there does not let you make teams")
    made = await asked.console.teams.create(
        wanted.title,
        above,
        wanted.owner_id,
        has_wallet=wanted.has_wallet,
        log_act=asked.log.within,
    )
    return shown(made, await asked.console.team_lists.chain(made.id))


async def show(asked: AdminRequest) -> Any:
    """Answer with the team of the path."""
    view = await seen(asked)
    return shown(view.team, view.teams)


async def change(asked: AdminRequest) -> Any:
    """Change a team; answers with it as it is afterwards."""
    view, wanted = await seen(asked), asked.body
    changes = {
        name: value
        for name in TeamChange.__struct_fields__
        if (value := getattr(wanted, name)) is not UNSET
    }
    if not changes:
        raise ApiError(400, "nothing to change: send a member of the team")
    for name in sorted(PAID & changes.keys()):
        asked.check_scope(AdminScope.MONEY, name)
    if FUNDED & changes.keys():
        view.check(TeamAction.FUND)
    if OPERATED & changes.keys() and not asked.is_admin:
        names = ", ".join(sorted(OPERATED & changes.keys()))
        raise ApiError(403, f"only administrators change {names}")
    view.check(TeamAction.MANAGE_TEAM)
    rates = changes.get("limits")
    if isinstance(rates, LimitsBody):
        changes["limits"] = rates_of(rates.requests, rates.tokens, rates.concurrency)
    team = await asked.console.teams.change(view.team.id, changes, asked.log.within)
    return shown(team, await asked.console.team_lists.chain(team.id))


async def members(asked: AdminRequest) -> Any:
    """The members of a team in the order of their accounts, and after whom the next page begins."""
    view = await seen(asked)
    found, more = await asked.console.team_lists.members(
        view.team.id, paging.search(asked), _user_after(asked), paging.limit(asked)
    )
    return {"members": [_member(member, who) for member, who in found], "after": more}


def _user_after(asked: AdminRequest) -> int:
    return paging.number(asked, "after", "the id of a user") or 0


async def add(asked: AdminRequest) -> Any:
    """Make somebody a member; answers with them."""
    view = await seen(asked)
    wanted: NewMember = asked.body
    check_appointing(view, wanted.role)
    who = await asked.console.identity.find_user(wanted.user)
    if await _found(asked, view, who.id) is not None:
        raise ApiError(409, "is a member already: give another role with PATCH")
    put = asked.console.teams.put_member
    return _member(await put(view.team.id, who.id, wanted.role, log_act=asked.log.within), who)


async def appoint(asked: AdminRequest) -> Any:
    """Give a member another role; answers with them."""
    view = await seen(asked)
    wanted: MemberChange = asked.body
    member, who = await _one(asked, view)
    check_appointing(view, member.role)
    check_appointing(view, wanted.role)
    put = asked.console.teams.put_member
    return _member(await put(view.team.id, who.id, wanted.role, log_act=asked.log.within), who)


async def remove(asked: AdminRequest) -> Any:
    """End a membership, also one's own; the keys of theirs for the team end with it."""
    view = await seen(asked)
    member, who = await _one(asked, view)
    if who.id != asked.by:
        check_appointing(view, member.role)
    await asked.console.teams.remove_member(view.team.id, who.id, asked.log.within)
    return _member(member, who)


async def services(asked: AdminRequest) -> Any:
    """The service accounts of a team in the order they were made, and after which the next page
    begins.
    """
    view = await seen(asked)
    found, more = await asked.console.team_lists.services(
        view.team.id, _user_after(asked), paging.limit(asked), paging.search(asked)
    )
    return {"services": [_service(who) for who in found], "after": more}


async def create_service(asked: AdminRequest) -> Any:
    """Make a service account; answers with it."""
    view = await seen(asked)
    view.check(TeamAction.MANAGE_KEYS)
    wanted: NewService = asked.body
    make = asked.console.teams.create_service
    return _service(await make(view.team.id, wanted.title, asked.log.within))


def check_appointing(view: TeamView, role: TeamRole) -> None:
    """Raise ApiError (403) unless whoever asks may give that role in the team, or take it."""
    if not may_appoint(view.actor, role, view.teams, view.team.id):
        raise ApiError(403, f"your role in {view.team.name} does not let you appoint {role.value}s")


async def _one(asked: AdminRequest, view: TeamView) -> tuple[Member, User]:
    user_id = whole(asked.request.path_params["user"])
    found = None if user_id is None else await _found(asked, view, user_id)
    if found is None:
        raise ApiError(404, "there is no member of this id")
    return found


async def _found(asked: AdminRequest, view: TeamView, user_id: int) -> tuple[Member, User] | None:
    """A member of the team; ``None``: they are none."""
    try:
        return await asked.console.team_lists.member(view.team.id, user_id)
    except IdentityError:
        return None


def shown(team: Team, teams: TeamMap) -> dict[str, Any]:
    """A team as the API shows it."""
    return {
        "id": team.id,
        "name": team.name,
        "title": team.title,
        "parent_id": team.parent_id,
        "payer_id": teams.payer(team.id).id,
        "has_wallet": team.has_wallet,
        "unlimited": team.unlimited,
        "models": team.models,
        "group": team.group,
        "limits": None if team.limits is None else msgspec.structs.asdict(team.limits),
        "claim": team.claim,
        "disabled": team.disabled,
        "created_at": team.created_at,
    }


def _member(member: Member, who: User) -> dict[str, Any]:
    return {
        "user_id": who.id,
        "name": who.name,
        "email": who.email,
        "role": member.role.value,
        "source": member.source.value,
        "created_at": member.created_at,
    }


def _service(who: User) -> dict[str, Any]:
    return {
        "user_id": who.id,
        "name": who.name,
        "team_id": who.team_id,
        "disabled": who.disabled,
        "created_at": who.created_at,
    }


_PAGED: Final = frozenset({"q", "limit", "after"})
_TEAM: Final = "/api/admin/teams/{team}"
ENDPOINTS: Final = (
    resource(
        "/api/admin/teams",
        for_members=True,
        GET=ApiMethod(listing, query=_PAGED | {"parent"}),
        POST=ApiMethod(create, NewTeam),
    ),
    resource(_TEAM, for_members=True, GET=ApiMethod(show), PATCH=ApiMethod(change, TeamChange)),
    resource(
        f"{_TEAM}/members",
        for_members=True,
        GET=ApiMethod(members, query=_PAGED),
        POST=ApiMethod(add, NewMember),
    ),
    resource(
        f"{_TEAM}/members/{{user}}",
        for_members=True,
        PATCH=ApiMethod(appoint, MemberChange),
        DELETE=ApiMethod(remove),
    ),
    resource(
        f"{_TEAM}/services",
        for_members=True,
        GET=ApiMethod(services, query=_PAGED),
        POST=ApiMethod(create_service, NewService),
    ),
)
