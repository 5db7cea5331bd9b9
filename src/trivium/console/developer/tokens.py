"""Developer tokens: made after a recent login, shown once, revoked."""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.developer.apps import HOME, refuse
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN, TEAMS
from trivium.oauth.errors import RegistrationError


class NewToken(forms.Form, frozen=True, kw_only=True):
    """The form of a new token: its purpose and its lifetime."""

    name: forms.Line
    permission: Literal["oauth_apps:write", "teams:manage", "admin"] = "oauth_apps:write"
    days: Literal["7", "30", "90", "365"] = "90"


@session.recent
async def show_new(request: Request) -> Response:
    """Show the form for a new token."""
    return _page(request, forms.empty(NewToken, days="90"))


@session.recent
async def create(request: Request) -> Response:
    """Make it, and show it this once."""
    console = context.of(request)
    form = forms.filled(request, NewToken)
    if form.value is None:
        return _page(request, form, 422)
    try:
        token, secret = await console.oauth.developer.create(
            session.user_of(request).id,
            form.value.name,
            int(form.value.days),
            sender(request),
            permission=form.value.permission,
        )
    except RegistrationError as error:
        refuse(form, error)
        return _page(request, form, 422)
    return render.page(
        request,
        "developer/token_made.html",
        token=token,
        secret=secret,
        administers=ADMIN in token.permissions,
        manages=TEAMS in token.permissions,
        registration=f"{console.oauth.addresses.api}/api/oauth_apps",
        administration=f"{console.origin}/api/admin/users",
        teams=f"{console.origin}/api/admin/teams",
    )


@session.signed_in
async def revoke(request: Request) -> Response:
    """Refuse it from now on."""
    try:
        await context.of(request).oauth.developer.revoke(
            session.user_of(request).id, request.path_params["token_id"], sender(request)
        )
    except RegistrationError:
        raise HTTPException(404) from None
    return render.redirect(request, HOME, N_("The developer token is revoked."))


def _page(request: Request, form: forms.Filled[NewToken], status: int = 200) -> Response:
    is_admin = session.user_of(request).role is UserRole.ADMIN
    return render.page(
        request, "developer/token_new.html", status=status, form=form, is_admin=is_admin
    )


PAGES: Final = (
    Route(f"{HOME}/tokens/new", show_new),
    Route(f"{HOME}/tokens/new", create, methods=["POST"]),
    Route(f"{HOME}/tokens/{row('token_id')}/revoke", revoke, methods=["POST"]),
)
