"""Periods of budgets: one ends where the next begins, whatever clocks do in between."""

from datetime import UTC, datetime

import msgspec
import pytest

from trivium.settings import budget as budget_module
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


CLOCKS_SET = (
    *(("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25")),
    *(("America/New_York", "2026-03-08"), ("America/New_York", "2026-11-01")),
    # by half an hour
    *(("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04")),
    ("Asia/Kathmandu", "2026-03-01"),  # never
    *(("Africa/Casablanca", "2026-02-15"), ("Africa/Casablanca", "2026-03-22")),
    *(("America/St_Johns", "2026-03-08"), ("America/St_Johns", "2026-11-01")),
    # at one minute past midnight: back into Saturday, and into October
    *(("America/St_Johns", "2010-11-07"), ("America/St_Johns", "2009-11-01")),
    *(("America/Havana", "2026-03-08"), ("America/Havana", "2026-11-01")),  # at midnight
    ("America/Sao_Paulo", "2018-11-04"),
    ("Pacific/Apia", "2011-12-30"),  # a day that there was not
)
"""Zones, and days on which their clocks were set."""


@pytest.mark.parametrize(("zone", "day"), CLOCKS_SET)
@pytest.mark.parametrize("period", CALENDAR)
def test_every_minute_lies_in_one_period(zone, day, period):
    """Around the days on which clocks are set: the next begins where the last ends, never before,
    and with the first second of a local day.
    """
    where, noon = zone_of(zone), at(day + "T12:00:00")
    found = bounds(period, noon - 129_600, zone)
    for now in range(noon - 129_600, noon + 129_600, 60):
        last, found = found, bounds(period, now, zone)
        assert found.starts_at <= now < found.ends_at
        assert found == last or found.starts_at == last.ends_at
        first = datetime.fromtimestamp(found.starts_at, where)
        assert first.date() > datetime.fromtimestamp(found.starts_at - 1, where).date()
        assert period is not Period.WEEK or first.weekday() == 0
        assert period is not Period.MONTH or first.day == 1


@pytest.mark.parametrize(("zone", "day"), CLOCKS_SET)
def test_what_is_remembered_is_what_the_minute_says(zone, day):
    """Forth over the end of a period and back again: a counter is that of its minute, whichever was
    asked for before.
    """
    clock, noon = PeriodClock(), at(day + "T12:00:00")
    budgets = tuple(
        Budget(amount_nanos=5, period=period, zone=zone, scope=period.value) for period in CALENDAR
    )
    minutes = range(noon - 86_400, noon + 86_400, 60)
    for now in (*minutes, *reversed(minutes)):
        expected = [bounds(period, now, zone).starts_at for period in CALENDAR]
        assert expected == [each.starts_at for each in clock.counted(budgets, now).counters]


@pytest.mark.parametrize(
    ("zone", "day", "starts", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00", 23),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00", 25),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00", 25),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00", 24.5),
        ("Asia/Kathmandu", "2026-03-29", "2026-03-28T18:15:00", 24),
        ("Africa/Casablanca", "2026-02-15", "2026-02-14T23:00:00", 25),
        ("America/St_Johns", "2026-03-08", "2026-03-08T03:30:00", 23),
        ("America/St_Johns", "2010-11-07", "2010-11-07T02:30:00", 25),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00:00", 23),
    ],
)
def test_a_day_has_the_hours_that_its_clocks_show(zone, day, starts, hours):
    """As people there count them."""
    found = bounds(Period.DAY, at(starts), zone)
    assert PeriodBounds(at(starts), at(starts) + int(hours * 3600)) == found
    noon = datetime.fromisoformat(day + "T12:00:00").replace(tzinfo=zone_of(zone))
    assert found == bounds(Period.DAY, noon.timestamp(), zone)


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
    assert first == clock.counted((day, total), noon).counters
    assert first[0] == clock.counted((day,), noon + 43_199).counters[0]
    (later,) = clock.counted((day,), noon + 43_200).counters
    assert CounterId("key:1", "day", noon + 43_200) == later
    # a clock that is set back is in the period that it shows
    assert first[0] == clock.counted((day,), noon).counters[0]


def test_counters_are_remembered_as_long_as_their_periods_last(monkeypatch):
    """By the budgets of a key, not by what is equal to them; and of so many keys at most."""
    monkeypatch.setattr(budget_module, "REMEMBERED_MAX", 2)
    clock = PeriodClock()
    noon = at("2026-11-28T12:00:00")
    keys = [
        (
            Budget(amount_nanos=5, period=Period.DAY, scope=f"key:{number}"),
            Budget(amount_nanos=5, period=Period.MONTH, scope="team:1", zone="Asia/Tokyo"),
        )
        for number in range(5)
    ]
    for each in keys:
        found = clock.counted(each, noon).counters
        assert found is clock.counted(each, noon + 1).counters
        assert [budget.scope for budget in each] == [counter.scope for counter in found]
    day, month = clock.counted(keys[4], noon).counters
    # Tokyo's month ends before the day does in UTC, and each moves on by itself
    for now, days, is_next in ((noon + 43_200, 1, False), (at("2026-11-30T15:00:00"), 2, True)):
        later = clock.counted(keys[4], now).counters
        assert day.starts_at + 86_400 * days == later[0].starts_at
        assert is_next == (month != later[1])
    assert (day, month) == clock.counted(keys[4], noon).counters  # a clock that is set back
    assert () == clock.counted((), noon).counters


def test_budgets_reset_with_the_first_period_that_refuses():
    """A soft one says nothing of when requests are let in again."""
    clock = PeriodClock()
    noon = at("2026-11-28T12:00:00")
    soft = Budget(amount_nanos=5, period=Period.DAY, scope="key:1", soft=True)
    month = Budget(amount_nanos=5, period=Period.MONTH, scope="team:1")
    found = clock.counted((soft, month), noon)
    assert int(at("2026-12-01T00:00:00")) == found.resets_at
    assert [list(each) for each in found.counters] == msgspec.json.decode(found.text)
    assert FOREVER == clock.counted((soft,), noon).resets_at
