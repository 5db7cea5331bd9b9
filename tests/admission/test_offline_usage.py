"""What a worker has let in alone, by the minute."""

import pytest

from trivium.admission.meter import Meter, Subject
from trivium.admission.offline_usage import OfflineUsage
from trivium.settings.limits import RateLimits


@pytest.fixture
def meter():
    """One that stands in minute 100, as all together have counted."""
    made = Meter(Subject.KEY, "key:7", RateLimits(requests=50, tokens=1_000))
    made.minute, made.requests, made.tokens = 100, 10, 200
    return made


def let_in(alone, meter, minute, tokens):
    meter.roll(minute)
    meter.take(tokens)
    alone.took([meter], minute, tokens)


def test_what_all_counted_and_what_one_let_in_are_told_apart(meter):
    """The first may have been forgotten, the second nobody else knows."""
    alone = OfflineUsage()
    let_in(alone, meter, 100, 30)
    let_in(alone, meter, 100, 5)
    (missed,) = alone.told([meter], 100 * 60.0 + 1)
    assert ((2, 0, 35, 0), (10, 0, 200, 0)) == (missed.own, missed.known)


def test_it_is_told_once(meter):
    """Afterwards all have counted it."""
    alone = OfflineUsage()
    let_in(alone, meter, 100, 30)
    alone.told([meter], 6_001.0)
    (missed,) = alone.told([meter], 6_002.0)
    assert ((0, 0, 0, 0), (11, 0, 230, 0)) == (missed.own, missed.known)


def test_the_minute_before_counts_as_such(meter):
    """And what lies further back does not."""
    alone = OfflineUsage()
    let_in(alone, meter, 100, 30)
    let_in(alone, meter, 101, 7)
    (missed,) = alone.told([meter], 101 * 60.0)
    assert ((1, 1, 7, 30), (0, 10, 0, 200)) == (missed.own, missed.known)
    let_in(alone, meter, 101, 7)
    assert [] == alone.told([meter], 104 * 60.0)


@pytest.mark.parametrize(
    ("more", "minute", "own"),
    [
        (-10, 100, (1, 0, 20, 0)),
        (15, 100, (1, 0, 45, 0)),
        (-10, 101, (0, 1, 0, 20)),
        (15, 101, (0, 1, 15, 30)),
    ],
)
def test_what_was_reserved_is_set_right(meter, more, minute, own):
    """Given back to the minute it was taken from; what came on top counts now."""
    alone = OfflineUsage()
    let_in(alone, meter, 100, 30)
    alone.corrected([meter], 100, minute * 60.0, more)
    (missed,) = alone.told([meter], minute * 60.0)
    assert own == missed.own


def test_a_meter_that_knows_nothing_says_nothing():
    """There are many, and few were used within the last two minutes."""
    quiet = Meter(Subject.KEY, "key:8", RateLimits(requests=1))
    assert [] == OfflineUsage().told([quiet], 6_000.0)
