"""The team of a page's path as whoever is logged in sees it, and what they may do there.

Administrators see and do everything, others what their roles allow (``identity/teams/rights.py``).
A team that somebody may not see is not there for them.
"""

from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context, forms, render, session
from trivium.console.language import N_, LazyText
from trivium.identity.errors import IdentityError, TakenError
from trivium.identity.model import User, UserKind, UserRole
from trivium.identity.teams.model import Team, TeamMap, TeamRole
from trivium.identity.teams.rights import TeamAction, TeamActor, may, may_appoint

HOME: Final = "/account/teams"
PAGE: Final = 50
"""Rows on a page."""


class OpenedTeam(msgspec.Struct, frozen=True):
    """A team, those above it, and who looks at it."""

    actor: TeamActor
    chain: TeamMap
    """The team and those above it."""
    team: Team

    @property
    def path(self) -> str:
        """Below which the pages of the team lie."""
        return f"{HOME}/{self.team.id}"

    def may(self, action: str) -> bool:
        """Whether they may do that in this team."""
        return may(self.actor, TeamAction(action), self.chain, self.team.id)

    def may_appoint(self, role: TeamRole) -> bool:
        """Whether they may give that role in this team, or take it."""
        return may_appoint(self.actor, role, self.chain, self.team.id)

    def check(self, action: TeamAction) -> None:
        """Raise HTTPException (403) unless they may."""
        if not may(self.actor, action, self.chain, self.team.id):
            raise HTTPException(403)

    def sees(self, team_id: int) -> bool:
        """Whether they may see another team of the chain."""
        return may(self.actor, TeamAction.SEE, self.chain, team_id)

    @property
    def parents(self) -> list[Team]:
        """The teams above that they may see, the organisation first."""
        above = list(self.chain.above(self.team.id))[1:]
        return [each for each in reversed(above) if self.sees(each.id)]

    @property
    def roles(self) -> list[TeamRole]:
        """The roles that they may give."""
        return [role for role in TeamRole if self.may_appoint(role)]


def may_see_money(view: OpenedTeam, team_id: int) -> bool:
    """Whether they may see what another team of the chain has."""
    return may(view.actor, TeamAction.SEE_SPENDING, view.chain, team_id)


async def opened(request: Request, action: TeamAction = TeamAction.SEE) -> OpenedTeam:
    """The team of the path. Raises HTTPException: 404 for one that they may not see, 403 where they
    may not do that.
    """
    console = context.of(request)
    user = session.user_of(request)
    try:
        chain = await console.team_lists.chain(request.path_params["team"])
    except IdentityError:
        raise HTTPException(404) from None
    actor = await actor_of(request, user)
    team = chain.get(request.path_params["team"])
    if team is None or not may(actor, TeamAction.SEE, chain, team.id):
        raise HTTPException(404)
    view = OpenedTeam(actor, chain, team)
    view.check(action)
    return view


async def actor_of(request: Request, user: User) -> TeamActor:
    """Whoever is logged in, with their roles."""
    if user.role is UserRole.ADMIN:
        return TeamActor(user_id=user.id, is_admin=True)
    return TeamActor(user_id=user.id, roles=await context.of(request).teams.roles(user.id))


def acting(handler: session.Handler) -> session.Handler:
    """Let only people act who have just proved who they are."""
    return session.recent_at(HOME)(handler)


_WRONG: Final = {
    "name": N_("A name has 1 to 100 characters, and neither / nor @."),
    "team": N_("There can be no more: teams lie at most eight levels deep, and are counted."),
    "user": N_("There is no such person here."),
    "role": N_("An organisation keeps its last owner. Make somebody else an owner first."),
    "models": N_("One of these is no model name; only a star at the end matches more."),
    "limits": N_("Please give whole numbers."),
    "wallet": N_("An organisation has a balance of its own."),
    "budgets": N_(
        "A budget is above 0 and at most a million dollars, in a time zone such as "
        "Europe/Berlin; a soft one has no other model."
    ),
    "tag": N_("A tag has 1 to 64 printable characters."),
    "key": N_("There is no such key, or it has been revoked."),
    "overlap": N_("Both secrets work for at most 30 days."),
}


def said(error: IdentityError) -> LazyText:
    """What is wrong, as a page says it."""
    if isinstance(error, TakenError):
        return LazyText(N_("There is a user or a team of this name already."))
    return LazyText(_WRONG.get(error.field, N_("This is not written as it should be.")))


def refused(request: Request, path: str, error: IdentityError) -> Response:
    """Back to a page, which says what was wrong."""
    told = said(error)
    return render.redirect(request, path, told.message, tone="bad")


async def person(request: Request, typed: str) -> User:
    """Somebody by name or address. Raises ``IdentityError`` (``user``)."""
    found = await context.of(request).identity.find_user(typed)
    if found.kind is not UserKind.PERSON:
        raise IdentityError("user", "is no person")
    return found


def number(request: Request, name: str) -> int:
    """An id in the query; 0 for none and for what is none."""
    text = request.query_params.get(name, "")
    digits = text.isascii() and text.isdecimal() and len(text) <= forms.DIGITS_MAX
    return int(text) if digits else 0
