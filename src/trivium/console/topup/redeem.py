"""Redeeming a code on the top-up page: booked at once, guesses counted."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.console.topup import topup
from trivium.ledger.amounts import format_usd
from trivium.ledger.codes.model import CodeError
from trivium.ledger.codes.model import CodeRefusal as Why
from trivium.observe.audit.model import ActKind

GUESSES_MAX: Final = 10
"""Codes that brought nothing, of one user, within ``GUESSES_S``."""
GUESSES_S: Final = 3600

SAID: Final = {
    Why.MISTYPED: N_("This is no code: a character is wrong or missing."),
    Why.UNKNOWN: N_("There is no such code."),
    Why.REDEEMED: N_("This code has been redeemed already."),
    Why.REVOKED: N_("This code has been revoked."),
    Why.EXPIRED: N_("This code has expired."),
}
"""Why a code brought nothing."""


class Redeem(forms.Form, frozen=True, kw_only=True):
    """The code, however it was written down."""

    code: forms.Line


@session.signed_in
async def redeem(request: Request) -> Response:
    """Book what a code is worth."""
    console = context.of(request)
    user = session.user_of(request)
    form = forms.filled(request, Redeem)
    if form.value is None:
        return await topup.page(request, code_form=form, status=422)
    since_ms = int((console.clock.now() - GUESSES_S) * 1000)
    guesses = await console.audit.count(ActKind.REDEEM_FAILED, user.id, since_ms)
    if guesses >= GUESSES_MAX:
        form.fail("code", N_("Too many codes were wrong. Please try again in an hour."))
        return await topup.page(request, code_form=form, status=429)
    try:
        entry = await console.codes.redeem(user.id, form.value.code)
    except CodeError as error:
        await session.log_act(request, ActKind.REDEEM_FAILED, user.id, why=error.why.value)
        form.fail("code", text(SAID[error.why]))
        return await topup.page(request, code_form=form, status=422)
    amount = format_usd(entry.amount_nanos)
    what = entry.request_id or ""
    await session.log_act(request, ActKind.REDEEMED, user.id, what, amount=amount)
    return render.redirect(request, "/topup", N_("$%(amount)s were added."), amount=amount)


PAGES: Final = (Route("/topup/code", redeem, methods=["POST"]),)
