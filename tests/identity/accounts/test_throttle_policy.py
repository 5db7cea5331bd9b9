"""Some tries are free; after them pauses grow, and time forgives."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trivium.identity.accounts.throttle_policy import (
    NOTHING,
    PER_ACCOUNT,
    PER_ADDRESS,
    Limit,
    another,
    forgiven,
    network_of,
)

LIMIT = Limit(free=3, window_s=100, pause_s=10, pause_max_s=60)


AHEAD = 2 * 86_400


def test_tries_that_a_clock_ahead_has_counted_keep_nobody_out_until_then():
    """They are forgotten; what a node's clock may be off is not."""
    seen = NOTHING
    for _ in range(3):
        seen = another(LIMIT, seen, 1_000 + AHEAD)
    assert another(LIMIT, seen, 1_000 + AHEAD) is None
    assert another(LIMIT, seen, 990 + AHEAD) is None
    assert 1 == another(LIMIT, seen, 1_000).count


def walk(limit, times):
    """Which of these moments are let through."""
    seen, let = NOTHING, []
    for now in times:
        more = another(limit, seen, now)
        let.append(more is not None)
        seen = more or seen
    return let


@pytest.mark.parametrize(
    ("times", "let"),
    [
        ((0, 0, 0), (True, True, True)),
        ((0, 0, 0, 9, 10), (True, True, True, False, True)),
        ((0, 0, 0, 10, 29, 30), (True, True, True, True, False, True)),
        # 10, 20, 40, then 60 for good
        (
            (0, 0, 0, 10, 30, 70, 129, 130, 189, 190),
            (True, True, True, True, True, True, False, True, False, True),
        ),
        # a window that passed without a pause is forgotten
        ((0, 89, 100, 100, 100, 100), (True, True, True, True, True, False)),
        # not while it goes on
        ((0, 99, 100, 100, 100, 100), (True, True, True, False, False, False)),
        # a pause is forgotten a window after it
        ((0, 0, 0, 109, 109, 109, 110, 110, 110, 110), (True,) * 4 + (False,) * 2 + (False,) * 4),
        ((0, 0, 0, 110, 110, 110, 110), (True,) * 6 + (False,)),
    ],
)
def test_tries_are_let_through_by_the_clock(times, let):
    """Free ones, then ever longer pauses, then forgotten."""
    assert list(let) == walk(LIMIT, times)


def test_the_published_limits_hold():
    """Five for an account and thirty from an address within 15 minutes, then pauses."""
    assert 5 == sum(walk(PER_ACCOUNT, range(20)))
    assert 100 == sum(walk(PER_ADDRESS, [0] * 140))
    day = sum(walk(PER_ACCOUNT, range(0, 86_400, 10)))
    assert day < 110, "somebody who guesses all day gets a hundred guesses"


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 8))
@example([0, 41, 0, 0, 19, 0, 0], 5)  # over the end of a window
def test_no_window_sees_more_than_free_tries_without_pause(gaps, free):
    """Whatever the rhythm: after the last free try the next one waits at least the first pause."""
    limit = Limit(free=free, window_s=60, pause_s=20, pause_max_s=80)
    now, times = 0, []
    for gap in gaps:
        now += gap
        times.append(now)
    let = [t for t, ok in zip(times, walk(limit, times), strict=True) if ok]
    for first, after in zip(let, let[free:], strict=False):
        assert after - first >= 20


def test_what_turned_out_well_is_taken_back():
    """Also the pause that it caused."""
    seen = NOTHING
    for _ in range(3):
        seen = another(LIMIT, seen, 0)
    assert another(LIMIT, seen, 1) is None
    assert another(LIMIT, forgiven(LIMIT, seen), 1) is not None


def test_nothing_cannot_be_forgiven():
    """A count never goes below zero."""
    assert 0 == forgiven(LIMIT, NOTHING).count


def test_pauses_that_were_earned_stay():
    """One success among failures does not open the door again."""
    seen = NOTHING
    for now in (0, 0, 0, 10, 30):
        seen = another(LIMIT, seen, now)
    assert another(LIMIT, forgiven(LIMIT, seen), 31) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "", True),
    ],
)
def test_an_ipv6_address_is_limited_by_its_network(one, other, same):
    """Whoever has one has all the others."""
    assert same is (network_of(one) == network_of(other))
