"""Payments of everybody: what was begun, paid, given back, disputed and held."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.ledger.payments.model import Payment, PaymentState

AT: Final = "/admin/payments"
PAGE: Final = 50
STATES: Final = {
    PaymentState.HELD: N_("held"),
    PaymentState.OPEN: N_("begun"),
    PaymentState.PROCESSING: N_("on its way"),
    PaymentState.PAID: N_("paid"),
    PaymentState.FAILED: N_("failed"),
    PaymentState.EXPIRED: N_("expired"),
}
"""Those that want a decision first."""


@session.admin
async def show(request: Request) -> Response:
    """Show the newest payments, or those before a given one; of one user, in one state."""
    asked = request.query_params
    state = next((each for each in STATES if each.value == asked.get("state")), None)
    user_id, given = _number(asked.get("user", "")), asked.get("before", "")
    found = await context.of(request).payments.newest(
        user_id, state, PAGE + 1, before=_number(given)
    )
    rows = found[:PAGE]
    kept = ({"state": state.value} if state else {}) | ({"user": str(user_id)} if user_id else {})
    return render.page(
        request,
        "admin/payments.html",
        rows=rows,
        state=state,
        states=STATES,
        user_id=user_id,
        names=await _names(request, rows),
        at=AT,
        **render.paging(AT, kept, "before", given, rows[-1].id if len(found) > PAGE else None),
    )


@session.admin
async def one(request: Request) -> Response:
    """Show one payment with all that is known of it."""
    found = await context.of(request).payments.one(request.path_params["payment"])
    if found is None:
        raise HTTPException(404)
    names = await _names(request, [found])
    return render.page(
        request, "admin/payment.html", payment=found, names=names, states=STATES, at=AT
    )


async def _names(request: Request, payments: list[Payment]) -> dict[int, str]:
    """Names of those who pay, by id."""
    names, _ = await context.of(request).requests.names([each.user_id for each in payments], ())
    return names


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= forms.DIGITS_MAX else None


PAGES: Final = (Route(AT, show), Route(f"{AT}/{row('payment')}", one))
