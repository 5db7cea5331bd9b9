"""What accounts and teams spent, billed to customers: made out, printed and voided."""

import datetime as dt
from typing import Annotated, Final, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import NOT_STORED
from trivium.console.forms import row
from trivium.console.language import N_, text
from trivium.identity.errors import IdentityError
from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices.model import TEXT_MAX, Invoice, InvoiceTax, checked_tax
from trivium.ledger.invoices.service import (
    InvoiceRequest,
    Invoices,
    MissingInvoice,
    Told,
    billed,
)
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.service import dimensions
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection

AT: Final = "/admin/invoices"
PAGE: Final = 50
Lines = Annotated[str, msgspec.Meta(max_length=5_000)]


class InvoiceForm(forms.Form, frozen=True, kw_only=True):
    """What is billed, and to whom: days in UTC, both included."""

    account: forms.Line
    since: dt.date
    until: dt.date
    by: Literal["model", "team,model", "user,model", "key,model", "day"] = "model"
    customer: Lines = ""
    taxes: Lines = ""


class VoidInvoiceForm(forms.Form, frozen=True, kw_only=True):
    """Why an invoice is voided."""

    note: Annotated[str, msgspec.Meta(max_length=TEXT_MAX)] = ""


@session.admin
async def show(request: Request) -> Response:
    """Show the invoices, newest first, and a form for another: of the month before at first."""
    today = dt.datetime.fromtimestamp(context.of(request).clock.now(), dt.UTC).date()
    last = today.replace(day=1) - dt.timedelta(days=1)
    given = {"since": last.replace(day=1).isoformat(), "until": last.isoformat()}
    return await _page(request, forms.empty(InvoiceForm, by="model", **given))


@session.admin
@session.recent_at(AT)
async def issue(request: Request) -> Response:
    """Make out an invoice; of the same account and days there is one."""
    form = forms.filled(request, InvoiceForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, 422)
    try:
        asked = await _asked(request, wanted)
        made, is_new = await _invoices(request).issue(asked, _told(request, ActKind.INVOICE_ISSUED))
    except IdentityError:
        form.fail("account", N_("There is no user of this name or address."))
        return await _page(request, form, 422)
    except LedgerError as error:
        form.fail("", text(N_("No invoice was made out: %(why)s."), why=str(error)))
        return await _page(request, form, 422)
    said = N_("Invoice %(name)s is made out.") if is_new else N_("There is %(name)s for this.")
    return render.redirect(request, AT, said, name=made.name)


@session.admin
async def pdf(request: Request) -> Response:
    """The pages of an invoice, the same bytes each time."""
    invoices = _invoices(request)
    try:
        found, document = await invoices.one(request.path_params["invoice"])
        data, _ = await invoices.pdf(found, document)
    except MissingInvoice:
        raise HTTPException(404) from None
    except LedgerError as error:
        said = N_("It cannot be printed: %(why)s.")
        return render.redirect(request, AT, said, tone="bad", why=str(error))
    name = found.name.replace("/", "-")
    headers = {**NOT_STORED, "content-disposition": f'attachment; filename="{name}.pdf"'}
    return Response(data, headers=headers, media_type="application/pdf")


@session.admin
@session.recent_at(AT)
async def void(request: Request) -> Response:
    """Void an invoice: its number stays its own, and its days may be billed again."""
    form = forms.filled(request, VoidInvoiceForm).value or VoidInvoiceForm()
    number = request.path_params["invoice"]
    try:
        told = _told(request, ActKind.INVOICE_VOIDED)
        voided = await _invoices(request).void(number, form.note, told)
    except MissingInvoice:
        raise HTTPException(404) from None
    except LedgerError:
        said = N_("Nothing was changed: it is void already.")
        return render.redirect(request, AT, said, tone="bad")
    return render.redirect(request, AT, N_("Invoice %(name)s is void."), name=voided.name)


async def _asked(request: Request, wanted: InvoiceForm) -> InvoiceRequest:
    """What is to be billed. Raises ``IdentityError`` and ``LedgerError``."""
    console = context.of(request)
    user = await console.identity.find_user(wanted.account)
    below = None
    try:
        team = (await console.team_lists.chain(user.id)).get(user.id)
        if team is not None and not team.has_wallet:
            below = tuple(await console.team_lists.below(user.id))
    except IdentityError:
        pass  # no team: a person or a service account
    scope = billed(_day(wanted.since), _day(wanted.until), user.id, below)
    return InvoiceRequest(
        account_id=user.id,
        account=user.name,
        scope=scope,
        by=dimensions(wanted.by),
        taxes=tuple(_tax(line) for line in wanted.taxes.splitlines() if line.strip()),
        customer=tuple(line.strip() for line in wanted.customer.splitlines() if line.strip()),
    )


def _tax(line: str) -> InvoiceTax:
    """``VAT = 19%``, an amount in place of the rate, or a text alone. Raises ``LedgerError``."""
    if "=" not in line:
        return checked_tax(line.strip())
    name, _, value = line.rpartition("=")
    value = value.strip()
    if value.endswith("%"):
        return checked_tax(name.strip(), value[:-1].strip(), None)
    return checked_tax(name.strip(), None, value.removeprefix("$"))


def _day(day: dt.date) -> int:
    return int(dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC).timestamp()) // DAY_S


def _invoices(request: Request) -> Invoices:
    console = context.of(request)
    return Invoices(console.database, console.settings.invoices, console.clock)


def _told(request: Request, kind: ActKind) -> Told:
    log_act = session.act_logger(request)

    async def told(conn: Connection, invoice: Invoice) -> None:
        await log_act(conn, kind, invoice.account_id, f"invoice:{invoice.name}", None)

    return told


async def _page(request: Request, form: forms.Filled[InvoiceForm], status: int = 200) -> Response:
    console = context.of(request)
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else None
    found = await _invoices(request).page(None, before, PAGE + 1)
    rows = found[:PAGE]
    return render.page(
        request,
        "admin/invoices.html",
        status=status,
        form=form,
        rows=rows,
        names=await console.team_lists.names(each.account_id for each in rows),
        seller=console.settings.invoices.seller,
        at=AT,
        day_s=DAY_S,
        **render.paging(AT, {}, "before", before, rows[-1].id if len(found) > PAGE else None),
    )


PAGES: Final = (
    Route(AT, show),
    Route(AT, issue, methods=["POST"]),
    Route(f"{AT}/{row('invoice')}/pdf", pdf),
    Route(f"{AT}/{row('invoice')}/void", void, methods=["POST"]),
)
