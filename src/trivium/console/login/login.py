"""Log in, prove again who one is, log out."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.consent import login_notice
from trivium.console.refusals import refuse
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.model import HalfWay


class LoginForm(forms.Form, frozen=True, kw_only=True):
    """Who, and the proof."""

    name: forms.Line
    password: forms.Password
    place: str = ""


class Confirm(forms.Form, frozen=True, kw_only=True):
    """The form of a page that asks a logged-in user for the password again."""

    password: forms.Password
    place: str = ""


async def show(request: Request) -> Response:
    """Show the login page. A user who is logged in already is redirected at once."""
    place = request.query_params.get("for", "")
    if await session.current(request) is not None:
        return RedirectResponse(session.after(request, place), 303)
    return await _page(request, forms.empty(LoginForm, place=place))


async def log_in(request: Request) -> Response:
    """Try name and password."""
    console = context.of(request)
    form = forms.filled(request, LoginForm)
    if form.value is None:
        return await _page(request, form, 422)
    visitor = session.visitor(request)
    try:
        found = await console.accounts.login.with_password(
            form.value.name, form.value.password, visitor
        )
    except AccountError as error:
        await session.tell_failed(request, error)
        return await _page(request, form, refuse(form, error))
    if isinstance(found, HalfWay):
        return session.half_way(request, found.token, form.value.place)
    return await login_notice.enter(request, found, form.value.place)


async def _page(request: Request, form: forms.Filled[Any], status: int = 200) -> Response:
    console = context.of(request)
    path = session.after(request, form.first("place"))
    return render.page(
        request,
        "login/login.html",
        status=status,
        form=form,
        purpose=await login_notice.notice_of(request, path),
        signup=console.accounts.signup.mode,
        letters=console.accounts.emails.is_open,
        passkeys=console.accounts.passkeys.party is not None,
        outside=console.accounts.outside.offered,
        insecure=not console.secure and not session.is_loopback(request),
    )


@session.signed_in
async def show_confirm(request: Request) -> Response:
    """Ask again for the password."""
    form = forms.empty(Confirm, place=request.query_params.get("for", ""))
    return await _confirm(request, form)


@session.signed_in
async def confirm(request: Request) -> Response:
    """Check the password again, after which the session allows sensitive acts."""
    console = context.of(request)
    form = forms.filled(request, Confirm)
    found = await session.of(request)
    if form.value is not None:
        try:
            token = await console.accounts.login.confirm(
                session.token(request), found, form.value.password
            )
        except AccountError as error:
            refuse(form, error, current="password")
        else:
            answer = RedirectResponse(session.after(request, form.value.place), 303)
            session.renew(request, answer, token)
            return answer
    return await _confirm(request, form, 422)


async def _confirm(request: Request, form: forms.Filled[Confirm], status: int = 200) -> Response:
    accounts = context.of(request).accounts
    user_id = session.user_of(request).id
    linked = {login.issuer for login in await accounts.outside.of_user(user_id)}
    return render.page(
        request,
        "login/confirm.html",
        status=status,
        form=form,
        has_password=await accounts.login.has_password(user_id),
        passkeys=bool(await accounts.passkeys.of_user(user_id)),
        outside=accounts.outside.offered_for(linked),
    )


async def log_out(request: Request) -> Response:
    """End the session, here and in the browser."""
    await context.of(request).accounts.sessions.end(session.token(request))
    answer = RedirectResponse("/login", 303)
    session.end(request, answer)
    return answer


PAGES: Final = (
    Route("/login", show),
    Route("/login", log_in, methods=["POST"]),
    Route("/login/confirm", show_confirm),
    Route("/login/confirm", confirm, methods=["POST"]),
    Route("/logout", log_out, methods=["POST"]),
)
