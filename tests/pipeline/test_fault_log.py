"""Operators hear of what they can do something about, and of nothing else."""

import asyncio
from types import SimpleNamespace

import pytest

from edge.wires import asked
from trivium.faults import Fault, Kind
from trivium.pipeline.fault_log import fault_of, log_fault, vendor_fault
from trivium.pipeline.request_context import NAME_MAX, RequestContext
from trivium.pipeline.structs import Route
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


class Alarm:
    """Remembers what it was to tell."""

    def __init__(self):
        self.told = []

    def log(self, level, event, kind, **fields):
        self.told.append((level, event, kind, fields))


def context(**known):
    """A context as it stands when something fails, and the alarm it would ring."""
    log_throttle = Alarm()
    told = RequestContext(
        asked(), Route(operation=Operation.CHAT), SimpleNamespace(log_throttle=log_throttle)
    )
    for name, value in known.items():
        setattr(told, name, value)
    return told, log_throttle


def at(channel):
    """A step of a plan that goes to a channel of this name."""
    return SimpleNamespace(binding=SimpleNamespace(channel=SimpleNamespace(name=channel)))


@pytest.mark.parametrize("kind", [kind for kind in Kind if Fault(kind, "x").row.level == "info"])
def test_a_callers_own_doing_is_not_told(kind):
    """It would be a log that strangers write."""
    told, log_throttle = context(step=at("a"))
    log_fault(told, "request_failed", Fault(kind, "no"))
    assert [] == log_throttle.told


@pytest.mark.parametrize("kind", [kind for kind in Kind if Fault(kind, "x").row.level != "info"])
def test_anything_else_is_told_with_what_is_known(kind):
    """Once for each event, kind of fault and channel; a long name of a model is cut."""
    told, log_throttle = context(step=at("a"), facts=RequestFacts(model="m" * 2 * NAME_MAX))
    fault = Fault(kind, "no")
    log_fault(told, "attempt_failed", fault)
    ((level, event, counted, fields),) = log_throttle.told
    assert (fault.row.level, "attempt_failed") == (level, event)
    assert ("attempt_failed", kind.value, "a") == counted
    assert {
        "request_id": told.exchange.request_id,
        "fault": kind.value,
        "channel": "a",
        "model": "m" * NAME_MAX,
        "message": "no",
    } == fields


def test_what_fails_before_anything_is_known_is_told_without_it():
    """No channel yet, no model yet."""
    told, log_throttle = context()
    log_fault(told, "request_failed", Fault(Kind.INTERNAL, "no"))
    ((_, _, counted, fields),) = log_throttle.told
    assert ("", "", "") == (counted[2], fields["channel"], fields["model"])


def test_a_fault_is_answered_as_it_is():
    """Whoever raised it knew what to say."""
    told, _ = context()
    fault = Fault(Kind.NO_ROUTE, "No.")
    assert fault is fault_of(told, fault)


def test_who_waits_when_the_gateway_stops_is_told_to_come_again():
    """The caller is still there."""
    told, _ = context()
    assert Kind.STOPPING == fault_of(told, asyncio.CancelledError()).kind
    assert told.fault is None


@pytest.mark.parametrize("status", [0, 200])
def test_nothing_is_answered_to_whom_has_left(status):
    """It is written down; a status that was sent stays."""
    told, _ = context(status=status)
    told.exchange.gone = True
    assert fault_of(told, asyncio.CancelledError()) is None
    assert (Kind.CALLER_LEFT, status or told.fault.status) == (told.fault.kind, told.status)


def test_a_refusal_is_what_its_provider_takes_it_for():
    """Status, headers by name, and body."""
    seen = []
    fault = Fault(Kind.UPSTREAM_BROKE, "no")
    provider = SimpleNamespace(failure=lambda refusal: seen.append(refusal) or fault)
    step = SimpleNamespace(binding=SimpleNamespace(channel=SimpleNamespace(provider=provider)))
    assert fault is vendor_fault(step, 418, [(b"x-why", b"tea")], b"pot")
    assert (418, {"x-why": "tea"}, b"pot") == (seen[0].status, seen[0].headers, seen[0].body)
