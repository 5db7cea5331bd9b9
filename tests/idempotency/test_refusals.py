"""Callers who are refused again and again claim little."""

import pytest

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.idempotency import refusals as module
from trivium.idempotency.refusals import PATIENCE, PAUSE_S, ClaimRefusals

POOR = Fault(Kind.BALANCE_TOO_LOW, "The balance is too low.")


@pytest.fixture
def clock():
    return FixedClock()


def refused(clock, times=PATIENCE, key_id=5):
    """What is known after so many refusals."""
    found = ClaimRefusals(clock)
    for _ in range(times):
        found.note(key_id, POOR)
    return found


def test_the_first_refusals_cost_nothing(clock):
    """Whoever runs into a limit now and then notices nothing; others never do."""
    found = refused(clock, PATIENCE - 1)
    assert None is found.of(5)
    found.note(5, POOR)
    assert None is found.of(6)
    told = found.of(5)
    assert (Kind.BALANCE_TOO_LOW, 402 if POOR.status == 402 else POOR.status) == (
        told.kind,
        told.status,
    )
    assert told.message.endswith("The last was told: The balance is too low.")
    assert PAUSE_S == told.retry_after


def test_one_goes_through_a_second(clock):
    """And the next waits, whether or not that one has ended."""
    found = refused(clock)
    for _ in range(3):
        assert found.of(5) is not None
        clock.advance(PAUSE_S)
        assert None is found.of(5)
        assert found.of(5) is not None
        found.note(5, POOR)


@pytest.mark.parametrize("ended", [None, Fault(Kind.UPSTREAM_BROKE, "broke")])
def test_who_is_admitted_is_free_again(clock, ended):
    """Whatever the vendor answered."""
    found = refused(clock)
    found.note(5, ended)
    assert None is found.of(5)


def test_a_longer_wait_is_told(clock):
    """That of the limit."""
    found = refused(clock)
    found.note(5, Fault(Kind.RATE_LIMITED, "slow down", retry_after=20.0))
    assert 20.0 == found.of(5).retry_after


def test_callers_are_bounded(clock, monkeypatch):
    """The oldest is forgotten."""
    monkeypatch.setattr(module, "CALLERS_MAX", 3)
    found = refused(clock)
    for key_id in (6, 7, 8):
        found.note(key_id, POOR)
    assert 3 == len(found._refused)
    assert None is found.of(5)
