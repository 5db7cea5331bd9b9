"""One request is settled once and recorded once, with what is known at its end."""

from types import SimpleNamespace

import pytest

from edge.wires import asked
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.pipeline.story import NAME_MAX, Story
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts

CALLER = Caller(
    key_id=7, user_id=3, unlimited=False, disabled=False, expires_at=float("inf"),
    models=frozenset(), prefixes=(),
)  # fmt: skip


class Books:
    """A ledger and a recorder that remember."""

    def __init__(self):
        self.settled = []
        self.records = []

    def settle(self, hold, model, usage):
        self.settled.append((hold, model, usage))

    def add(self, record):
        self.records.append(record)


def story(**request):
    """A story that ends two seconds after its request was whole, at 1000.0 by the clock."""
    books = Books()
    services = SimpleNamespace(
        ledger=books, recorder=books, clock=FixedClock(1000.0), time=lambda: 12.0
    )
    exchange = asked(**request)
    exchange.arrived = 10.0
    return Story(exchange, Operation.CHAT, services), books


def test_a_hold_is_settled_once():
    """Before the last byte, and again in the clean-up of every request."""
    told, books = story()
    told.hold, told.model, told.usage = "hold", "model", Usage(output=2)
    told.settle()
    told.usage = None
    told.settle()
    assert [("hold", "model", Usage(output=2))] == books.settled


def test_without_a_hold_nothing_is_settled():
    """Refused before it was admitted."""
    told, books = story()
    told.settle()
    assert [] == books.settled
    told.hold = "hold"
    told.settle()
    assert 1 == len(books.settled)


def test_a_record_says_what_happened():
    """Times are measured from the moment the request was whole."""
    told, books = story(headers={b"anthropic-user-profile-id": b"uprof_1"})
    told.exchange.caller = CALLER
    told.exchange.body = b"12345"
    told.exchange.answer(200, b"{}")
    told.facts = Facts(model="m", stream=True)
    told.step = SimpleNamespace(
        binding=SimpleNamespace(model="own", channel=SimpleNamespace(name="main"))
    )
    told.status, told.attempts, told.first_byte_at = 200, 2, 10.5
    told.usage = Usage(output=2)
    told.record()
    (record,) = books.records
    assert ("req_1", 998.0, 7, 3) == (record.request_id, record.at, record.key_id, record.user_id)
    assert ("chat", "m", "main", "own") == (
        record.operation, record.model, record.channel, record.upstream_model,
    )  # fmt: skip
    assert (200, "", True, 2) == (record.status, record.fault, record.stream, record.attempts)
    assert (500.0, 2000.0) == (record.first_byte_ms, record.total_ms)
    assert (5, told.exchange.bytes_out) == (record.bytes_in, record.bytes_out)
    assert (Usage(output=2), "uprof_1") == (record.usage, record.end_user)


def test_a_record_of_what_was_refused_at_once_has_gaps():
    """Nothing is made up: no model, no channel, no first byte."""
    told, books = story()
    told.fault = Fault(Kind.MALFORMED_JSON, "no")
    told.status = 400
    told.record()
    (record,) = books.records
    assert ("", "", "", 400, "malformed_json") == (
        record.model, record.channel, record.upstream_model, record.status, record.fault,
    )  # fmt: skip
    assert (None, None, None, None, "") == (
        record.key_id, record.user_id, record.first_byte_ms, record.usage, record.end_user,
    )  # fmt: skip


@pytest.mark.parametrize("name", [b"anthropic-user-profile-id", b"vendor-user-profile-id"])
def test_a_profile_is_recorded_under_either_name(name):
    """The specification's neutral one and the vendor's own."""
    told, books = story(headers={name: b"uprof_1"})
    told.record()
    assert "uprof_1" == books.records[0].end_user


def test_the_vendors_own_name_wins():
    """As it does on the way upstream."""
    headers = {b"vendor-user-profile-id": b"neutral", b"anthropic-user-profile-id": b"own"}
    told, books = story(headers=headers)
    told.record()
    assert "own" == books.records[0].end_user


def test_what_a_caller_chose_is_kept_within_limits():
    """Names of any length and bytes of any kind."""
    told, books = story(headers={b"vendor-user-profile-id": b"\xff" * 5000})
    told.facts = Facts(model="m" * 5000)
    told.record()
    (record,) = books.records
    assert ("m" * NAME_MAX, "\xff" * NAME_MAX) == (record.model, record.end_user)
