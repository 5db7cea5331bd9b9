"""Whatever goes wrong in a served request is answered, and what it was given comes back."""

import asyncio
from types import SimpleNamespace

import pytest
import structlog
from structlog.testing import capture_logs

from trivium.faults import Fault, Kind
from trivium.pipeline.guard import Guard


def crashed(**told):
    """Log a crash, by a logger of now: one of import time may be bound to what others set up."""
    structlog.get_logger().error("it_crashed", **told)


REFUSED = Fault(Kind.NOT_PERMITTED, "No.")


class Exchange:
    """Who asked, and what they were told."""

    request_id = "req_1"

    def __init__(self, *, gone):
        self.gone = gone
        self.told = []

    def fail(self, fault):
        self.told.append(fault.kind)


def guarded(error, *, gone=False):
    """What the caller and the log were told, and what was given back, when this is raised."""
    exchange, back = Exchange(gone=gone), []
    with capture_logs() as logs, Guard(exchange, crashed) as guard:
        guard.given = SimpleNamespace(leave=back.append)
        if error is not None:
            raise error
    return exchange.told, [(line["event"], line["request_id"]) for line in logs], back


@pytest.mark.parametrize(
    ("error", "gone", "told", "logged"),
    [
        (None, False, [], []),
        (REFUSED, False, [Kind.NOT_PERMITTED], []),
        (asyncio.CancelledError(), False, [Kind.STOPPING], []),
        (asyncio.CancelledError(), True, [], []),
        (ValueError("secret"), False, [Kind.INTERNAL], [("it_crashed", "req_1")]),
    ],
)
def test_what_goes_wrong_is_answered(error, gone, told, logged):
    """A caller who has gone is told nothing; nobody reads what an exception said."""
    assert (told, logged, [0]) == guarded(error, gone=gone)


def test_the_end_of_the_process_goes_on():
    """Nobody is told, but what was given comes back."""
    back = []
    exchange = Exchange(gone=False)
    guard = Guard(exchange, crashed)
    guard.given = SimpleNamespace(leave=back.append)
    with pytest.raises(SystemExit), guard:
        raise SystemExit
    assert ([], [0]) == (exchange.told, back)
