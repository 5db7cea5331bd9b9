"""Makes invoices out of statements, finds, voids and prints them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from trivium.clock import Clock, SystemClock
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices.model import (
    LINES_MAX,
    TAXES_MAX,
    TEXT_MAX,
    Invoice,
    InvoiceDocument,
    InvoiceTax,
    checked_address,
    lines_of,
    taxed,
    to_cents,
)
from trivium.ledger.spending.model import DAY_S, Dimension, SpendScope
from trivium.ledger.spending.rendering import day_text
from trivium.ledger.spending.service import SpendStatements
from trivium.settings.model import InvoicesSettings
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.ledger.invoices import printing, store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.ledger.invoices.store")
    printing = LateModule("trivium.ledger.invoices.printing")

PAGE_MAX: Final = 500
WRITE_S: Final = 30.0
"""One invoice has up to ten thousand lines, and others of its seller wait for it."""

Told = Callable[["Connection", Invoice], Awaitable[None]]
"""Logs the act in the transaction that does it."""

_SYSTEM: Final = SystemClock()


class InvoiceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be billed, to whom."""

    account_id: int
    account: str
    """Its name."""
    scope: SpendScope
    by: tuple[Dimension, ...]
    taxes: tuple[InvoiceTax, ...] = ()
    customer: tuple[str, ...] = ()
    """Lines of the address; none: those of the account's last invoice."""


def billed(since: int, until: int, account_id: int, team_ids: tuple[int, ...] | None) -> SpendScope:
    """Of what an invoice of these days is: what the account paid, or, of a team that spends
    another's balance, what keys of these teams spent.
    """
    if team_ids is None:
        return SpendScope(since=since, until=until, payer_id=account_id)
    return SpendScope(since=since, until=until, team_ids=team_ids)


class MissingInvoice(LedgerError):  # noqa: N818 - it is what is missing
    """There is no invoice of this number."""


