"""The breaker's table, and that no order of events brings it to a state it has no way out of."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.routing.breaker import PROBE_S, claimed, failed, released, state, succeeded
from trivium.routing.channel_health import NEW, Breaker, State
from trivium.settings.model import RoutingSettings

RULES = RoutingSettings(
    failures=3, failures_ratio=0.5, window_s=30, cooldown_s=5, cooldown_max_s=60
)


def play(events: str, breaker: Breaker = NEW, *, step: float = 0.1) -> tuple[Breaker, float]:
    """``f`` fails, ``s`` succeeds, ``c`` claims, ``r`` releases, ``w`` waits a second."""
    now = 100.0
    for event in events:
        now += 1.0 if event == "w" else step
        match event:
            case "f":
                breaker = failed(breaker, now, RULES, "upstream_broke")
            case "s":
                breaker = succeeded(breaker, now, RULES)
            case "c":
                breaker = claimed(breaker, now)
            case "r":
                breaker = released(breaker)
    return breaker, now


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("", State.CLOSED),
        ("ff", State.CLOSED),
        ("fff", State.OPEN),
        ("ffsff", State.CLOSED),
        ("s" * 9 + "sf" * 10, State.CLOSED),  # 10 of 29
        ("sf" * 10, State.OPEN),  # 10 of 20, never three in a row
        ("sf" * 9, State.CLOSED),  # half, but of too few
        ("fff" + "w" * 6, State.READY),
        ("fff" + "w" * 6 + "c", State.PROBING),
        ("fff" + "w" * 6 + "cs", State.CLOSED),
        ("fff" + "w" * 6 + "cf", State.OPEN),
        ("fff" + "w" * 6 + "cr", State.READY),
        ("fff" + "w" * 6 + "cf" + "w" * 6, State.OPEN),  # twice as long
        ("fff" + "w" * 6 + "cf" + "w" * 11, State.READY),
        ("fffs", State.OPEN),  # one that began before
        ("fff" + "ffff" + "w" * 6, State.READY),  # those that began before do not prolong it
        ("f" + "w" * 31 + "ff", State.OPEN),  # in a row, however far apart
        ("sf" * 9 + "w" * 31 + "sf" * 9, State.CLOSED),  # a new window
    ],
)
def test_the_table(events, expected):
    """What it was, what happened, what it is."""
    breaker, now = play(events)
    assert state(breaker, now) is expected


@pytest.mark.parametrize(
    ("first", "second", "until"), [(30.0, 9.0, 130.0), (9.0, 30.0, 130.0), (9.0, None, 109.0)]
)
def test_of_two_deadlines_the_later_holds(first, second, until):
    """In whichever order the vendor's answers come in."""
    breaker = failed(NEW, 100.0, RULES, "upstream_rate_limited", wait_s=first)
    breaker = failed(breaker, 100.0, RULES, "upstream_rate_limited", wait_s=second)
    assert (breaker.until, breaker.told) == (until, True)


def test_a_vendors_word_opens_at_once_and_no_word_does_not():
    """A delay of nothing is no word."""
    assert state(failed(NEW, 1.0, RULES, "x", wait_s=7.0), 1.0) is State.OPEN
    assert state(failed(NEW, 1.0, RULES, "x", wait_s=0.0), 1.0) is State.CLOSED
    assert state(failed(NEW, 1.0, RULES, "x"), 1.0) is State.CLOSED


def test_a_later_word_of_the_vendor_prolongs_our_guess():
    """What we would have tried after five seconds is left alone for a minute."""
    guess, now = play("fff")
    told = failed(guess, now, RULES, "upstream_rate_limited", wait_s=60.0)
    assert (told.until, told.told, told.why) == (now + 60.0, True, "upstream_rate_limited")


def test_the_cooldown_doubles_up_to_its_limit():
    """5, 10, 20, 40, 60, 60."""
    breaker, now = play("fff")
    seen = [breaker.until - now]
    for _ in range(5):
        now = breaker.until + 1.0
        breaker = failed(claimed(breaker, now), now, RULES, "x")
        seen.append(breaker.until - now)
    assert seen == pytest.approx([5.0, 10.0, 20.0, 40.0, 60.0, 60.0])


def test_a_probe_that_is_never_heard_of_makes_room():
    """A worker may have died with it."""
    breaker, now = play("fff" + "w" * 6 + "c")
    assert state(breaker, now + PROBE_S) is State.READY


def test_one_probe_at_a_time():
    """However many ask."""
    breaker, now = play("fff" + "w" * 6)
    first = claimed(breaker, now)
    assert first is not breaker
    assert claimed(first, now) is first


EVENTS = st.lists(
    st.tuples(st.sampled_from("fscr"), st.floats(0, 90), st.one_of(st.none(), st.floats(0, 600))),
    max_size=40,
)


@given(EVENTS)
def test_whatever_happens_time_and_a_success_close_it(events):
    """And a closed breaker has nothing left of what opened it."""
    breaker, now = NEW, 0.0
    for event, passed, wait in events:
        now += passed
        match event:
            case "f":
                breaker = failed(breaker, now, RULES, "x", wait_s=wait)
            case "s":
                breaker = succeeded(breaker, now, RULES)
            case "c":
                breaker = claimed(breaker, now)
            case _:
                breaker = released(breaker)
        assert breaker.until <= now + 600.0
        assert (state(breaker, now) is State.CLOSED) == (breaker.until == 0.0)
    later = max(now, breaker.until, breaker.probe_until) + 1.0
    assert state(breaker, later) in (State.CLOSED, State.READY)
    closed = succeeded(claimed(breaker, later), later, RULES)
    assert state(closed, later) is State.CLOSED
    assert (closed.row, closed.trips, closed.why) == (0, 0, "")


@given(EVENTS)
def test_while_it_is_open_nothing_but_time_lets_anything_through(events):
    """Successes and failures of attempts that began before change no deadline to an earlier one."""
    breaker, now = failed(NEW, 0.0, RULES, "x", wait_s=50.0), 0.0
    for event, _, wait in events:
        before = breaker
        match event:
            case "f":
                breaker = failed(breaker, now, RULES, "x", wait_s=wait)
            case "s":
                breaker = succeeded(breaker, now, RULES)
            case "c":
                breaker = claimed(breaker, now)
            case _:
                breaker = released(breaker)
        assert breaker.until >= before.until
    assert state(breaker, now) is State.OPEN


def test_it_is_plain_data():
    """So that another worker can be told of it."""
    breaker, _ = play("fff")
    assert msgspec.json.decode(msgspec.json.encode(breaker), type=Breaker) == breaker
