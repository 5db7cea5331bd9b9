"""Limits and budgets as people write and read them."""

import pytest

from trivium.cli.limits import budget, shown
from trivium.cli.output import CommandFailed
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits


@pytest.mark.parametrize(
    ("text", "nanos", "period"),
    [
        ("5.00/month", 5_000_000_000, Period.MONTH),
        ("0.000000001/day", 1, Period.DAY),
        ("100/total", 100_000_000_000, Period.TOTAL),
        ("7/week", 7_000_000_000, Period.WEEK),
    ],
)
def test_a_budget_is_an_amount_and_a_period(text, nanos, period):
    """Exact to the nano-dollar."""
    assert Budget(amount_nanos=nanos, period=period) == budget(text)


@pytest.mark.parametrize("text", ["5.00", "5/year", "/month", "1e3/day", "five/day", "5/month/day"])
def test_anything_else_is_refused_with_what_would_be_right(text):
    """The example is one that works."""
    with pytest.raises(CommandFailed, match=r"such as 5\.00/month"):
        budget(text)


@pytest.mark.parametrize(
    ("limits", "budgets", "text"),
    [
        (None, (), ""),
        (RateLimits(requests=60), (), "60 requests a minute"),
        (RateLimits(None, 5, 2), (), "5 tokens a minute, 2 at once"),
        (None, (Budget(amount_nanos=5 * 10**9, period=Period.MONTH),), "5.00 USD/month"),
    ],
)
def test_limits_are_shown_in_one_line(limits, budgets, text):
    """Nothing limited is nothing said."""
    assert text == shown(limits, budgets)
