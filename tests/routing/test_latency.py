"""An average that follows, forgets, and tries what it does not know."""

import pytest

from trivium.clock import FixedClock
from trivium.routing.candidates import Reading
from trivium.routing.latency import HALF_S, Latency, added, estimate


def test_what_nobody_has_tried_is_expected_to_be_quick():
    """So that it is tried."""
    assert estimate(None, 9.0) == 0.0


def test_the_average_follows_the_readings():
    """Ten at another pace, and it is nearly there."""
    reading = None
    for _ in range(10):
        reading = added(reading, 1.0, 0.0)
    assert estimate(reading, 0.0) == pytest.approx(1.0)
    for _ in range(10):
        reading = added(reading, 3.0, 0.0)
    assert estimate(reading, 0.0) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize(("passed", "expected"), [(0, 4.0), (HALF_S, 2.0), (2 * HALF_S, 1.0)])
def test_a_reading_fades(passed, expected):
    """A channel that was slow an hour ago is looked at again."""
    assert estimate(Reading(4.0, 100.0), 100.0 + passed) == pytest.approx(expected)


def test_each_model_of_a_channel_has_its_own():
    """A slow model does not make its channel slow."""
    latency = Latency(FixedClock().monotonic)
    latency.add("a", "slow", 9.0)
    assert [9.0, 0.0] == [latency.expected("a", model) for model in ("slow", "quick")]


def test_while_one_looks_again_nobody_follows():
    """The old reading holds until the answer is back, and then the new one counts for most."""
    clock = FixedClock()
    latency = Latency(clock.monotonic)
    latency.begin("a", "m")
    assert latency.expected("a", "m") == 0.0
    latency.add("a", "m", 4.0)
    clock.advance(5 * HALF_S)
    assert latency.expected("a", "m") == pytest.approx(0.125)
    latency.begin("a", "m")
    assert latency.expected("a", "m") == pytest.approx(4.0)
    latency.add("a", "m", 1.0)
    assert latency.expected("a", "m") == pytest.approx(1.0, abs=0.1)
