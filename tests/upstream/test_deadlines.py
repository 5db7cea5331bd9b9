"""The limits of one call, by a clock that stands."""

import pytest
from tests.scripted_upstream import Recorder

from trivium.faults import Kind
from trivium.routing.model import TimeLimits
from trivium.upstream.exchange import UpstreamExchange
from trivium.upstream.request import Origin, Request

LIMITS = TimeLimits(connect=1, first_byte=10, idle=4, total=30)


def running(*, headed=False, seen=0.0, paused=False):
    """An exchange that was begun at 0, as it stands, and its sink."""
    sink = Recorder()
    request = Request(origin=Origin("http", "h", 80), payload=b"", limits=LIMITS)
    exchange = UpstreamExchange(request, sink, 0.0)
    exchange._has_head, exchange._seen, exchange._is_paused = headed, seen, paused
    return exchange, sink


def at(seconds, **state):
    """The words of the fault at this time, or ``None``."""
    exchange, sink = running(**state)
    assert (exchange.overdue(seconds) is None) == (sink.fault is not None)
    return sink.fault and sink.fault.message


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
    exchange, sink = running(headed=headed, seen=seen)
    due = exchange._due()
    assert due == exchange.overdue(due - 0.01)
    assert exchange.overdue(due) is None
    assert Kind.UPSTREAM_TIMEOUT is sink.fault.kind


def test_the_idle_limit_starts_anew_after_a_pause():
    """However long the caller took."""
    exchange, sink = running(headed=True, paused=True)
    assert exchange.overdue(20) == 24
    exchange._is_paused = False
    assert exchange.overdue(23.9) == 24
    assert exchange.overdue(24) is None
    assert "idle limit" in sink.fault.message
