"""What stands on an invoice, and how its money adds up. Pure.

Lines have the exact amounts of the statement, with up to nine decimals. Their sum is rounded to
cents once, half up, and what that takes or gives is a line of its own; each tax is rounded to cents
likewise, of the subtotal. So every column adds up to what is under it.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import NANOS
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import Dimension
from trivium.ledger.spending.service import SpendStatement

CENT_NANOS: Final = NANOS // 100
LINES_MAX: Final = 10_000
NAMES_CHARS_MAX: Final = 1_000_000
"""Of all lines together: what bounds the time that printing takes."""
ADDRESS_LINES_MAX: Final = 12
TEXT_MAX: Final = 200
"""Characters of a line of an address, or of a tax's text."""
TAXES_MAX: Final = 10
_RATE_PARTS: Final = 10**6
_RATE: Final = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,6}))?")


class InvoiceTax(msgspec.Struct, frozen=True, kw_only=True):
    """A tax line: its text, and what it comes to."""

    text: str
    rate: str | None = None
    """Per cent of the subtotal, such as ``19`` or ``8.875``; ``None``: the amount was given."""
    amount: str = "0.00"
    """US dollars, in cents."""


class InvoiceLine(msgspec.Struct, frozen=True, array_like=True):
    """What something came to."""

    names: tuple[str, ...]
    """One for each dimension; empty where there is none."""
    requests: int
    input_tokens: int
    output_tokens: int
    amount: str
    """US dollars, exact."""


class InvoiceDocument(msgspec.Struct, frozen=True, kw_only=True):
    """All that is printed. It never changes, whatever becomes of names and settings."""

    name: str
    """Its number as it is printed: ``INV-7``."""
    issued_on: str
    """A day in UTC, as the next two; both are included."""
    since: str
    until: str
    seller: tuple[str, ...]
    customer: tuple[str, ...]
    account: str
    """What the account was called that is billed."""
    by: tuple[str, ...]
    """The dimensions of the lines."""
    lines: tuple[InvoiceLine, ...]
    rounding: str
    """What rounding their sum to cents gave or took."""
    subtotal: str
    taxes: tuple[InvoiceTax, ...]
    total: str
    currency: str = "USD"


class Invoice(msgspec.Struct, frozen=True, kw_only=True):
    """An invoice that was made out."""

    id: int
    seller: str
    number: int
    """From 1, without a gap, of its seller."""
    name: str
    account_id: int
    since: int
    """Days since the epoch, UTC, both included."""
    until: int
    issued_at: int
    total_nanos: int
    voided_at: int | None = None
    void_note: str = ""


def lines_of(statement: SpendStatement) -> tuple[InvoiceLine, ...]:
    """The rows of a statement. Raises ``LedgerError`` when they are too many, or none."""
    if Dimension.TAG in statement.by:
        raise LedgerError("lines by tag count requests twice that have two: use tags")
    if not statement.is_whole or len(statement.rows) > LINES_MAX:
        raise LedgerError(f"more than {LINES_MAX} lines: sum up by fewer dimensions")
    if not statement.rows:
        raise LedgerError("nothing was spent in these days")
    lines = tuple(
        InvoiceLine(
            tuple(
                rendering.shown(statement, each, value) or (f"id:{value}" if value else "")
                for each, value in zip(statement.by, row.values, strict=True)
            ),
            row.sums.requests,
            row.sums.input_tokens,
            row.sums.output_tokens,
            format_usd(row.sums.nanos),
        )
        for row in statement.rows
    )
    if sum(len(name) for line in lines for name in line.names) > NAMES_CHARS_MAX:
        raise LedgerError(
            f"the names of the lines have more than {NAMES_CHARS_MAX} characters: sum up by fewer "
            "dimensions"
        )
    return lines


