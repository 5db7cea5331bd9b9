"""Link and unlink logins kept by other providers."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.login.sso import leave
from trivium.console.refusals import words
from trivium.console.security.overview import HOME
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.sso.model import SsoPurpose
from trivium.observe.audit.model import ActKind


class SsoLoginIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one linked login, by its id."""

    login: int


@session.recent_at(HOME)
async def link(request: Request) -> Response:
    """Off to the provider, to link what is there."""
    return await leave(request, SsoPurpose.LINK)


@session.recent_at(HOME)
async def unlink(request: Request) -> Response:
    """Unlink the login of the form, unless it is the last way in."""
    found = await session.of(request)
    form = forms.filled(request, SsoLoginIdForm).value
    outside = context.of(request).accounts.outside
    try:
        if form is None or not await outside.unlink(found, form.login):
            raise HTTPException(404)
    except AccountError as error:
        return render.redirect(request, HOME, words(error).message, tone="warn")
    await session.log_act(
        request, ActKind.OUTSIDE_LOGIN_REMOVED, found.user.id, f"login:{form.login}"
    )
    return render.redirect(request, HOME, N_("The login is unlinked."))


PAGES: Final = (
    Route(f"{HOME}/outside/{{name}}", link, methods=["POST"]),
    Route(f"{HOME}/unlink", unlink, methods=["POST"]),
)
