"""Streamed messages, watched: every fixture, cut everywhere."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.messages.stream import Watch, watch
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import FRAME_BYTES_MAX, frames

FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"
WIRES = {path.stem: path.read_bytes() for path in sorted(FIXTURES.glob("*.sse"))}

WHOLE = {
    "text": Usage(fresh=25, output=12),
    "crlf": Usage(fresh=25, output=12),
    "comments": Usage(fresh=25, output=3),
    "thinking": Usage(fresh=25, output=37, reasoning=20),
    "redacted": Usage(fresh=25, output=30),
    "tool": Usage(fresh=25, output=14),
    "no-arguments": Usage(fresh=25, output=9),
    "ping": Usage(fresh=25, output=3),
    "refusal": Usage(fresh=18, output=5),
    "unknown": Usage(fresh=25, output=4),
    "max-tokens": Usage(fresh=25, output=2),
    "cache": Usage(
        fresh=12, cache_read=2000, cache_write_short=100, cache_write_long=200, output=4
    ),
    "growing-input": Usage(fresh=61, output=2),
    "compaction": Usage(fresh=682 + 60385, output=1320 + 592),
    "words": Usage(fresh=25, output=31),
    "no-last-blank": Usage(fresh=25, output=3),
}
"""Wires that end with their terminal event, and what they cost."""

BROKEN = {
    "cut": (Usage(fresh=25, output=1), None),
    "error-after": (Usage(fresh=25, output=1), "overloaded_error"),
    "error-first": (None, "overloaded_error"),
}
"""Wires that do not: what had been reported, and the kind of the upstream's own error."""


def relay(chunks, fault=None):
    """Forwarded bytes, the tail after the upstream's last byte, and the watch."""
    seen = Watch()
    forwarded = b"".join(seen.feed(chunk) for chunk in chunks)
    return forwarded, seen.end(fault, "req_1"), seen


def told(result):
    """All that a relayed stream shows to the outside."""
    forwarded, tail, seen = result
    return forwarded, tail, seen.usage, seen.finished, seen.error


def test_every_wire_has_an_expectation():
    """No fixture is read for nothing."""
    assert sorted(WIRES) == sorted([*WHOLE, *BROKEN])


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_whole_stream_passes_untouched(name):
    """Bytes come out as they went in; usage is the last reported one."""
    forwarded, tail, seen = relay([WIRES[name]])
    assert WIRES[name] + b"\n" * (name == "no-last-blank") == forwarded + tail
    assert (WHOLE[name], True, None) == (seen.usage, seen.finished, seen.error)


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_stream_ends_with_our_error(name):
    """The vendor's own words stay out; the caller reads the request id in ours."""
    usage, kind = BROKEN[name]
    forwarded, tail, seen = relay([WIRES[name]])
    assert (usage, False) == (seen.usage, seen.finished)
    assert kind == (seen.error and json.loads(seen.error)["type"])
    assert WIRES[name].startswith(forwarded)
    assert b"Overloaded" not in forwarded + tail
    assert [] == [f for f in frames(forwarded) if f.event == b"error"]
    (last,) = frames(tail)
    body = json.loads(last.data)
    assert (b"error", "error", "req_1") == (last.event, body["type"], body["request_id"])
    assert ("api_error", "upstream_error") == (body["error"]["type"], body["error"]["code"])


@pytest.mark.parametrize("name", sorted(WIRES))
def test_where_the_network_cuts_does_not_matter(name):
    """Two reads with the cut at every offset, and byte by byte."""
    wire = WIRES[name]
    wanted = told(relay([wire]))
    for cut in range(1, len(wire)):
        assert wanted == told(relay([wire[:cut], wire[cut:]])), cut
    assert wanted == told(relay([wire[at : at + 1] for at in range(len(wire))]))


@given(st.sampled_from(sorted(WIRES)), st.lists(st.integers(0, 4000), max_size=12))
def test_many_cuts_do_not_matter_either(name, cuts):
    """However the reads fall."""
    wire = WIRES[name]
    edges = sorted({0, len(wire), *(min(cut, len(wire)) for cut in cuts)})
    assert told(relay([wire])) == told(relay([wire[a:b] for a, b in pairwise(edges)]))


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_an_upstream_that_dies_anywhere_leaves_a_legal_stream(name):
    """After every whole frame and in every frame: one error event, unless all was said."""
    wire = WIRES[name]
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "The upstream was silent for too long.")
    for cut in range(len(wire)):
        forwarded, tail, seen = relay([wire[:cut]], fault)
        assert wire.startswith(forwarded)
        if seen.finished:
            assert b"" == tail
            continue
        (last,) = frames(tail)
        assert b"error" == last.event
        assert "timeout_error" == json.loads(last.data)["error"]["type"]


