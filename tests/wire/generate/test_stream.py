"""Streamed generate-content with ``alt=sse``, watched: every fixture, cut everywhere."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.generate.array import ArrayWatch
from trivium.wire.generate.passage import STREAM
from trivium.wire.generate.stream import Watch, watch
from trivium.wire.heartbeat import heartbeat
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import FRAME_BYTES_MAX

FIXTURES = Path(__file__).parents[2] / "fixtures" / "generate"
WIRES = {path.stem: path.read_bytes() for path in sorted(FIXTURES.glob("*.sse"))}

WHOLE = {
    "text": Usage(fresh=6, output=5),
    "no-last-blank": Usage(fresh=6, output=5),
    "function-call": Usage(fresh=20, output=9, reasoning=30),
    "parallel-calls": Usage(fresh=20, output=18, reasoning=30),
    "thoughts": Usage(fresh=6, output=1, reasoning=76),
    "lf": Usage(fresh=6, output=1, reasoning=76),
    "blocked": Usage(fresh=9),
    "max-tokens": Usage(fresh=6, output=2),
    "cached": Usage(fresh=12 - 4 + 65, cache_read=4, output=71, reasoning=89),
    "tier-only": Usage(fresh=6, output=2),
    "partial-counts": Usage(fresh=6, output=3, reasoning=10),
    "media": Usage(fresh=42, audio_input=800, image_input=258, output=5, image_output=1290),
    "words": Usage(fresh=6, output=11),
}
"""Wires that say why they ended, and what they cost."""

BROKEN = {
    "cut": (Usage(fresh=6, output=1), None),
    "error": (Usage(fresh=6, output=1), 503),
    "error-first": (None, 429),
}
"""Wires that do not: what had been reported, and the code of the upstream's own error."""


def relay(chunks, fault=None):
    """Forwarded bytes, the tail after the upstream's last byte, and the watch."""
    seen = Watch()
    forwarded = b"".join(seen.feed(chunk) for chunk in chunks)
    assert not seen.finished
    return forwarded, seen.end(fault, "req_1"), seen


def told(result):
    """All that a relayed stream shows to the outside."""
    forwarded, tail, seen = result
    return forwarded, tail, seen.usage, seen.finished, seen.error


def only_error(tail, forwarded=b""):
    """The error body of a tail that the official SDKs can read behind what was forwarded."""
    assert tail.startswith(b'data: {"error":{')
    assert tail.endswith(b"}\n\n" if forwarded.endswith(b"\n\n") else b"}\r\n\r\n")
    assert 1 == tail.count(b"\ndata: ") + 1
    return json.loads(tail.removeprefix(b"data: "))["error"]


def test_every_wire_has_an_expectation():
    """No fixture is read for nothing."""
    assert sorted(WIRES) == sorted([*WHOLE, *BROKEN])


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_whole_stream_passes_untouched(name):
    """Bytes come out as they went in; the stream is complete once its body has ended."""
    forwarded, tail, seen = relay([WIRES[name]])
    assert WIRES[name] + b"\n\n" * (name == "no-last-blank") == forwarded + tail
    assert (WHOLE[name], True, None) == (seen.usage, seen.finished, seen.error)


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_stream_ends_with_our_error(name):
    """The code is the integer that the Google SDKs want; the vendor's own words stay out."""
    usage, code = BROKEN[name]
    forwarded, tail, seen = relay([WIRES[name]])
    assert (usage, False) == (seen.usage, seen.finished)
    assert code == (seen.error and json.loads(seen.error)["code"])
    assert WIRES[name].startswith(forwarded)
    assert b'"error"' not in forwarded
    error = only_error(tail, forwarded)
    assert (502, "UNAVAILABLE") == (error["code"], error["status"])


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


COUNTERS = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(
            st.none(), st.integers(0, 40), st.integers(0, 40).map(str), st.sampled_from([-1, "x"])
        )
        for name in (
            "promptTokenCount",
            "candidatesTokenCount",
            "thoughtsTokenCount",
            "toolUsePromptTokenCount",
            "cachedContentTokenCount",
            "totalTokenCount",
        )
    },
)


@given(st.lists(COUNTERS, min_size=1, max_size=6), st.sampled_from(["\n\n", "\r\n\r\n"]))
def test_reading_only_the_last_frame_loses_nothing(reported, end):
    """Whatever counters come and go, one read of all frames tells what one read a frame tells."""
    events = [f"data: {json.dumps({'usageMetadata': u})}{end}".encode() for u in reported]
    assert relay([b"".join(events)])[2].usage == relay(events)[2].usage


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_an_upstream_that_dies_anywhere_leaves_a_legal_stream(name):
    """Even after the last event: without an end of the body nobody knows that it was the last."""
    wire = WIRES[name]
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "The upstream was silent for too long.")
    for cut in range(len(wire) + 1):
        forwarded, tail, seen = relay([wire[:cut]], fault)
        assert wire.startswith(forwarded)
        assert (504, False) == (only_error(tail, forwarded)["code"], seen.finished)


