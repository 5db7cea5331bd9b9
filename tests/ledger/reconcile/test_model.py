"""Names, days and numbers of vendors are brought to one form."""

from datetime import date
from fractions import Fraction

import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.model import DaySpan, day_of, number, plain, span_of


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5", "gpt-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("Claude Sonnet 4.5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("gemini 2.5 flash", "gemini-2-5-flash"),
        ("models/gemini-2.5-flash", "gemini-2-5-flash"),
        ("gemini-2.0-flash-001", "gemini-2-0-flash"),
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("", ""),
    ],
)
def test_a_model_has_one_name(written, name):
    """Whatever version and spelling; another model keeps another."""
    assert name == plain(written)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        (0, 86_400, "1970-01-01"),
        (0, 86_401, "1970-01-01..1970-01-02"),
        (3600, 3660, "1970-01-01"),
        (0, 0, "1970-01-01"),
    ],
)
def test_a_bucket_is_whole_days(start, end, days):
    """Its end is not part of it."""
    assert days == str(span_of(start, end))


def test_spans_are_in_order():
    """By their first day."""
    one, two = (
        DaySpan(date(2027, 1, 1), date(2027, 1, 31)),
        DaySpan(date(2027, 1, 2), date(2027, 1, 2)),
    )
    assert [one, two] == sorted([two, one])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("59200.0", Fraction(59200)),
        ("1,983,966", Fraction(1983966)),
        ("0.8958740000000000", Fraction("0.895874")),
        ("-5.25", Fraction("-5.25")),
        ("1e-05", Fraction("0.00001")),
        ("", Fraction(0)),
    ],
)
def test_numbers_are_exact(text, value):
    """Never by way of a float."""
    assert value == number(text, "x")


@pytest.mark.parametrize("text", ["abc", "1/2", "nan", "1e999", "0x1", "--1"])
def test_what_is_no_number_is_named(text):
    """With the column."""
    with pytest.raises(LedgerError, match="cost is no number"):
        number(text, "cost")


def test_days_are_read_from_days_and_times():
    """Anything else is named."""
    assert date(2027, 1, 1) == day_of("2027-01-01T00:00:00Z", "x") == day_of("2027-01-01", "x")
    with pytest.raises(LedgerError, match="date is no day"):
        day_of("01/02/2027", "date")