class Invoices:
    """The invoices of the seller that the settings name. Storage faults pass through."""

    def __init__(self, db: "Database", settings: InvoicesSettings, clock: Clock = _SYSTEM) -> None:
        self._db = db
        self._settings = settings
        self._clock = clock

    async def issue(self, asked: InvoiceRequest, told: Told) -> tuple[Invoice, bool]:
        """Make out an invoice, and whether it is new: of the same account and days there is one,
        unless it was voided. Raises ``LedgerError`` saying what keeps it from being made.
        """
        settings, scope = self._settings, asked.scope
        if not settings.seller:
            raise LedgerError("invoices.seller of the settings says who makes out invoices")
        if scope.until >= int(self._clock.now()) // DAY_S:
            raise LedgerError(
                f"{day_text(scope.until)} is not over (UTC): what it comes to is not known yet"
            )
        if len(asked.taxes) > TAXES_MAX:
            raise LedgerError(f"at most {TAXES_MAX} tax lines")
        asked = await self._addressed(asked)
        async with self._db.read() as conn:
            before = await self._before(conn, asked)
        if before is not None:
            return before, False
        document = await self._document(asked)
        async with self._db.write(WRITE_S) as conn:
            number = 1 + await store.last_number(conn, settings.seller)
            before = await self._before(conn, asked)  # two at once: the second finds the first's
            if before is not None:
                return before, False
            name = f"{settings.prefix}{number}"
            made = Invoice(
                id=0,
                seller=settings.seller,
                number=number,
                name=name,
                account_id=asked.account_id,
                since=scope.since,
                until=scope.until,
                issued_at=int(self._clock.now()),
                total_nanos=_nanos(document.total),
            )
            made = await store.add(conn, made, msgspec.structs.replace(document, name=name))
            await told(conn, made)
        return made, True

    async def _addressed(self, asked: InvoiceRequest) -> InvoiceRequest:
        """With the customer's address, which must be printable."""
        settings, customer = self._settings, asked.customer
        if not customer:
            async with self._db.read() as conn:
                last = await store.last_document(conn, settings.seller, asked.account_id)
            if last is None:
                raise LedgerError(f"the first invoice of {asked.account} needs lines of an address")
            customer = last.customer
        customer = checked_address(customer, "the customer's address")
        seller = checked_address(self._seller(), "the seller's address")
        fonts = await asyncio.to_thread(printing.fonts, settings.fonts)
        for whose, lines in (("customer", customer), ("seller", seller)):
            lacking = fonts.lacking("".join(lines))
            if lacking:
                raise LedgerError(
                    f"the {whose}'s address has characters that no font of the invoice prints "
                    f"({', '.join(lacking)}): name one in invoices.fonts"
                )
        return msgspec.structs.replace(asked, customer=customer)

    def _seller(self) -> tuple[str, ...]:
        return (self._settings.seller, *self._settings.address)

    async def _before(self, conn: "Connection", asked: InvoiceRequest) -> Invoice | None:
        """The invoice that there is for just this. Raises ``LedgerError`` for another that bills
        one of the days.
        """
        scope, seller = asked.scope, self._settings.seller
        for found in await store.crossing(conn, seller, asked.account_id, scope.since, scope.until):
            if (found.since, found.until) != (scope.since, scope.until):
                raise LedgerError(
                    f"invoice {found.name} has some of these days: {day_text(found.since)} to "
                    f"{day_text(found.until)}; void it first"
                )
            has = await store.one(conn, id_=found.id)
            assert has is not None
            if not _is_same(has[1], asked):
                raise LedgerError(
                    f"invoice {found.name} of these days has other lines, taxes or another "
                    "address; void it first"
                )
            return found
        return None

    async def _document(self, asked: InvoiceRequest) -> InvoiceDocument:
        """All that is printed, but for the number."""
        if Dimension.TAG in asked.by:
            raise LedgerError("lines by tag count requests twice that have two: use tags")
        statement = await SpendStatements(self._db).statement(asked.scope, asked.by, LINES_MAX)
        lines = lines_of(statement)
        subtotal = to_cents(statement.total.nanos)
        taxes = taxed(asked.taxes, subtotal)
        total = subtotal + sum(_nanos(tax.amount) for tax in taxes)
        return InvoiceDocument(
            name="",
            issued_on=day_text(int(self._clock.now()) // DAY_S),
            since=day_text(asked.scope.since),
            until=day_text(asked.scope.until),
            seller=self._seller(),
            customer=asked.customer,
            account=asked.account,
            by=tuple(each.value for each in asked.by),
            lines=lines,
            rounding=format_usd(subtotal - statement.total.nanos),
            subtotal=format_usd(subtotal),
            taxes=taxes,
            total=format_usd(total),
        )

    async def find(self, name: str) -> tuple[Invoice, InvoiceDocument]:
        """An invoice of this seller by its printed number. Raises ``MissingInvoice``."""
        async with self._db.read() as conn:
            found = await store.one(conn, name=name, seller=self._settings.seller)
        return _there(found, name)

    async def one(self, id_: int) -> tuple[Invoice, InvoiceDocument]:
        """An invoice by its id. Raises ``MissingInvoice``."""
        async with self._db.read() as conn:
            found = await store.one(conn, id_=id_)
        return _there(found, f"of id {id_}")

    async def page(
        self, account_ids: Sequence[int] | None, before: int | None, limit: int
    ) -> list[Invoice]:
        """The newest invoices, of some accounts or of all (``None``)."""
        async with self._db.read() as conn:
            return await store.page(conn, account_ids, before, max(1, min(limit, PAGE_MAX)))

    async def void(self, id_: int, note: str, told: Told) -> Invoice:
        """Void an invoice: its number stays its own, and its days may be billed again. Raises
        ``LedgerError``.
        """
        if len(note) > TEXT_MAX:
            raise LedgerError(f"a note has at most {TEXT_MAX} characters")
        at = int(self._clock.now())
        async with self._db.write() as conn:
            found, _ = _there(await store.one(conn, id_=id_), f"of id {id_}")
            if not await store.void(conn, id_, at, note):
                raise LedgerError(f"invoice {found.name} is void already")
            voided = msgspec.structs.replace(found, voided_at=at, void_note=note)
            await told(conn, voided)
        return voided

    async def pdf(self, invoice: Invoice, document: InvoiceDocument) -> tuple[bytes, list[str]]:
        """It as PDF: the same bytes each time, with the same fonts and library; and which
        characters no font has, as ``U+05D0``: their code points are printed in their place.

        Raises ``LedgerError`` when the library is missing, or a font cannot be used.
        """
        fonts = await asyncio.to_thread(printing.fonts, self._settings.fonts)
        voided = "" if invoice.voided_at is None else day_text(invoice.voided_at // DAY_S)
        return await asyncio.to_thread(printing.pdf, document, fonts, voided)


def _is_same(document: InvoiceDocument, asked: InvoiceRequest) -> bool:
    by = tuple(each.value for each in asked.by)
    taxes = [(tax.text, tax.rate, tax.rate is None and tax.amount) for tax in document.taxes]
    wanted = [(tax.text, tax.rate, tax.rate is None and tax.amount) for tax in asked.taxes]
    return (document.by, taxes, document.customer) == (by, wanted, asked.customer)


def _there(
    found: tuple[Invoice, InvoiceDocument] | None, name: str
) -> tuple[Invoice, InvoiceDocument]:
    if found is None:
        raise MissingInvoice(f"there is no invoice {name[:80]}")
    return found


def _nanos(amount: str) -> int:
    return parse_usd(amount)
