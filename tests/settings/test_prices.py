"""Prices are plain decimals."""

import pytest

from trivium.settings.prices import DECIMAL, KINDS


@pytest.mark.parametrize("text", ["0", "1.25", "0.000000000001", "999999999"])
def test_plain_decimals_are_prices(text):
    """What price lists print."""
    assert DECIMAL.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1e3", ".5", "1.", "1,25", "$1", "NaN", "inf", " 1", "1" * 10, "\u0661"],
)
def test_everything_else_is_not(text):
    """What Decimal would take, but a reader might take otherwise, is refused."""
    assert not DECIMAL.fullmatch(text)


def test_every_kind_says_what_it_buys():
    """The table is documentation as well."""
    assert all(KINDS.values())
