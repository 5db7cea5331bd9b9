"""Amounts as people write them, and back."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError


@pytest.mark.parametrize(
    ("written", "nanos"),
    [
        ("0", 0),
        ("10", 10_000_000_000),
        ("10.00", 10_000_000_000),
        ("+1.5", 1_500_000_000),
        ("-1.5", -1_500_000_000),
        ("0.000000001", 1),
        ("-0.000000001", -1),
        ("0.1", 100_000_000),
        ("0010.10", 10_100_000_000),
        ("1000000000", 10**18),
        ("123456.789012345", 123_456_789_012_345),
    ],
)
def test_an_amount_is_read_exactly(written, nanos):
    """Decimals, never by way of a float."""
    assert nanos == parse_usd(written)


@pytest.mark.parametrize(
    "written",
    ["", " 1", "1 ", "1\n", "1.", ".5", "1,50", "1e3", "nan", "inf", "$1", "1.0000000001", "--1",
     "1_000", "\N{ARABIC-INDIC DIGIT ONE}", "1000000000.01", "99999999999", 1.5, 10, None],
)  # fmt: skip
def test_what_is_no_exact_amount_is_refused(written):
    """Nothing is rounded, guessed or cut; floats are no amounts."""
    with pytest.raises(LedgerError):
        parse_usd(written)


@given(st.integers(-(10**18), 10**18))
def test_what_is_written_reads_back(nanos):
    """Formatting loses nothing and always shows cents."""
    written = format_usd(nanos)
    assert nanos == parse_usd(written)
    assert Decimal(nanos) == Decimal(written) * 10**9
    assert 2 <= len(written.partition(".")[2])