def scanned(data):
    """Events as google-genai for Go cuts a buffer that holds all of them, for a slow reader."""
    out = []
    while data:
        for blank in (b"\n\n", b"\r\n\r\n"):
            if blank in data:
                one, _, data = data.partition(blank)
                break
        else:
            one, data = data, b""
        out += [one.removesuffix(b"\r")] if one.removesuffix(b"\r") else []
    return out


@pytest.mark.parametrize("name", ["text", "lf", "no-last-blank", "error", "cut"])
@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_a_slow_reader_takes_no_two_events_for_one(name, size):
    """Heartbeats between the reads and an error at the end are blank as the stream's own events."""
    wire = WIRES[name]
    seen, got = Watch(), b""
    for at in range(0, len(wire), size):
        out = seen.feed(wire[at : at + size])
        got += out + heartbeat(Shape.GENERATE, blank=seen.blank) * 2 if out else b""
    got += seen.end(None, "req_1")
    events = scanned(got)
    whole = [event for event in wire.replace(b"\r", b"").split(b"\n\n") if event]
    if seen.finished:
        assert whole == events
    else:
        assert whole[: len(events) - 1] == events[:-1]
        assert events[-1].startswith(b'data: {"error":{')
    assert all(event.count(b"data: ") == 1 and json.loads(event[6:]) for event in events)


def test_an_empty_body_is_a_failure():
    """A 200 without a byte is no answer."""
    forwarded, tail, seen = relay([])
    assert (b"", None, False) == (forwarded, seen.usage, seen.finished)
    assert 502 == only_error(tail)["code"]


def test_an_error_that_lacks_its_blank_line_is_an_error():
    """It is not forwarded as the last event."""
    _, tail, seen = relay([b'data: {"error":{"code":503}}'])
    assert b'{"code":503}' == seen.error
    assert 502 == only_error(tail)["code"]


def test_nor_does_a_reason_before_it_make_such_an_error_an_answer():
    """Compiled code took for granted that there was no error before the block was read."""
    wire = WIRES["text"] + b'data: {"error":{"code":503,"message":"Gone.","status":"UNAVAILABLE"}}'
    forwarded, tail, seen = relay([wire])
    assert (WIRES["text"], False) == (forwarded, seen.finished)
    assert 503 == json.loads(seen.error)["code"]
    assert 502 == only_error(tail)["code"]


def test_a_last_event_without_usage_may_lack_its_blank_line():
    """It is whole JSON, so it is forwarded and ends the answer."""
    wire = b'data: {"candidates":[{"finishReason":"STOP"}]}\r\n'
    forwarded, tail, seen = relay([wire])
    assert (b"", wire.rstrip() + b"\r\n\r\n", True) == (forwarded, tail, seen.finished)


@pytest.mark.parametrize("reason", ['""', "null", '"FINISH_REASON_UNSPECIFIED"'])
def test_a_reason_that_is_none_does_not_end_the_answer(reason):
    """Some servers print the member in every event."""
    wire = b'data: {"candidates":[{"finishReason":%s}]}\n\n' % reason.encode()
    assert not relay([wire])[2].finished


@pytest.mark.parametrize(
    "payload",
    [
        b'{"usageMetadata":7,"x":"TokenCount"}',
        b'{"usageMetadata":{"promptTokenCount":"many"}}',
        b'{"usageMetadata":{"promptTokenCount":-1}}',
        b'{"candidates":"finishReason"}',
        b'{"candidates":[null],"x":{"finishReason":"STOP"}}',
        b'{"promptFeedback":{"blockReason":"SAFETY"},"candidates":[{}]}',
        b'{"error":null}',
        b'{"candidates":[{"finishReason":"STOP"',
        b'["finishReason"]',
    ],
)
def test_odd_events_pass_and_change_nothing(payload):
    """What we cannot read is the client's to judge."""
    wire = b"data: " + payload + b"\n\n"
    forwarded, _, seen = relay([wire])
    assert (wire, None, False, None) == (forwarded, seen.usage, seen.finished, seen.error)


def test_mixed_line_ends_are_still_read():
    """Two servers behind one address may differ."""
    wire = b'data: {"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3}}\r\n\r\ndata: {}\n\n'
    assert Usage(fresh=3) == relay([wire])[2].usage


def test_an_event_without_end_is_cut_off():
    """Memory has a limit, and the fault says what happened."""
    seen = watch(RequestFacts(model="m"))
    assert b"" == seen.feed(b"x" * FRAME_BYTES_MAX)
    with pytest.raises(Fault) as caught:
        seen.feed(b"x")
    assert 502 == only_error(seen.end(caught.value, "req_1"))["code"]


def test_the_address_decides_the_form():
    """Without ``alt=sse`` the answer is one array."""
    assert isinstance(STREAM.watch(RequestFacts(model="m", array=True)), ArrayWatch)
    assert isinstance(STREAM.watch(RequestFacts(model="m")), Watch)
