"""The door to the machine's clock, and the clock that stands."""

import time

import pytest

from trivium.clock import FixedClock, SystemClock


def test_the_system_clock_tells_the_time():
    """Seconds since the epoch, as the machine has them."""
    before = time.time()
    now = SystemClock().now()
    assert before <= now <= time.time()


def test_the_system_clock_measures_durations_without_going_back():
    """Deadlines survive a change of the wall clock."""
    clock = SystemClock()
    readings = [clock.monotonic() for _ in range(100)]
    assert sorted(readings) == readings


def test_a_fixed_clock_stands_until_it_is_moved():
    """Tests decide when time passes."""
    clock = FixedClock(100.0)
    assert (100.0, 100.0) == (clock.now(), clock.monotonic())
    assert (100.0, 100.0) == (clock.now(), clock.monotonic())
    clock.advance(2.5)
    assert (102.5, 102.5) == (clock.now(), clock.monotonic())


@pytest.mark.parametrize("clock", [SystemClock(), FixedClock()])
def test_both_clocks_speak_of_this_century(clock):
    """A test that stores or shows the time sees a plausible one."""
    assert 1_700_000_000 < clock.now() < 4_000_000_000
