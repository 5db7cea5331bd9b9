"""The limits of one call, by a clock that stands."""

import pytest

from trivium.faults import Kind
from trivium.routing.model import TimeLimits
from trivium.upstream import deadlines
from trivium.upstream.deadlines import Deadlines

LIMITS = TimeLimits(connect=1, first_byte=10, idle=4, total=30)


def at(seconds, *, headed=False, seen=0.0, paused=False):
    """The words of the fault at this time, or ``None``."""
    limits = Deadlines(LIMITS, 0.0)
    limits.headed, limits.seen, limits.paused = headed, seen, paused
    fault = limits.overdue(seconds)
    return fault and fault.message


@pytest.mark.parametrize(
    ("seconds", "state", "named"),
    [
        (9.9, {}, None),
        (10, {}, "did not begin to answer within 10 s (first-byte limit)"),
        (13.9, {"headed": True, "seen": 10.0}, None),
        (14, {"headed": True, "seen": 10.0}, "sent nothing more within 4 s (idle limit)"),
        (29, {"headed": True, "seen": 10.0, "paused": True}, None),
        (29, {"paused": True}, None),
        (30, {"headed": True, "seen": 29.0}, "did not finish its answer within 30 s (total limit)"),
        (30, {"headed": True, "seen": 29.0, "paused": True}, "(total limit)"),
    ],
)
def test_the_limit_that_passed_is_named(seconds, state, named):
    """First byte until there is a head, then idle; total always; a pause stops all but total."""
    message = at(seconds, **state)
    assert message is None if named is None else named in message


@pytest.mark.parametrize("headed", [False, True])
@pytest.mark.parametrize("seen", [0.0, 5.0, 24.0, 28.0])
def test_nothing_is_overdue_before_it_is_due(headed, seen):
    """So the ticker may look away until then, and not a moment longer."""
    limits = Deadlines(LIMITS, 0.0)
    limits.headed, limits.seen = headed, seen
    due = limits.due()
    assert limits.overdue(due - 0.01) is None
    assert limits.overdue(due) is not None


def test_the_idle_limit_starts_anew_after_a_pause():
    """However long the caller took."""
    limits = Deadlines(LIMITS, 0.0)
    limits.headed = limits.paused = True
    assert limits.overdue(20) is None
    limits.paused = False
    assert limits.overdue(23.9) is None
    assert limits.overdue(24) is not None


def test_the_connect_limit_has_its_own_words():
    """Not the vendor's answer is late, but the connection."""
    fault = deadlines.connecting(2.5)
    assert Kind.UPSTREAM_TIMEOUT is fault.kind
    assert "within 2.5 s (connect limit)" in fault.message
