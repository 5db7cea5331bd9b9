"""Giving balance by hand: for administrators who have just proved who they are."""

import re
import secrets
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.identity.errors import IdentityError
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import Entry, EntryKind
from trivium.observe.audit.model import ActKind

if TYPE_CHECKING:
    from trivium.storage.database import Connection

_ONCE: Final = re.compile(r"[0-9A-Za-z_-]{22}")


class Credit(forms.Form, frozen=True, kw_only=True):
    """What is given to whom. ``once`` makes a form that is sent twice count once."""

    user: forms.Line
    amount: forms.Line
    note: Annotated[str, msgspec.Meta(max_length=200)] = ""
    once: str = ""


@session.admin
@session.recent
async def show(request: Request) -> Response:
    """The form; ``?user=`` says for whom."""
    wanted = request.query_params.get("user", "")[:254]
    return _page(request, forms.empty(Credit, user=wanted))


@session.admin
@session.recent
async def give(request: Request) -> Response:
    """Book it, once, as the administrator's act."""
    console = context.of(request)
    form = forms.filled(request, Credit)
    given = form.value
    if given is None or not _ONCE.fullmatch(given.once):
        if given is not None:
            form.fail("", N_("This form is too old. Please send it again."))
        return _page(request, form, 422)
    try:
        amount_nanos = parse_usd(given.amount)
    except LedgerError:
        amount_nanos = 0
    if not amount_nanos:
        form.fail("amount", N_("Please write US dollars as digits, such as 25 or -12.50."))
        return _page(request, form, 422)
    try:
        user = await console.identity.find_user(given.user)
    except IdentityError:
        form.fail("user", N_("There is no user of this name or address."))
        return _page(request, form, 422)
    kind = EntryKind.TOP_UP if amount_nanos > 0 else EntryKind.ADJUSTMENT
    once = f"credit:{given.once}"
    amount = format_usd(amount_nanos)
    told = session.teller(request)

    async def tell(conn: "Connection", entry: Entry) -> None:
        await told(conn, ActKind.USER_CREDIT, user.id, f"entry:{entry.id}", {"amount": amount})

    try:
        await console.entries.book(user.id, kind, amount_nanos, given.note, once, along=tell)
    except LedgerError as error:
        form.fail("", text(N_("Nothing was booked: %(why)s."), why=str(error)))
        return _page(request, form, 422)
    balance = format_usd(await console.entries.balance(user.id))
    return render.redirect(
        request,
        "/admin/credit",
        N_("$%(amount)s were booked for %(user)s, whose balance is $%(balance)s."),
        amount=amount,
        user=user.name,
        balance=balance,
    )


def _page(request: Request, form: forms.Filled[Credit], status: int = 200) -> Response:
    once = form.first("once")
    if not _ONCE.fullmatch(once):
        once = secrets.token_urlsafe(16)
    return render.page(request, "topup/credit.html", status=status, form=form, once=once)


PAGES: Final = (
    Route("/admin/credit", show, methods=["GET"]),
    Route("/admin/credit", give, methods=["POST"]),
)
