"""The security page: every way in, every session, and the password."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.language import N_
from trivium.console.refusals import refuse
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.observe.audit.model import ActKind

_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
NAME_CHARS_MAX: Final = 40


def name(agent: str) -> str:
    """``Firefox, Linux``; its first word for other programs; empty when it says nothing."""
    browser = next((label for mark, label in _BROWSERS if mark in agent), "")
    system = next((label for mark, label in _SYSTEMS if mark in agent), "")
    found = ", ".join(part for part in (browser, system) if part)
    return found or next(iter(agent.split()), "")[:NAME_CHARS_MAX]


HOME: Final = "/account/security"


class Password(forms.Form, frozen=True, kw_only=True):
    """The form of another password. ``current`` stays empty for a user who has none yet."""

    password: forms.Password
    current: str = ""
    revoke: bool = False


class SessionIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one session, by its id."""

    session: int


@session.signed_in
async def show(request: Request) -> Response:
    """Show the ways in, the sessions, and the form for a password."""
    return await page(request)


@session.signed_in
async def change(request: Request) -> Response:
    """Set another password; every other session ends, and what programs may do if that is asked."""
    found = await session.of(request)
    form = forms.filled(request, Password)
    if form.value is None:
        return await page(request, password=form, status=422)
    try:
        token = await context.of(request).accounts.recovery.change_password(
            session.token(request),
            found,
            form.value.current,
            form.value.password,
            session.visitor(request),
        )
    except AccountError as error:
        if error.why is AccountRefusal.CONFIRM_FIRST:
            place = session.place(request, HOME)
            return RedirectResponse(f"/login/confirm?for={place}", 303)
        return await page(request, password=form, status=refuse(form, error))
    await session.log_act(request, ActKind.PASSWORD_CHANGED, found.user.id)
    notice = N_("Your password is changed, and you are logged out everywhere else.")
    if form.value.revoke:
        await context.of(request).oauth.shut_out(found.user.id, sender(request))
        notice = N_(
            "Your password is changed, you are logged out everywhere else, "
            "and no application and no developer token has access any more."
        )
    answer = render.redirect(request, HOME, notice)
    session.renew(request, answer, token)
    return answer


@session.signed_in
async def end(request: Request) -> Response:
    """End one session; this one is what "Log out" is for."""
    user = session.user_of(request)
    form = forms.filled(request, SessionIdForm).value
    sessions = context.of(request).accounts.sessions
    if form is None or not await sessions.end_one(user.id, form.session):
        raise HTTPException(404)
    await session.log_act(request, ActKind.SESSION_ENDED, user.id, f"session:{form.session}")
    return render.redirect(request, HOME, N_("The session is ended."))


@session.signed_in
async def end_all(request: Request) -> Response:
    """Log out everywhere, here too."""
    user = session.user_of(request)
    await context.of(request).accounts.sessions.end_all(user.id)
    await session.log_act(request, ActKind.LOGOUT_EVERYWHERE, user.id)
    answer = render.redirect(request, "/login", N_("You are logged out everywhere."))
    session.end(request, answer)
    return answer


async def page(
    request: Request, *, password: forms.Filled[Password] | None = None, status: int = 200
) -> Response:
    """The page, with a form that something is wrong with."""
    accounts = context.of(request).accounts
    found = await session.of(request)
    user_id = found.user.id
    linked = await accounts.outside.of_user(user_id)
    return render.page(
        request,
        "security/overview.html",
        status=status,
        password=password or forms.empty(Password),
        has_password=await accounts.login.has_password(user_id),
        programs=await context.of(request).oauth.programs(user_id),
        factor=await accounts.factor.state(user_id),
        passkeys=await accounts.passkeys.of_user(user_id),
        passkeys_offered=accounts.passkeys.party is not None,
        linked=[(each, accounts.outside.title_of(each.issuer)) for each in linked],
        offered=accounts.outside.offered,
        here=found.id,
        seen=[(each, name(each.agent)) for each in await accounts.sessions.of_user(user_id)],
    )


PAGES: Final = (
    Route(HOME, show),
    Route(f"{HOME}/password", change, methods=["POST"]),
    Route(f"{HOME}/sessions/end", end, methods=["POST"]),
    Route(f"{HOME}/sessions/end-all", end_all, methods=["POST"]),
)
