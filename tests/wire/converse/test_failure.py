"""Faults of answers of the converse shape."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.providers.failure import error_event
from trivium.wire.converse import failure
from trivium.wire.event_stream import EventFrame


def frame(kind, name, payload=b"{}"):
    """A frame that ends a stream."""
    headers = {":message-type": kind}
    headers[":exception-type" if kind == "exception" else ":error-code"] = name
    return EventFrame(headers, payload)


def test_an_event_is_no_fault(converse):
    """Nor is what does not say what it is."""
    frames = [EventFrame({":message-type": "event"}, b""), EventFrame({}, b"")]
    assert [None, None] == [failure.ended(one, converse.context()) for one in frames]


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("throttlingException", "Too many tokens", Kind.UPSTREAM_RATE_LIMITED),
        ("serviceUnavailableException", "", Kind.UPSTREAM_OVERLOADED),
        ("internalServerException", "", Kind.UPSTREAM_BROKE),
        ("modelStreamErrorException", "", Kind.UPSTREAM_BROKE),
        ("validationException", "Input is too long for requested model.", Kind.CONTEXT_TOO_LONG),
        ("validationException", "The name is wrong.", Kind.UPSTREAM_REJECTED),
        ("modelTimeoutException", "", Kind.UPSTREAM_TIMEOUT),
        ("strangeException", "", Kind.UPSTREAM_BROKE),
    ],
)
def test_what_an_exception_means_to_a_provider(converse, name, message, kind):
    """By its status, and by its words where they say more."""
    payload = json.dumps({"message": message}).encode()
    found = failure.ended(frame("exception", name, payload), converse.context(refused=error_event))
    assert kind is found.kind


@pytest.mark.parametrize("payload", [b"", b"[]", b"3", b'{"message":3}', b"nonsense"])
def test_an_exception_without_words_is_one(converse, payload):
    """Its name is enough."""
    found = failure.ended(frame("exception", "throttlingException", payload), converse.context())
    assert Kind.UPSTREAM_RATE_LIMITED is found.kind


def test_long_words_are_cut(converse):
    """An upstream chooses them."""
    seen = []

    def refused(error):
        seen.append(error)
        return Fault(Kind.UPSTREAM_BROKE, "x")

    payload = json.dumps({"message": "x" * 100_000}).encode()
    failure.ended(frame("exception", "x", payload), converse.context(refused=refused))
    assert len(seen[0]) < 5_000


def test_the_reason_ends_the_sentence():
    """Where there is one."""
    assert "protocol." in failure.broke().message
    assert failure.broke("a call has no name").message.endswith(": a call has no name.")
