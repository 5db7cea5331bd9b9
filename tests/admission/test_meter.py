"""Windows that never give more than they say, whatever the order of things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.admission.meter import Meter, Of, Subject, delay, remaining, reset, rolled
from trivium.admission.shared import MeterCounts
from trivium.settings.limits import RateLimits


def meter(**limits):
    return Meter(Subject.KEY, "key:7", RateLimits(**limits))


def ask(meter, at, tokens=0):
    """One request at a second since the epoch; whether it was let in."""
    minute, into = int(at // 60), at % 60
    fits = meter.fits(minute, into, tokens)
    if fits:
        meter.take(tokens)
    return fits


GAPS = st.lists(st.floats(0, 90, allow_nan=False), min_size=1, max_size=120)


@given(limit=st.integers(1, 20), gaps=GAPS, span=st.floats(1, 60))
def test_no_window_gets_more_than_its_definition(limit, gaps, span):
    """A clock minute gets the limit at most, any t seconds limit x (1 + t / 60)."""
    counted, at, let_in = meter(requests=limit), 0.0, []
    for gap in gaps:
        at += gap
        if ask(counted, at):
            let_in.append(at)
    for start in let_in:
        within = [t for t in let_in if start <= t < start + span]
        assert len(within) <= limit * (1 + span / 60) + 1e-6
    for minute in {int(t // 60) for t in let_in}:
        assert sum(int(t // 60) == minute for t in let_in) <= limit


@given(
    limit=st.integers(10, 1000),
    steps=st.lists(
        st.tuples(st.floats(0, 90), st.integers(0, 500), st.integers(0, 500)),
        min_size=1,
        max_size=60,
    ),
)
def test_reserved_and_corrected_tokens_keep_to_the_limit(limit, steps):
    """What was used, counted where it was reserved, exceeds no minute's limit, if no answer came
    to more than was reserved.
    """
    counted, at, used = meter(tokens=limit), 0.0, {}
    for gap, wanted, less in steps:
        at += gap
        reserved = min(wanted, limit)
        if ask(counted, at, reserved):
            real = max(0, reserved - less)
            minute = int(at // 60)
            counted.correct(minute, minute, real - reserved)
            used[minute] = used.get(minute, 0) + real
    assert all(tokens <= limit for tokens in used.values())


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 5))
def test_slots_are_never_negative_nor_more_than_allowed(turns, limit):
    """Leaving twice is harmless, entering once too often is refused."""
    counted, inside = meter(concurrency=limit), 0
    for enters in turns:
        if enters:
            inside += ask(counted, 0)
        else:
            inside -= inside > 0
            counted.leave()
        assert 0 <= counted.running == inside <= limit


@given(
    limit=st.integers(1, 50),
    now=st.integers(0, 200),
    before=st.integers(0, 50),
    into=st.floats(0, 59.999),
    wanted=st.integers(1, 50),
)
def test_a_delay_is_long_enough_and_no_longer_than_needed(limit, now, before, into, wanted):
    """After it the request fits; a tenth of a second earlier it did not."""
    wanted, before = min(wanted, limit), min(before, limit)

    def fits(after):
        counted = meter(tokens=limit)
        counted.adopt(0, MeterCounts(0, 0, now, before, 0))
        at = into + after
        return counted.fits(int(at // 60), at % 60, wanted)

    wait = delay(limit, now, before, into, wanted)
    assert fits(wait + 0.001)
    assert wait < 0.1 or not fits(wait - 0.1)


@pytest.mark.parametrize("more", [5000, 160_000])
def test_what_exceeds_a_minute_counts_in_the_next(more):
    """A request far beyond its reservation blocks for as long as its tokens last."""
    counted = meter(tokens=100)
    assert ask(counted, 0, 50)
    counted.correct(0, 0, more)
    minutes = more // 100
    assert not ask(counted, (minutes - 1) * 60 + 30, 50)
    assert ask(counted, (minutes + 1) * 60 + 59, 50)


def test_tokens_are_given_back_to_the_minute_they_were_reserved_in():
    """This one, the last one, or none that still counts."""
    for at, left in ((10, 100), (70, 95), (200, 100)):
        counted = meter(tokens=100)
        assert ask(counted, 0, 90)
        counted.roll(at // 60)
        counted.correct(0, at // 60, -90)
        if at == 70:
            assert ask(counted, 70, left)
        assert remaining(100, counted.tokens, counted.tokens_before, 0.0) >= 0
    late = meter(tokens=100)
    assert ask(late, 0, 90)
    assert ask(late, 119, 90)
    late.correct(0, 1, -90)
    assert (90, 0) == (late.tokens, late.tokens_before)
    late.roll(2)
    late.correct(0, 2, -90)
    assert 90 == late.tokens_before


def test_a_clock_that_goes_back_does_not_lock_anybody_out():
    """A second is nothing, an hour begins anew."""
    counted = meter(requests=1)
    assert ask(counted, 3600.5)
    assert not ask(counted, 3599.5)
    assert ask(counted, 0)


@pytest.mark.parametrize(
    ("tokens", "limit", "passed", "expected"),
    [
        (50, 100, 1, (0, 50)),
        (250, 100, 1, (150, 100)),
        (250, 100, 2, (50, 100)),
        (250, 100, 3, (0, 50)),
        (250, 100, 4, (0, 0)),
        (250, None, 1, (0, 250)),
        (250, None, 2, (0, 0)),
        (250, 100, -5, (0, 0)),
    ],
)
def test_minutes_pass(tokens, limit, passed, expected):
    """This minute's count and the last one's."""
    assert expected == rolled(tokens, limit, passed)


def test_the_longest_wait_is_the_obstacle():
    """Of requests, tokens and slots."""
    counted = meter(requests=1, tokens=100, concurrency=1)
    assert counted.obstacle(0.0, 10) is None
    assert ask(counted, 0, 100)
    assert (Of.REQUESTS, 120.0) == counted.obstacle(0.0, 0)
    assert (Of.CONCURRENCY, 1.0) == meter(concurrency=1).obstacle(0.0, 0, running=1)


def test_what_is_left_and_when_it_is_all_back():
    """As headers tell it."""
    assert 60 == remaining(100, 10, 40, 15.0)
    assert 0 == remaining(100, 300, 40, 15.0)
    assert [105.0, 45.0, 0.0] == [reset(1, 0, 15.0), reset(0, 1, 15.0), reset(0, 0, 15.0)]


@pytest.mark.parametrize(
    ("limits", "of"),
    [
        ({"requests": 1, "tokens": 1}, Of.REQUESTS),
        ({"tokens": 1, "concurrency": 1}, Of.TOKENS),
        ({"concurrency": 1}, Of.CONCURRENCY),
    ],
)
def test_the_first_limit_stands_for_all(limits, of):
    """For a refusal that nobody can explain any more."""
    assert of is meter(**limits).first()
