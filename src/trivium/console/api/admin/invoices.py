"""``/api/admin/invoices``: made out and voided by administrators; read also by whoever may see what
the account or team spent.
"""

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, whole
from trivium.console.api.admin.teams import actor_of
from trivium.console.api.answer import NOT_STORED, ApiError
from trivium.identity.teams.rights import TeamAction, may
from trivium.ledger.invoices.model import (
    Invoice,
    InvoiceDocument,
    InvoiceTax,
    checked_tax,
    plain,
)
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
from trivium.settings.prices import day

if TYPE_CHECKING:
    from trivium.storage.database import Connection

PAGE_MAX: Final = 200
PAGE: Final = 50


class NewTax(ApiBody, frozen=True, kw_only=True):
    """A tax line: a text, with a rate or an amount unless it has none."""

    text: str
    rate: str | None = None
    amount: str | None = None


class NewInvoice(ApiBody, frozen=True, kw_only=True, rename={"since": "from", "until": "to"}):
    """What is billed, and to whom."""

    account_id: int
    since: str
    until: str
    by: str = "model"
    customer: tuple[str, ...] = ()
    taxes: tuple[NewTax, ...] = ()


class VoidedInvoice(ApiBody, frozen=True, kw_only=True):
    """Why an invoice is voided."""

    note: str = ""


async def issue(asked: AdminRequest) -> Any:
    """Make out an invoice, or answer with the one that there is."""
    wanted: NewInvoice = asked.body
    user = await asked.console.directory.one(wanted.account_id)
    teams = await asked.console.teams.all()
    team = teams.get(user.id)
    below = None if team is None or team.has_wallet else tuple(teams.below(user.id))
    request = InvoiceRequest(
        account_id=user.id,
        account=user.name,
        scope=billed(_day("from", wanted.since), _day("to", wanted.until), user.id, below),
        by=dimensions(wanted.by),
        taxes=tuple(_tax(tax) for tax in wanted.taxes),
        customer=wanted.customer,
    )
    invoices = _invoices(asked)
    made, is_new = await invoices.issue(request, _told(asked, ActKind.INVOICE_ISSUED))
    _, document = await invoices.one(made.id)
    return {**plain(made, document), "new": is_new}


async def listing(asked: AdminRequest) -> Any:
    """The newest invoices, of one account or of all."""
    limit = _number(asked, "limit", PAGE)
    if not 1 <= limit <= PAGE_MAX:
        raise ApiError(400, f"limit: must be 1 to {PAGE_MAX}")
    before = _number(asked, "before", 0) or None
    account_id = _number(asked, "account", 0) or None
    if account_id is None and not asked.is_admin:
        account_id = asked.by
    if account_id is not None:
        await _check(asked, account_id)
    of = None if account_id is None else [account_id]
    found = await _invoices(asked).page(of, before, limit + 1)
    return {
        "invoices": [plain(each) for each in found[:limit]],
        "before": found[limit - 1].id if len(found) > limit else None,
    }


async def show(asked: AdminRequest) -> Any:
    """An invoice with all that is printed."""
    return plain(*await _one(asked))


async def pdf(asked: AdminRequest) -> Any:
    """The pages of an invoice; which characters no font has stands in a header."""
    found, document = await _one(asked)
    data, lacking = await _invoices(asked).pdf(found, document)
    headers = {
        **NOT_STORED,
        "content-disposition": f'attachment; filename="{found.name.replace("/", "-")}.pdf"',
    }
    if lacking:
        headers["trivium-unprinted"] = ", ".join(lacking)
    return Response(data, headers=headers, media_type="application/pdf")


async def void(asked: AdminRequest) -> Any:
    """Void an invoice; its number stays its own."""
    wanted: VoidedInvoice = asked.body
    found, _ = await _one(asked)
    told = _told(asked, ActKind.INVOICE_VOIDED)
    return plain(await _invoices(asked).void(found.id, wanted.note, told))


def _invoices(asked: AdminRequest) -> Invoices:
    console = asked.console
    return Invoices(console.database, console.settings.invoices, console.clock)


async def _one(asked: AdminRequest) -> tuple[Invoice, InvoiceDocument]:
    """The invoice of the path. Whoever may not see it learns nothing of it. Raises ApiError."""
    try:
        found = await _invoices(asked).one(asked.number("invoice"))
    except MissingInvoice:
        raise ApiError(404, "there is no invoice of this id") from None
    await _check(asked, found[0].account_id)
    return found


async def _check(asked: AdminRequest, account_id: int) -> None:
    """Raise ApiError (404) for whoever may not see what that account spent."""
    if asked.is_admin or account_id == asked.by:
        return
    teams, actor = await asked.console.teams.all(), await actor_of(asked)
    if teams.get(account_id) is None or not may(actor, TeamAction.SEE_SPENDING, teams, account_id):
        raise ApiError(404, "there is no invoice of this id")


def _told(asked: AdminRequest, kind: ActKind) -> Told:
    log = asked.log

    async def told(conn: "Connection", invoice: Invoice) -> None:
        await log.within(conn, kind, invoice.account_id, f"invoice:{invoice.name}")

    return told


def _tax(given: NewTax) -> InvoiceTax:
    return checked_tax(given.text, given.rate, given.amount)


def _day(member: str, text: str) -> int:
    try:
        return day(text) // DAY_S
    except ValueError:
        raise ApiError(400, f"{member}: must be a day in UTC, such as 2027-01-01") from None


def _number(asked: AdminRequest, name: str, otherwise: int) -> int:
    text = asked.query.get(name)
    if text is None:
        return otherwise
    found = whole(text)
    if found is None:
        raise ApiError(400, f"{name}: must be a number")
    return found


_QUERY: Final = frozenset({"account", "before", "limit"})
_PATH: Final = "/api/admin/invoices"
ENDPOINTS: Final = (
    resource(
        _PATH,
        for_members=True,
        GET=ApiMethod(listing, query=_QUERY),
        POST=ApiMethod(issue, NewInvoice, for_admins=True),
    ),
    resource(f"{_PATH}/{{invoice}}", for_members=True, GET=ApiMethod(show)),
    resource(f"{_PATH}/{{invoice}}/pdf", for_members=True, GET=ApiMethod(pdf)),
    resource(f"{_PATH}/{{invoice}}/void", POST=ApiMethod(void, VoidedInvoice)),
)
