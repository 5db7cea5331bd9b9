"""The second step of a login: a code of the authenticator app, or a recovery code."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, cookies, forms, render, session
from trivium.console.consent import login_notice
from trivium.console.refusals import refuse, words
from trivium.identity.accounts.errors import AccountError, AccountRefusal


class LoginCodeForm(forms.Form, frozen=True, kw_only=True):
    """The code that was typed: of the app, or a recovery code."""

    code: forms.Line
    place: str = ""


async def show(request: Request) -> Response:
    """Ask for the code; without a first step there is nothing to ask."""
    if not cookies.read(request, session.STEP):
        return RedirectResponse("/login", 303)
    return _page(request, forms.empty(LoginCodeForm, place=request.query_params.get("for", "")))


async def enter(request: Request) -> Response:
    """Check the code, and complete the login if it is right."""
    console = context.of(request)
    form = forms.filled(request, LoginCodeForm)
    if form.value is None:
        return _page(request, form, 422)
    visitor = session.visitor(request)
    try:
        step = cookies.read(request, session.STEP)
        found = await console.accounts.factor.enter(step, form.value.code, visitor)
    except AccountError as error:
        if error.why is AccountRefusal.TICKET_GONE:
            return render.page(request, "login/gone.html", status=410, message=words(error))
        await session.tell_failed(request, error)
        return _page(request, form, refuse(form, error))
    answer = await login_notice.enter(request, found, form.value.place)
    cookies.forget(request, answer, session.STEP)
    return answer


def _page(request: Request, form: forms.Filled[LoginCodeForm], status: int = 200) -> Response:
    return render.page(request, "login/code.html", status=status, form=form)


PAGES: Final = (Route("/login/code", show), Route("/login/code", enter, methods=["POST"]))
