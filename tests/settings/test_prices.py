"""Prices are plain decimals."""

from fractions import Fraction

import pytest

from trivium.settings.prices import DECIMAL, FALL_BACK, KINDS, day, gap, list_price, multiplier


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


@pytest.mark.parametrize(
    "kinds",
    [
        [],
        ["input"],
        ["input", "output"],
        ["input", "output", "cache_read", "cache_write", "cache_write_1h"],
        ["input", "output", "cache_write_5m", "cache_write_1h"],
        ["per_request"],
        ["per_second"],
    ],
)
def test_kinds_with_a_written_fall_back_may_be_left_out(kinds):
    """Nothing that a vendor counts would cost nothing by accident."""
    assert None is gap(kinds)


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        (["output"], "output without input"),
        (["cache_read", "output"], "cache_read without input"),
        (["input", "image_output"], "image_output without output"),
        (["input", "output", "cache_write_1h"], "cache_write_1h without cache_write_5m"),
    ],
)
def test_a_gap_without_a_fall_back_is_named(kinds, named):
    """What leans on a price that is not there."""
    assert named in gap(kinds)


def test_every_fall_back_is_a_kind():
    """And ends at one of the two ordinary ones."""
    assert {"input", "output"} == {rule[-1] for rule in FALL_BACK.values()}
    assert set(KINDS).issuperset(FALL_BACK)


def test_a_day_begins_at_midnight_in_utc():
    """Everywhere, whatever the machine's own zone."""
    assert 1_798_761_600 == day("2027-01-01")


@pytest.mark.parametrize("text", ["2027-02-30", "2027-1-1", "01.01.2027", "", "2027-01-01T00"])
def test_what_is_no_day_is_refused(text):
    """One spelling, and only days that exist."""
    with pytest.raises(ValueError, match="day"):
        day(text)


@pytest.mark.parametrize(
    ("text", "exact"), [("1", Fraction(1)), ("0.8", Fraction(4, 5)), ("2/3", Fraction(2, 3))]
)
def test_a_multiplier_is_exact(text, exact):
    """A third cannot be written as a decimal, so fractions can be written too."""
    assert exact == multiplier(text)


@pytest.mark.parametrize("text", ["", "-1", "1/0", "1e3", "1.5/2", "a"])
def test_what_is_no_multiplier_is_refused(text):
    """Nothing is guessed."""
    with pytest.raises(ValueError, match="factor"):
        multiplier(text)


def test_without_groups_everybody_pays_the_list_price():
    """Whatever group somebody is in."""
    assert {1} == {list_price(group) for group in ("", "partners")}
