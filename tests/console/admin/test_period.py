"""Periods of pages: whole steps, whole days where only those are known, and bounds."""

import pytest

from trivium.console.admin.period import DAYS_MAX, chosen, day_text

DAY = 86_400
NOW = 1_790_000_123.0


@pytest.mark.parametrize(
    ("name", "length", "step"),
    [
        ("hour", 3_600, 300),
        ("day", DAY, 3_600),
        ("week", 7 * DAY, 21_600),
        ("month", 30 * DAY, DAY),
    ],
)
def test_a_period_by_its_name(name, length, step):
    """It ends with the step that is under way."""
    found = chosen({"period": name}, NOW)
    of = found.of
    assert (name, length, step) == (found.name, of.until - of.since, of.step_s)
    assert of.since % step == 0
    assert 0 < of.until - NOW <= max(step, DAY if length > DAY else 0)
    assert found.is_fine is (step < DAY)


@pytest.mark.parametrize(
    ("since", "until", "step"),
    [
        ("2026-09-21", "", 3_600),
        ("2026-09-15", "2026-09-21", 21_600),
        ("2026-08-01", "2026-08-02", DAY),
        ("2026-01-01", "2026-09-21", 7 * DAY),
    ],
)
def test_a_period_of_days(since, until, step):
    """Both included; as fine as it is known still."""
    found = chosen({"since": since, "until": until}, NOW)
    assert (step, "", since) == (found.of.step_s, found.name, found.given["since"])
    first, last = found.days
    assert (since, until or "2026-09-21") == (day_text(first), day_text(last))


@pytest.mark.parametrize(
    "asked",
    [
        {"since": "0001-01-01", "until": "9999-12-31"},
        {"since": "2999-01-01"},
        {"since": "2026-09-21", "until": "2026-01-01"},
    ],
)
def test_a_period_has_bounds(asked):
    """It neither ends before it begins, nor lies ahead, nor is it longer than is drawn."""
    of = chosen(asked, NOW).of
    assert 0 < of.until - of.since <= DAYS_MAX * DAY
    assert of.until <= NOW + DAY
    assert len(of.starts()) <= 170


@pytest.mark.parametrize(
    "asked", [{}, {"period": "x"}, {"since": "21.9."}, {"until": "2026-09-21"}]
)
def test_what_is_no_period_is_the_last_day(asked):
    """And never an error."""
    assert "day" == chosen(asked, NOW).name
