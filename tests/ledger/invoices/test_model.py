"""What stands on an invoice: its money adds up, and what operators type is checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices.model import (
    CENT_NANOS,
    NAMES_CHARS_MAX,
    InvoiceTax,
    checked_address,
    checked_tax,
    lines_of,
    tax_of,
    taxed,
    to_cents,
)
from trivium.ledger.spending.model import Dimension, SpendRow, SpendScope, SpendSums
from trivium.ledger.spending.service import SpendStatement


def statement(*rows, by=(Dimension.MODEL,), whole=True):
    """A statement of rows of values and nano-dollars."""
    made = tuple(SpendRow(values, SpendSums(nanos, 1, 2, 3)) for values, nanos in rows)
    total = SpendSums(sum(nanos for _, nanos in rows), len(rows))
    scope = SpendScope(since=1, until=2)
    return SpendStatement(
        scope=scope, by=by, rows=made, total=total, is_whole=whole, users={}, keys={}
    )


@pytest.mark.parametrize(
    ("nanos", "cents"),
    [(0, 0), (4_999_999, 0), (5_000_000, 1), (14_999_999, 1), (15_000_000, 2), (-5_000_000, -1)],
)
def test_half_a_cent_is_rounded_up(nanos, cents):
    """Away from zero."""
    assert cents * CENT_NANOS == to_cents(nanos)


@pytest.mark.parametrize(
    ("subtotal", "rate", "amount"),
    [
        ("100.00", "19", "19.00"),
        ("0.03", "19", "0.01"),
        ("10.10", "8.875", "0.90"),
        ("0.50", "1", "0.01"),
        ("0.49", "1", "0.00"),
        ("1000000.00", "0.000001", "0.01"),
        ("123.45", "0", "0.00"),
        ("123.45", "100", "123.45"),
    ],
)
def test_a_tax_is_rounded_to_cents_once(subtotal, rate, amount):
    """Of the subtotal, half up."""
    (tax,) = taxed([checked_tax("VAT", rate=rate)], parse_usd(subtotal))
    assert InvoiceTax(text="VAT", rate=rate, amount=amount) == tax


@given(st.lists(st.integers(0, 10**14), min_size=1, max_size=50), st.integers(0, 100 * 10**6))
def test_every_column_adds_up(amounts, millionths):
    """The lines and their rounding to the subtotal, which has whole cents, as each tax has."""
    lines = lines_of(statement(*(((f"m{n}",), nanos) for n, nanos in enumerate(amounts))))
    subtotal = to_cents(sum(amounts))
    rounding = subtotal - sum(amounts)
    assert subtotal == sum(parse_usd(line.amount) for line in lines) + rounding
    assert abs(rounding) <= CENT_NANOS // 2
    rate = f"{millionths // 10**6}.{millionths % 10**6:06d}"
    (tax,) = taxed([checked_tax("VAT", rate=rate)], subtotal)
    assert 0 == parse_usd(tax.amount) % CENT_NANOS
    exact = subtotal * millionths
    assert abs(parse_usd(tax.amount) * 10**8 - exact) * 2 <= CENT_NANOS * 10**8


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("VAT=19%", InvoiceTax(text="VAT", rate="19")),
        ("VAT 19 % = 19 %", InvoiceTax(text="VAT 19 %", rate="19")),
        ("a=b=8.875%", InvoiceTax(text="a=b", rate="8.875")),
        ("Sales tax=12.34", InvoiceTax(text="Sales tax", amount="12.34")),
        ("Reverse charge", InvoiceTax(text="Reverse charge")),
    ],
)
def test_taxes_as_they_are_typed(words, wanted):
    """A rate, an amount, or a text alone."""
    assert wanted == tax_of(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("VAT=101%", "no rate of tax"), ("VAT=1.0000001%", "no rate"), ("VAT=-1%", "no rate"),
        ("VAT=1e1%", "no rate"), ("VAT=%", "no rate"), ("VAT=0.001", "whole cents"),
        ("VAT=-1.00", "whole cents"), ("VAT=x", "no amount"), ("", "1 to 200"), ("=1%", "1 to 200"),
        ("x" * 201, "1 to 200"), ("a\nb=1%", "ends a line"),
    ],
)  # fmt: skip
def test_a_tax_that_is_none_is_refused(words, said):
    """Saying what would be right."""
    with pytest.raises(LedgerError, match=said):
        tax_of(words)


@pytest.mark.parametrize(
    ("lines", "said"),
    [([], "1 to 12 lines"), (["x"] * 13, "1 to 12"), (["a\u2028b"], "ends"), ([" "], "1 to 200")],
)
def test_an_address_has_lines(lines, said):
    """That are printed as they are."""
    with pytest.raises(LedgerError, match=f"the customer's address.*{said}|{said}"):
        checked_address(lines, "the customer's address")


def test_lines_that_cannot_stand_on_an_invoice():
    """Too many, too long, none, or such as count a request twice."""
    for found, said in (
        (statement(), "nothing was spent"),
        (statement((("m",), 1), whole=False), "fewer dimensions"),
        (statement((("t",), 1), by=(Dimension.TAG,)), "use tags"),
        (statement((("x" * (NAMES_CHARS_MAX + 1),), 1)), "fewer dimensions"),
    ):
        with pytest.raises(LedgerError, match=said):
            lines_of(found)


def test_who_is_gone_has_an_id():
    """And what nobody said is empty."""
    found = statement(((7, ""), 10), by=(Dimension.USER, Dimension.END_USER))
    assert ("id:7", "") == lines_of(found)[0].names
    assert format_usd(10) == lines_of(found)[0].amount
