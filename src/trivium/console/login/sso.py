"""Off to a provider of logins, and back; and logins there that are linked to an account.

Leaving is a form, so that no other site sends our people anywhere. The answer to it is a page that
goes on by itself: were it a redirect, the provider's origin would have to be allowed as the target
of every form that may lead there.
"""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, cookies, forms, render, session
from trivium.console.consent import login_notice
from trivium.console.language import N_
from trivium.console.refusals import words
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import HalfWay, LoggedIn
from trivium.identity.accounts.sso.model import SsoPurpose, SsoRedirect, SsoResult
from trivium.observe.audit.model import ActKind

TRIP: Final = "gw_trip"
"""The cookie of somebody who is at a provider."""
TRIP_S: Final = 600
SECURITY: Final = "/account/security"
_ANSWER: Final = ("code", "state", "iss", "error")


class Leave(forms.Form, frozen=True, kw_only=True):
    """Where to go on afterwards."""

    place: str = ""


async def enter(request: Request) -> Response:
    """Off, to log in."""
    return await leave(request, SsoPurpose.ENTER)


@session.signed_in
async def confirm(request: Request) -> Response:
    """Off, to prove again who one is."""
    return await leave(request, SsoPurpose.CONFIRM)


async def leave(request: Request, purpose: SsoPurpose) -> Response:
    """Redirect the browser to the provider that the path names."""
    console = context.of(request)
    name = request.path_params["name"]
    place = (forms.filled(request, Leave).value or Leave()).place
    found = await session.current(request)
    try:
        left = await console.accounts.outside.begin(
            name, session.visitor(request), purpose=purpose, session=found, place=place
        )
    except AccountError as error:
        if error.why is AccountRefusal.CONFIRM_FIRST:
            back = session.place(request, SECURITY)
            return RedirectResponse(f"/login/confirm?for={back}", 303)
        return render.page(request, "login/gone.html", status=422, message=words(error))
    return _off(request, name, left)


async def back(request: Request) -> Response:
    """Handle a browser that comes back from a provider: log in, link, or show why not."""
    console = context.of(request)
    visitor = session.visitor(request)
    query = request.query_params
    # of a parameter that comes twice nobody knows which one counts
    said = {name: query[name] for name in _ANSWER if len(query.getlist(name)) == 1}
    try:
        arrived = await console.accounts.outside.finish(
            request.path_params["name"],
            cookies.read(request, TRIP),
            said,
            visitor,
            session=await session.current(request),
            token=session.token(request),
        )
    except AccountError as error:
        await session.tell_failed(request, error)
        answer = render.page(request, "login/gone.html", status=422, message=words(error))
    else:
        answer = await _in(request, arrived)
    cookies.forget(request, answer, TRIP)
    return answer


async def _in(request: Request, arrived: SsoResult) -> Response:
    if isinstance(arrived.outcome, LoggedIn):
        return await login_notice.enter(request, arrived.outcome, arrived.place)
    if isinstance(arrived.outcome, HalfWay):
        return session.half_way(request, arrived.outcome.token, arrived.place)
    if arrived.purpose is SsoPurpose.LINK:
        user_id = session.user_of(request).id
        what = request.path_params["name"]
        await session.log_act(request, ActKind.OUTSIDE_LOGIN_ADDED, user_id, what)
        answer = render.redirect(request, SECURITY, N_("The login is linked to your account."))
    else:
        answer = RedirectResponse(session.after(request, arrived.place), 303)
    session.renew(request, answer, arrived.token)
    return answer


def _off(request: Request, name: str, left: SsoRedirect) -> Response:
    title = dict(context.of(request).accounts.outside.offered)[name]
    answer = login_notice.moving(request, left.url, title)
    cookies.give(request, answer, TRIP, left.step, TRIP_S)
    return answer


class SsoLoginIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one linked login, by its id."""

    login: int


@session.recent_at(SECURITY)
async def link(request: Request) -> Response:
    """Off to the provider, to link what is there."""
    return await leave(request, SsoPurpose.LINK)


@session.recent_at(SECURITY)
async def unlink(request: Request) -> Response:
    """Unlink the login of the form, unless it is the last way in."""
    found = await session.of(request)
    form = forms.filled(request, SsoLoginIdForm).value
    outside = context.of(request).accounts.outside
    try:
        if form is None or not await outside.unlink(found, form.login):
            raise HTTPException(404)
    except AccountError as error:
        return render.redirect(request, SECURITY, words(error).message, tone="warn")
    await session.log_act(
        request, ActKind.OUTSIDE_LOGIN_REMOVED, found.user.id, f"login:{form.login}"
    )
    return render.redirect(request, SECURITY, N_("The login is unlinked."))


PAGES: Final = (
    Route("/login/outside/{name}", enter, methods=["POST"]),
    Route("/login/confirm/outside/{name}", confirm, methods=["POST"]),
    Route("/login/outside/{name}/callback", back),
    Route(f"{SECURITY}/outside/{{name}}", link, methods=["POST"]),
    Route(f"{SECURITY}/unlink", unlink, methods=["POST"]),
)
