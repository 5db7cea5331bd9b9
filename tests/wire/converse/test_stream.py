"""The pass-through lane's watch over event-stream frames: every cut, every end, every exception."""

import json

import pytest
from botocore.exceptions import EventStreamError

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.providers.failure import error_event
from trivium.wire.converse.stream import Watch
from trivium.wire.event_stream import event, framed

STREAMS = (
    "cached", "citations", "guardrail", "image", "overlapping", "reasoning", "redacted",
    "server-tool", "silent-reasoning", "stop-sequence", "text", "tools",
)  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_every_byte_passes_as_it_came(converse, name):
    """Cut at every byte; the end and the counts are seen."""
    wire = converse.recorded(name)
    for at in range(len(wire) + 1):
        watch = Watch()
        out = watch.feed(wire[:at]) + watch.feed(wire[at:])
        assert wire == out
        assert (True, True, None) == (watch.finished, watch.stopped, watch.error)
    assert isinstance(watch.usage, Usage)
    assert b"" == watch.end(None, "req_1")
    converse.streamed(wire)


def test_only_whole_frames_go_out(converse):
    """What the client gets can be read at any time."""
    wire = converse.recorded("tools")
    watch = Watch()
    gone = b""
    for at in range(len(wire)):
        gone += watch.feed(wire[at : at + 1])
        converse.streamed(gone)
    assert wire == gone


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttled", Kind.UPSTREAM_RATE_LIMITED),
        ("model-error", Kind.UPSTREAM_BROKE),
    ],
)
def test_an_exception_is_taken_out(converse, name, kind):
    """The caller gets ours in its place."""
    wire = converse.recorded(name)
    for at in range(len(wire) + 1):
        watch = Watch()
        out = watch.feed(wire[:at]) + watch.feed(wire[at:])
        assert b"Exception" not in out
        fault = error_event(watch.error)
        assert kind is fault.kind
        with pytest.raises(EventStreamError) as caught:
            converse.streamed(out + watch.end(fault, "req_1"))
    assert fault.message == caught.value.response["Error"]["Message"]
    assert b"" == watch.feed(event("messageStart", b"{}"))


def test_an_error_frame_is_one_as_well(converse):
    """Smithy's unmodelled kind, whose words stand in its headers."""
    wire = framed(
        {":message-type": "error", ":error-code": "Throttling", ":error-message": "Slow."}, b""
    )
    watch = Watch()
    assert b"" == watch.feed(wire)
    assert "Slow." == json.loads(watch.error)["message"]


def test_an_answer_without_counts_is_whole(converse):
    """If its body ended well after the message had; nobody knows what it used."""
    wire = converse.recorded("uncounted")
    watch = Watch()
    watch.feed(wire)
    if not watch.finished:
        assert watch.stopped
        assert b"" == watch.end(None, "req_1")
    assert (True, None) == (watch.finished, watch.usage)


def test_a_cut_is_never_an_end(converse):
    """Wherever it falls, the client raises."""
    wire = converse.recorded("text")
    whole = Watch()
    whole.feed(wire)
    for at in range(len(wire)):
        watch = Watch()
        out = watch.feed(wire[:at])
        if watch.stopped:
            continue
        with pytest.raises(EventStreamError):
            converse.streamed(out + watch.end(None, "req_1"))


def test_a_break_after_the_message_is_told_until_the_counts_came(converse):
    """With the fault's own words."""
    watch = Watch()
    out = watch.feed(converse.wire(("messageStop", {"stopReason": "end_turn"})))
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "Too slow.")
    with pytest.raises(EventStreamError, match="Too slow"):
        converse.streamed(out + watch.end(fault, "req_1"))


@pytest.mark.parametrize("nonsense", [b"data: {}\n\n" * 4, b"\0" * 64, b"{}" * 32])
def test_what_is_no_frame_is_a_fault_of_the_upstream(nonsense):
    """Server-sent events, zeros, JSON."""
    with pytest.raises(Fault) as caught:
        Watch().feed(nonsense)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{", b'{"usage":5}', b'{"usage":{"inputTokens":-1}}', b"\xff"]
)
def test_counts_that_are_none_are_not_believed(payload):
    """The stream passes all the same."""
    watch = Watch()
    wire = event("messageStop", b"{}") + event("metadata", payload)
    assert wire == watch.feed(wire)
    assert (True, None) == (watch.finished, watch.usage)
