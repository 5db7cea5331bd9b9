"""Topping up: the account it goes to, amounts, what became of earlier payments.

A payer leaves for the provider's page and comes back to a page of the payment's own, which proves
nothing: it says what the provider's signed event has told, and looks again while there is none. The
signature of an event is all the authentication there is.
"""

from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.payments.model import (
    WAITING,
    Payment,
    PaymentError,
    PaymentRefusal,
    PaymentState,
)
from trivium.oauth import redirect

_STATUS: Final = {PaymentRefusal.NOT_CONFIGURED: 404, PaymentRefusal.FORGED: 400}


async def hear(request: Request) -> Response:
    """Book what an event says. Any 2xx tells the provider not to send it again."""
    body = await request.body()
    payments = context.of(request).payments
    try:
        outcome = await payments.hear(
            request.path_params["provider"], body, dict(request.headers.items())
        )
    except PaymentError as error:
        status = _STATUS.get(error.why, 503)
        return JSONResponse({"error": error.why.value}, status_code=status)
    return JSONResponse({"outcome": outcome.value})


ENDPOINTS: Final = (Route("/webhooks/{provider:str}", hear, methods=["POST"]),)


class From(msgspec.Struct, frozen=True, kw_only=True):
    """The application behind a visit."""

    app_id: int
    name: str
    back: str
    """The origin of its registered address."""
    is_other: bool
    """It knows the user by another account than the one that is logged in."""
    client_id: str
    value: str
    """As it came, to be passed on with the form."""


class TopupOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """What an address says of where its visitor comes from."""

    sent_by: From | None = None
    is_broken: bool = False
    """It names an application, but the value is not ours or too old."""


async def visit(request: Request, user_id: int, client_id: str, value: str) -> TopupOrigin:
    """Who sent this visitor."""
    if not client_id and not value:
        return TopupOrigin()
    found = await context.of(request).oauth.topup_of(client_id, value)
    if found is None or not found[1].works:
        return TopupOrigin(is_broken=True)
    who, app = found
    return TopupOrigin(
        sent_by=From(
            app_id=app.id,
            name=app.name,
            back=redirect.origin(app.redirect_uri),
            is_other=who.user_id != user_id,
            client_id=client_id,
            value=value,
        )
    )


async def back(request: Request, app_id: int | None) -> tuple[str, str] | None:
    """Name and origin of the application a payment came from, while it may be used."""
    if app_id is None:
        return None
    app = await context.of(request).oauth.app_of(app_id)
    if app is None or not app.works:
        return None
    return app.name, redirect.origin(app.redirect_uri)


PATIENCE_S: Final = 900
"""How long the page of a payment looks again by itself."""
LOOK_S: Final = 4
SHOWN: Final = 10

STATES: Final = {
    PaymentState.OPEN: (N_("Waiting"), "info"),
    PaymentState.PROCESSING: (N_("On its way"), "info"),
    PaymentState.PAID: (N_("Paid"), "good"),
    PaymentState.FAILED: (N_("Failed"), "bad"),
    PaymentState.EXPIRED: (N_("Expired"), "neutral"),
    PaymentState.HELD: (N_("With the operator"), "warn"),
}
"""What a state is called, and in which colour."""


class TopUp(forms.Form, frozen=True, kw_only=True):
    """An amount, offered or typed; ``app`` and ``t`` as the page's address had them."""

    offered: str = ""
    amount: str = ""
    app: str = ""
    t: str = ""


@session.signed_in
async def show(request: Request) -> Response:
    """Show the amounts, and what became of earlier payments."""
    return await page(request)


@session.signed_in
async def begin(request: Request) -> Response:
    """Off to the provider's page."""
    console = context.of(request)
    user = session.user_of(request)
    form = forms.filled(request, TopUp)
    amount_nanos = _amount(form)
    if amount_nanos is None:
        return await page(request, form=form, status=422)

    def urls(reference: str) -> tuple[str, str]:
        return f"{console.origin}/topup/{reference}", f"{console.origin}/topup"

    try:
        _, url = await console.payments.begin(
            user.id,
            amount_nanos,
            urls,
            email=user.email,
            app_id=await _app_of(request, user.id, form),
            address=request.client.host if request.client else "",
            agent=request.headers.get("user-agent", ""),
        )
    except PaymentError as error:
        _refuse(form, error, console.payments.minimum_nanos, console.payments.maximum_nanos)
        status = 503 if error.why is PaymentRefusal.UNAVAILABLE else 422
        return await page(request, form=form, status=status)
    return RedirectResponse(url, 303)


