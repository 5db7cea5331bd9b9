"""A forgotten password: a link by letter, and a new one."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.language import N_
from trivium.console.refusals import refuse, words
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.observe.audit.model import ActKind


class ResetRequestForm(forms.Form, frozen=True, kw_only=True):
    """The form that asks which password was forgotten, by name or address."""

    name: forms.Line


class Reset(forms.Form, frozen=True, kw_only=True):
    """The form of the new password."""

    password: forms.Password
    revoke: bool = False


async def show(request: Request) -> Response:
    """Show the form that asks for a name or an address."""
    return _ask(request, forms.empty(ResetRequestForm))


async def ask(request: Request) -> Response:
    """Have a letter sent, if there is such a user; the answer is the same if not."""
    form = forms.filled(request, ResetRequestForm)
    if form.value is None:
        return _ask(request, form, 422)
    try:
        await context.of(request).accounts.recovery.ask_reset(
            form.value.name, session.visitor(request)
        )
    except AccountError as error:
        refuse(form, error)
        return _ask(request, form, 422)
    return render.page(request, "login/sent.html", email=form.value.name, kind="reset")


async def show_link(request: Request) -> Response:
    """Show the form that the letter's link leads to."""
    try:
        await context.of(request).accounts.recovery.show_reset(request.path_params["token"])
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    return render.page(request, "login/reset.html", form=forms.empty(Reset))


async def reset(request: Request) -> Response:
    """Set the new password; every session ends, and what programs may do if that is asked."""
    form = forms.filled(request, Reset)
    if form.value is not None:
        try:
            user = await context.of(request).accounts.recovery.reset(
                request.path_params["token"], form.value.password, session.visitor(request)
            )
        except AccountError as error:
            if error.why is AccountRefusal.TICKET_GONE:
                return render.page(request, "login/gone.html", status=410, message=words(error))
            refuse(form, error)
        else:
            await session.log_act(request, ActKind.PASSWORD_RESET, user.id)
            notice = N_("Your password is set. Please log in with it.")
            if form.value.revoke:
                await context.of(request).oauth.shut_out(user.id, sender(request))
                notice = N_(
                    "Your password is set, and no application and no developer token has access "
                    "any more. Please log in with it."
                )
            return render.redirect(request, "/login", notice)
    return render.page(request, "login/reset.html", status=422, form=form)


def _ask(request: Request, form: forms.Filled[ResetRequestForm], status: int = 200) -> Response:
    is_open = context.of(request).accounts.emails.is_open
    return render.page(request, "login/forgot.html", status=status, form=form, letters=is_open)


PAGES: Final = (
    Route("/password/forgot", show),
    Route("/password/forgot", ask, methods=["POST"]),
    Route("/password/reset/{token}", show_link),
    Route("/password/reset/{token}", reset, methods=["POST"]),
)
