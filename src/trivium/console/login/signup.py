"""Create an account: the address first, the rest by the link sent there; or by invitation."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.consent import login_notice
from trivium.console.refusals import refuse, words
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.model import Offer
from trivium.observe.audit.model import ActKind

FIRST: Final = "/admin/start"
"""Where the first administrator goes on."""


class SignupRequestForm(forms.Form, frozen=True, kw_only=True):
    """Where the letter goes."""

    email: forms.Line


class SignupForm(forms.Form, frozen=True, kw_only=True):
    """The account to make. ``email``: where the invitation has none."""

    name: forms.Line
    password: forms.Password
    email: str = ""


async def show(request: Request) -> Response:
    """Ask for an address, where anybody may make an account."""
    if await session.current(request) is not None:
        return RedirectResponse(session.HOME, 303)
    return _ask(request, forms.empty(SignupRequestForm))


async def ask(request: Request) -> Response:
    """Have the letter sent; the answer is the same for every address."""
    form = forms.filled(request, SignupRequestForm)
    if form.value is None:
        return _ask(request, form, 422)
    try:
        await context.of(request).accounts.signup.ask(form.value.email, session.visitor(request))
    except AccountError as error:
        refuse(form, error)
        return _ask(request, form, 422)
    return render.page(request, "login/sent.html", email=form.value.email, kind="signup")


async def show_link(request: Request) -> Response:
    """What a link offers, and the rest of the form."""
    try:
        offer = await context.of(request).accounts.signup.offer(request.path_params["token"])
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    return _finish(request, forms.empty(SignupForm), offer)


async def finish(request: Request) -> Response:
    """Create account and log in."""
    console = context.of(request)
    token = request.path_params["token"]
    form = forms.filled(request, SignupForm)
    try:
        offer = await console.accounts.signup.offer(token)
        if form.value is None:
            return _finish(request, form, offer, 422)
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    try:
        found = await console.accounts.signup.finish(
            token, form.value.name, form.value.password, session.visitor(request), form.value.email
        )
    except AccountError as error:
        refuse(form, error)
        return _finish(request, form, offer, 422)
    await session.log_act(request, ActKind.SIGN_UP, found.user.id)
    first = session.place(request, FIRST) if request.url.path.startswith("/setup/") else ""
    return await login_notice.enter(request, found, first)


def _ask(request: Request, form: forms.Filled[SignupRequestForm], status: int = 200) -> Response:
    mode = context.of(request).accounts.signup.mode
    return render.page(request, "login/signup.html", status=status, form=form, mode=mode)


def _finish(
    request: Request, form: forms.Filled[SignupForm], offer: Offer, status: int = 200
) -> Response:
    return render.page(request, "login/finish.html", status=status, form=form, offer=offer)


PAGES: Final = (
    Route("/setup/{token}", show_link),
    Route("/setup/{token}", finish, methods=["POST"]),
    Route("/sign-up", show),
    Route("/sign-up", ask, methods=["POST"]),
    Route("/sign-up/{token}", show_link),
    Route("/sign-up/{token}", finish, methods=["POST"]),
    Route("/invitation/{token}", show_link),
    Route("/invitation/{token}", finish, methods=["POST"]),
)