def to_cents(nanos: int) -> int:
    """Nano-dollars rounded to whole cents, half up: away from zero."""
    cents = (abs(nanos) + CENT_NANOS // 2) // CENT_NANOS
    return (cents if nanos >= 0 else -cents) * CENT_NANOS


def taxed(taxes: Iterable[InvoiceTax], subtotal_nanos: int) -> tuple[InvoiceTax, ...]:
    """Taxes with what they come to, of those that have a rate."""
    return tuple(
        tax if tax.rate is None else _of_rate(tax, tax.rate, subtotal_nanos // CENT_NANOS)
        for tax in taxes
    )


def _of_rate(tax: InvoiceTax, rate: str, cents: int) -> InvoiceTax:
    amount = _per_cent(cents, _rate(rate)) * CENT_NANOS
    return msgspec.structs.replace(tax, amount=format_usd(amount))


def _per_cent(cents: int, millionths: int) -> int:
    whole = 100 * _RATE_PARTS
    rounded = (abs(cents) * millionths + whole // 2) // whole
    return rounded if cents >= 0 else -rounded


def _rate(text: str) -> int:
    """Millionths of a per cent. Raises ``LedgerError``."""
    form = _RATE.fullmatch(text)
    whole, decimals = form.groups(default="") if form is not None else ("", "")
    millionths = int(whole or 0) * _RATE_PARTS + int(decimals.ljust(6, "0"))
    if form is None or millionths > 100 * _RATE_PARTS:
        raise LedgerError(
            f"{text!r:.80} is no rate of tax: write per cent from 0 to 100 with at most six "
            "decimals, such as '19' or '8.875'"
        )
    return millionths


def checked_tax(text: str, rate: str | None = None, amount: str | None = None) -> InvoiceTax:
    """A tax line as an operator gives it. Raises ``LedgerError`` saying what is wrong."""
    _check_text(text, "the text of a tax")
    if rate is not None and amount is not None:
        raise LedgerError("a tax has a rate or an amount, not both")
    if rate is not None:
        _rate(rate)
        return InvoiceTax(text=text, rate=rate)
    nanos = 0 if amount is None else parse_usd(amount)
    if nanos < 0 or nanos % CENT_NANOS:
        raise LedgerError(f"{amount!r:.80} is no amount of tax: write whole cents, such as '12.34'")
    return InvoiceTax(text=text, amount=format_usd(nanos))


def tax_of(words: str) -> InvoiceTax:
    """A tax line of ``VAT 19 %=19%``, ``Sales tax=12.34`` or ``Reverse charge``. Raises
    ``LedgerError``.
    """
    text, given, value = words.rpartition("=")
    if not given:
        return checked_tax(words)
    value = value.strip()
    if value.endswith("%"):
        return checked_tax(text.strip(), rate=value[:-1].strip())
    return checked_tax(text.strip(), amount=value)


def checked_address(lines: Sequence[str], whose: str) -> tuple[str, ...]:
    """Lines of an address. Raises ``LedgerError`` naming whose it is."""
    if not 1 <= len(lines) <= ADDRESS_LINES_MAX:
        raise LedgerError(f"{whose} has 1 to {ADDRESS_LINES_MAX} lines")
    for line in lines:
        _check_text(line, f"a line of {whose}")
    return tuple(lines)


def _check_text(text: str, what: str) -> None:
    if not text.strip() or len(text) > TEXT_MAX:
        raise LedgerError(f"{what} has 1 to {TEXT_MAX} characters")
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in text):
        raise LedgerError(f"{what} has a character that ends a line or controls something")


def plain(invoice: Invoice, document: InvoiceDocument | None = None) -> dict[str, Any]:
    """An invoice as data for JSON, with what is printed if that is there."""
    found: dict[str, Any] = {
        "id": invoice.id,
        "number": invoice.name,
        "account_id": invoice.account_id,
        "from": rendering.day_text(invoice.since),
        "to": rendering.day_text(invoice.until),
        "total": format_usd(invoice.total_nanos),
        "currency": "USD",
        "issued_at": invoice.issued_at,
        "voided_at": invoice.voided_at,
        "void_note": invoice.void_note,
    }
    if document is not None:
        found |= {
            "date": document.issued_on,
            "seller": document.seller,
            "customer": document.customer,
            "account": document.account,
            "lines": [_plain_line(document.by, line) for line in document.lines],
            "rounding": document.rounding,
            "subtotal": document.subtotal,
            "taxes": document.taxes,
        }
    return found


def _plain_line(by: tuple[str, ...], line: InvoiceLine) -> dict[str, Any]:
    return {
        **dict(zip(by, line.names, strict=True)),
        "requests": line.requests,
        "input_tokens": line.input_tokens,
        "output_tokens": line.output_tokens,
        "amount": line.amount,
    }
