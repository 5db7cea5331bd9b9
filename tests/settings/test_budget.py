"""Periods of budgets: one ends where the next begins, whatever clocks do in between."""

from datetime import UTC, datetime

import pytest

from trivium.settings.budget import (
    FOREVER,
    Budget,
    CounterId,
    Period,
    PeriodBounds,
    PeriodClock,
    bounds,
    zone_of,
)

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"),
    # clocks set at midnight, a day that there was not, an hour twice before midnight
    *("America/Sao_Paulo", "Asia/Beirut", "America/Havana", "Pacific/Apia", "Africa/Cairo"),
)
CALENDAR = (Period.DAY, Period.WEEK, Period.MONTH)


def at(text):
    """Seconds since the epoch of a moment in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("period", CALENDAR)
def test_periods_follow_each_other_without_a_gap(zone, period):
    """Through fifteen years of changing clocks; the last second belongs to the period, too."""
    found = bounds(period, at("2010-06-15T12:00:00"), zone)
    while found.ends_at < at("2026-01-01T00:00:00"):
        after = bounds(period, found.ends_at, zone)
        assert found.ends_at == after.starts_at
        assert (
            found
            == bounds(period, found.ends_at - 1, zone)
            == bounds(period, found.starts_at, zone)
        )
        found = after


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/Berlin", "2026-03-29"),  # 23 hours
        ("Europe/Berlin", "2026-10-25"),  # 25 hours
        ("Australia/Lord_Howe", "2026-04-05"),  # half an hour more
        ("America/Havana", "2026-03-08"),  # no midnight
        ("UTC", "2026-12-31"),
    ],
)
def test_every_minute_lies_in_the_day_that_its_clocks_show(zone, day):
    """Around the days on which clocks are set."""
    began = at(day + "T00:00:00") - 86_400
    for now in range(began, began + 4 * 86_400, 60):
        found = bounds(Period.DAY, now, zone)
        assert found.starts_at <= now < found.ends_at
        shown = datetime.fromtimestamp(now, zone_of(zone)).date()
        assert shown == datetime.fromtimestamp(found.starts_at, zone_of(zone)).date()
        assert shown == datetime.fromtimestamp(found.ends_at - 1, zone_of(zone)).date()


def test_weeks_begin_on_monday_and_months_on_the_first():
    """In UTC, unless another zone is named."""
    now = at("2026-11-28T12:00:00")
    assert PeriodBounds(at("2026-11-23T00:00:00"), at("2026-11-30T00:00:00")) == bounds(
        Period.WEEK, now
    )
    assert PeriodBounds(at("2026-11-01T00:00:00"), at("2026-12-01T00:00:00")) == bounds(
        Period.MONTH, now
    )
    berlin = bounds(Period.MONTH, now, "Europe/Berlin")
    assert PeriodBounds(at("2026-10-31T23:00:00"), at("2026-11-30T23:00:00")) == berlin


@pytest.mark.parametrize("period", [Period.TOTAL, Period.FIVE_HOURS, Period.SEVEN_DAYS])
def test_what_has_no_calendar_is_one_period(period):
    """Windows slide within it."""
    assert PeriodBounds(0, FOREVER) == bounds(period, at("2026-11-28T12:00:00"))


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe", "\x00", "x" * 300])
def test_an_unknown_zone_is_named(name):
    """Whatever the system's files make of it."""
    with pytest.raises(ValueError, match=r"is no time zone, such as 'Europe/Berlin'"):
        zone_of(name)


def test_counters_are_named_by_scope_and_period():
    """Two budgets of one scope and period count together; a period that ended has another."""
    clock = PeriodClock()
    day = Budget(amount_nanos=5, period=Period.DAY, scope="key:1")
    total = Budget(amount_nanos=9, period=Period.TOTAL, scope="team:2")
    noon = at("2026-11-28T12:00:00")
    first = (CounterId("key:1", "day", noon - 43_200), CounterId("team:2", "total", 0))
    assert first == clock.counters((day, total), noon)
    assert first[0] == clock.counters((day,), noon + 43_199)[0]
    assert CounterId("key:1", "day", noon + 43_200) == clock.counters((day,), noon + 43_200)[0]
    # a clock that is set back is in the period that it shows
    assert first[0] == clock.counters((day,), noon)[0]