def test_an_empty_body_is_a_failure():
    """A 200 without a byte is no answer."""
    forwarded, tail, seen = relay([])
    assert (b"", None, False) == (forwarded, seen.usage, seen.finished)
    assert tail.startswith(b"event: error\ndata: {")


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (b'event: error\ndata: {"error":{"type":"x"}}\n\n', b'{"type":"x"}'),
        (b'data: {"type":"error","error":{"type":"x"}}\n\n', b'{"type":"x"}'),
        (b'event:error\ndata:{"type":"error","error":{"type":"x"}}\n\n', b'{"type":"x"}'),
        (b'event: error\ndata: {"message":"x"}\n\n', b'{"message":"x"}'),
        (b"event: error\ndata: out of memory\n\n", b"{}"),
        (b'data: {"error":{"message":"x"}}\n\n', b'{"message":"x"}'),
        (b'data: {"error":"x"}\n\n', b'"x"'),
        (b'event: error\r\ndata: {"error": {"type": "x"}}\r\n\r\n', b'{"type": "x"}'),
    ],
)
def test_errors_are_known_by_event_name_or_type(frame, error):
    """The SDKs raise on the event name alone, so nothing of the kind may pass."""
    ping = b'event: ping\ndata: {"type":"ping"}\n\n'
    forwarded, tail, seen = relay([ping, frame, WIRES["text"]])
    assert (ping, error, False) == (forwarded, seen.error, seen.finished)
    assert tail.count(b"event: error") == 1


def test_what_follows_the_end_is_not_judged():
    """An error after the terminal event spoils nothing that has been delivered."""
    wire = WIRES["text"] + b'event: error\ndata: {"type":"error","error":{}}\n\n'
    forwarded, tail, seen = relay([wire])
    assert (wire, b"", True, None) == (forwarded, tail, seen.finished, seen.error)


@pytest.mark.parametrize(
    "frame",
    [
        b'data: {"type":"message_delta","usage":7}\n\n',
        b'data: {"type":"message_delta","usage":{"output_tokens":"many"}}\n\n',
        b'data: {"type":"message_start","message":[]}\n\n',
        b'data: {"type":"message_start"}\n\n',
        b'data: {"type":["message_stop"]}\n\n',
        b'data: ["message_stop"]\n\n',
        b'data: {"type":"message_stop"\n\n',
        b'data: "message_stop"\n\n',
    ],
)
def test_odd_frames_pass_and_change_nothing(frame):
    """What we cannot read is the client's to judge."""
    forwarded, _, seen = relay([frame])
    assert (frame, None, False, None) == (forwarded, seen.usage, seen.finished, seen.error)


def test_frames_without_an_event_name_count_by_their_type():
    """Some compatible servers leave the name out."""
    wire = b"".join(
        line + b"\n" for line in WIRES["text"].split(b"\n") if not line.startswith(b"event")
    )
    _, tail, seen = relay([wire])
    assert (WHOLE["text"], True, b"") == (seen.usage, seen.finished, tail)


def test_a_frame_without_end_is_cut_off():
    """Memory has a limit, and the fault says what happened."""
    seen = watch(RequestFacts(model="m"))
    assert b"" == seen.feed(b"x" * FRAME_BYTES_MAX)
    with pytest.raises(Fault) as caught:
        seen.feed(b"x")
    assert Kind.UPSTREAM_BROKE is caught.value.kind
    assert seen.end(caught.value, "req_1").startswith(b"event: error\n")


ODD_STARTS = [
    {"type": "message_start", "message": {"usage": {"input_tokens": 7}}, "usage": "odd"},
    {"type": "message_start", "message": {"usage": {"input_tokens": 7}}, "usage": [1]},
]


@pytest.mark.parametrize("event", ODD_STARTS)
def test_an_odd_member_does_not_hide_the_others(event):
    """Relays put their own things where the protocol has others."""
    seen = Watch()
    seen.feed(b"event: message_start\ndata: " + json.dumps(event).encode() + b"\n\n")
    assert Usage(fresh=7) == seen.usage
    odd = {"type": "message_delta", "message": 5, "usage": {"output_tokens": 3}}
    seen.feed(b"data: " + json.dumps(odd).encode() + b"\n\n")
    assert Usage(fresh=7, output=3) == seen.usage
    later = {"type": "message_delta", "message": [], "usage": "odd"}
    seen.feed(b"data: " + json.dumps(later).encode() + b"\n\n")
    assert Usage(fresh=7, output=3) == seen.usage
