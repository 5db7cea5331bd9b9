"""Days, weeks and months in UTC."""

from datetime import UTC, datetime

import pytest

from trivium.admission.periods import FOREVER, bounds
from trivium.identity.model import Period


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("period", "now", "begin", "end"),
    [
        (Period.DAY, "2026-11-21T00:00:00", "2026-11-21", "2026-11-22"),
        (Period.DAY, "2026-12-31T23:59:59", "2026-12-31", "2027-01-01"),
        (Period.WEEK, "2026-11-22T23:59:59", "2026-11-16", "2026-11-23"),
        (Period.WEEK, "2026-11-23T00:00:00", "2026-11-23", "2026-11-30"),
        (Period.MONTH, "2026-11-30T23:59:59", "2026-11-01", "2026-12-01"),
        (Period.MONTH, "2026-12-31T12:00:00", "2026-12-01", "2027-01-01"),
        (Period.MONTH, "2028-02-29T12:00:00", "2028-02-01", "2028-03-01"),
    ],
)
def test_a_period_begins_at_midnight(period, now, begin, end):
    """The end is the beginning of the next."""
    assert (at(begin), at(end)) == bounds(period, at(now))


def test_in_total_never_ends():
    """And began before anything."""
    assert (0, FOREVER) == bounds(Period.TOTAL, at("2026-11-21"))
