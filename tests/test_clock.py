"""The door to the machine's clock, and the clock that stands."""

import time

import pytest

from trivium.clock import STEADY_S, FixedClock, Steady, SystemClock


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


class Jumping(FixedClock):
    """A clock whose time of day is apart from the one that never goes back."""

    apart = 0.0

    def now(self):
        return self.at + self.apart


@pytest.mark.parametrize("jump", [300, -300, 2 * 86_400, -2 * 86_400])
def test_the_steady_time_goes_on_through_a_jump_and_back(jump):
    """Nothing is over by it that would not be without the jump."""
    clock = Jumping(1_000.0)
    steady = Steady(clock)
    clock.apart = jump
    clock.advance(500)
    assert (jump, 1_500.0) == (steady.jumped_s(), steady.now())
    assert 1_500.0 + min(0, jump) == steady.earliest()
    clock.apart = 0.0
    clock.advance(500)
    assert (0, 2_000.0, 2_000.0) == (steady.jumped_s(), steady.now(), steady.earliest())


def test_a_clock_that_stays_where_it_jumped_to_is_believed_in_the_end():
    """A day after its last jump."""
    clock = Jumping(1_000.0)
    steady = Steady(clock)
    for clock.apart in (7_200.0, 3_600.0):
        assert clock.apart == steady.jumped_s()
        clock.advance(STEADY_S - 1)
    assert 3_600.0 == steady.jumped_s()
    clock.advance(1)
    assert (0, clock.now()) == (steady.jumped_s(), steady.now())


def test_a_clock_that_is_set_right_a_little_at_a_time_has_not_jumped():
    """However far that goes in the end."""
    clock = Jumping(1_000.0)
    steady = Steady(clock)
    for _ in range(100):
        clock.apart += 30
        clock.advance(60)
        assert (0, clock.now()) == (steady.jumped_s(), steady.now())
