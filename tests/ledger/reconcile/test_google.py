"""Google's models and token classes stand in the name of the SKU."""

from fractions import Fraction

import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.google import rows_of_line

DAY = {"Usage start date": "2027-01-01", "Usage end date": "2027-01-01"}


def line(sku, **more):
    plain = {
        "SKU description": sku,
        **DAY,
        "Usage amount": "5",
        "Usage unit": "count",
        "Cost ($)": "1.5",
    }
    return list(rows_of_line({**plain, **more}))


@pytest.mark.parametrize(
    ("sku", "model", "kind"),
    [
        ("Generate content input token count gemini 2.5 flash short input text", "gemini 2.5 flash", "input"),
        ("Generate content output token count gemini 3.1 flash lite preview text", "gemini 3.1 flash lite preview", "output"),
        ("Generate content cached input token count gemini 2.5 pro text", "gemini 2.5 pro", "cache_read"),
        ("Gemini 2.5 Pro Text Output - Predictions", "Gemini 2.5 Pro", "output"),
    ],
)  # fmt: skip
def test_a_sku_is_taken_apart(sku, model, kind):
    """Model and class of tokens."""
    (row,) = line(sku)
    assert (model, {"cost": Fraction("1.5"), kind: 5}) == (row.model, row.amounts)


@pytest.mark.parametrize(
    ("sku", "more"),
    [
        ("Gemini 2.5 Pro caching storage", {}),
        ("Gemini 2.5 Pro Text Output", {"Usage unit": "hour"}),
        ("Gemini 2.5 Pro Text Output", {"Credit type": "Promotion"}),
        ("Gemini 2.5 Pro something else", {}),
    ],
)
def test_what_counts_no_tokens_still_costs(sku, more):
    """Storage, credits, other units."""
    (row,) = line(sku, **more)
    assert {"cost": Fraction("1.5")} == row.amounts


def test_the_unrounded_cost_is_taken():
    """Where the table has it."""
    (row,) = line("gemini 2.5 pro", **{"Unrounded Cost ($)": "1.4999"})
    assert Fraction("1.4999") == row.amounts["cost"]


@pytest.mark.parametrize(
    ("sku", "more"), [("Analysis", {}), ("gemini 2.5 pro", {"Usage start date": ""})]
)
def test_other_lines_are_passed_over(sku, more):
    """Other services, sums at the foot."""
    assert [] == line(sku, **more)


def test_another_currency_is_refused():
    """It has another column."""
    plain = {"SKU description": "gemini 2.5 pro", **DAY, "Cost (€)": "1"}
    with pytest.raises(LedgerError, match="US dollars"):
        list(rows_of_line(plain))


def test_a_month_in_one_line_is_one_span():
    """Compared with the sum of our days."""
    (row,) = line("gemini 2.5 pro", **{"Usage end date": "2027-01-31"})
    assert "2027-01-01..2027-01-31" == str(row.span)
