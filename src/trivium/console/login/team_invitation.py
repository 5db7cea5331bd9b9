"""The page behind the link of an invitation to a team: what it is, and a button to join."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.language import N_, LazyText
from trivium.console.refusals import words
from trivium.identity.accounts.errors import AccountError
from trivium.identity.teams.model import TeamRole

ROLES: Final = {
    TeamRole.OWNER: N_("owner"),
    TeamRole.MANAGER: N_("manager"),
    TeamRole.MEMBER: N_("member"),
    TeamRole.BILLING: N_("reads bills"),
}


async def show(request: Request) -> Response:
    """Say which team it is; visitors log in first, or make an account."""
    invitations = context.of(request).accounts.team_invitations
    try:
        invited = await invitations.offer(request.path_params["token"])
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    found = await session.current(request)
    answer = render.page(
        request,
        "login/email.html",
        invited=invited,
        role=LazyText(ROLES[invited.role]),
        is_user=found is not None,
        back=session.place(request) if found is None else "",
        may_sign_up=invitations.may_sign_up(),
    )
    session.send_visit(request, answer)
    return answer


@session.signed_in
async def join(request: Request) -> Response:
    """Make the user a member, if it was them who were invited."""
    invitations = context.of(request).accounts.team_invitations
    user = session.user_of(request)
    try:
        joined = await invitations.accept(
            request.path_params["token"], user, session.act_logger(request)
        )
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    said = N_("You are in the team %(team)s now.")
    return render.redirect(request, session.HOME, said, team=joined.team)


async def sign_up(request: Request) -> Response:
    """Off to make an account of the invited address."""
    invitations = context.of(request).accounts.team_invitations
    try:
        path = await invitations.account_path(
            request.path_params["token"], session.visitor(request)
        )
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    return RedirectResponse(path, 303)


PAGES: Final = (
    Route("/team-invitation/{token}", show),
    Route("/team-invitation/{token}", join, methods=["POST"]),
    Route("/team-invitation/{token}/account", sign_up, methods=["POST"]),
)