@session.signed_in
async def payment(request: Request) -> Response:
    """What became of a payment of the user's own."""
    console = context.of(request)
    user = session.user_of(request)
    found = await console.payments.find(request.path_params["reference"], user.id)
    if found is None:
        raise HTTPException(404)
    waits = found.state in WAITING
    is_young = console.clock.now() - found.created_at < PATIENCE_S
    return render.page(
        request,
        "topup/payment.html",
        payment=found,
        state=STATES[found.state],
        waits=waits,
        look_s=LOOK_S if waits and is_young else 0,
        balance_nanos=await console.entries.balance(user.id),
        contact=console.settings.payments.contact,
        back=await back(request, found.app_id),
    )


async def _app_of(request: Request, user_id: int, form: forms.Filled[TopUp]) -> int | None:
    """The application a payment is put down to: only one that meant this account."""
    found = await visit(request, user_id, form.first("app"), form.first("t"))
    return found.sent_by.app_id if found.sent_by and not found.sent_by.is_other else None


async def page(
    request: Request,
    *,
    form: forms.Filled[TopUp] | None = None,
    code_form: forms.Filled[Any] | None = None,
    status: int = 200,
) -> Response:
    """The page with whatever form of it was wrong."""
    console = context.of(request)
    user = session.user_of(request)
    payments = console.payments
    given = form.first if form else lambda name: request.query_params.get(name, "")[:500]
    return render.page(
        request,
        "topup/topup.html",
        status=status,
        visit=await visit(request, user.id, given("app"), given("t")),
        form_origins=[payments.page_url] if payments.page_url else [],
        form=form or forms.empty(TopUp, offered=_first(payments.offered_nanos)),
        code_form=code_form or forms.empty(forms.Form),
        balance_nanos=await console.entries.balance(user.id),
        offered=[(format_usd(nanos), nanos) for nanos in payments.offered_nanos],
        minimum_nanos=payments.minimum_nanos,
        maximum_nanos=payments.maximum_nanos,
        provider=payments.provider,
        contact=console.settings.payments.contact,
        payments=[_row(each) for each in await payments.newest(user.id, limit=SHOWN)],
    )


def _row(each: Payment) -> tuple[Payment, str, str]:
    return (each, *STATES[each.state])


def _first(offered: tuple[int, ...]) -> str | None:
    return format_usd(offered[0]) if offered else None


def _amount(form: forms.Filled[TopUp]) -> int | None:
    """The amount meant; ``None`` when what is wrong with it has been said."""
    given = form.value
    if given is None:
        return None
    # a typed amount is meant: the offer beside it is only what was chosen at first
    try:
        return parse_usd(given.amount or given.offered)
    except LedgerError:
        form.fail("amount", N_("Please write US dollars as digits, such as 25 or 12.50."))
        return None


def _refuse(
    form: forms.Filled[TopUp], error: PaymentError, minimum_nanos: int, maximum_nanos: int
) -> None:
    if error.why is PaymentRefusal.AMOUNT:
        form.fail(
            "amount",
            text(
                N_("Please choose an amount from $%(low)s to $%(high)s, in whole cents."),
                low=format_usd(minimum_nanos),
                high=format_usd(maximum_nanos),
            ),
        )
    elif error.why is PaymentRefusal.TOO_MANY:
        form.fail("", N_("You have begun several payments just now. Please wait a while."))
    elif error.why is PaymentRefusal.UNAVAILABLE:
        form.fail("", N_("The payment provider cannot be reached. Nothing was charged."))
    else:
        form.fail("", N_("Payments are not set up here."))


PAGES: Final = (
    Route("/topup", show, methods=["GET"]),
    Route("/topup", begin, methods=["POST"]),
    Route("/topup/{reference:str}", payment, methods=["GET"]),
)
