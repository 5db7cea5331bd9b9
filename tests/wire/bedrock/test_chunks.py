"""Streamed messages in Bedrock's frames, both ways."""

import base64
import json
import re

import pytest

from trivium.faults import Fault, Kind
from trivium.wire import caps, event_stream
from trivium.wire import sse as sse_module
from trivium.wire.bedrock import chunks
from trivium.wire.bedrock.chunks import EXCEPTIONS, METRICS, Framer, Unframer

START = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"text": "a\u2028b\\n"}}
COUNT = {"type": "message_delta", "usage": {"output_tokens": 9}}
STOP = {"type": "message_stop"}


def sse(*events):
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (one["type"].encode(), json.dumps(one).encode())
        for one in events
    )


def told(wire):
    """(kind, payload) of the frames."""
    return [
        (one.word(":event-type") or one.word(":exception-type"), json.loads(one.payload))
        for one in event_stream.EventFrames().feed(wire)
    ]


def events(wire):
    """What the chunks hold."""
    assert {"chunk"} == {kind for kind, _ in told(wire)}
    return [json.loads(base64.b64decode(payload["bytes"])) for _, payload in told(wire)]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_every_event_is_a_chunk_and_the_last_one_tells_what_it_took(size):
    """However the events were cut; comments are no chunks."""
    wire, framer, out = sse(START, DELTA) + b": alive\n\n" + sse(COUNT, STOP), Framer(), b""
    for at in range(0, len(wire), size):
        out += framer.feed(wire[at : at + size], 20, 5)
    *rest, last = events(out)
    assert [START, DELTA, COUNT] == rest
    assert {
        "inputTokenCount": 3,
        "outputTokenCount": 9,
        "invocationLatency": 20,
        "firstByteLatency": 5,
    } == last.pop(METRICS)
    assert STOP == last


def test_an_event_is_known_without_its_line():
    """Some engines write the data alone."""
    wire = b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in (COUNT, STOP))
    assert 9 == events(Framer().feed(wire, 1, 1))[-1][METRICS]["outputTokenCount"]


@pytest.mark.parametrize("kind", [*EXCEPTIONS, "other_error", "permission_error"])
def test_an_error_is_an_exception_and_the_last_frame(kind):
    """By the name that the SDKs of the stream know."""
    error = {"type": "error", "error": {"type": kind, "message": "No."}}
    framer = Framer()
    out = framer.feed(sse(START, error, STOP), 1, 1) + framer.feed(sse(STOP), 1, 1)
    assert ["chunk", EXCEPTIONS.get(kind, "modelStreamErrorException")] == [
        name for name, _ in told(out)
    ]
    assert {"message": "No."} == told(out)[1][1]
    assert framer.has_ended


def test_an_error_that_cannot_be_read_is_one_all_the_same():
    """Nothing behind it is sent."""
    ((name, payload),) = told(Framer().feed(b"event: error\ndata: ?\n\n" + sse(STOP), 1, 1))
    assert ("modelStreamErrorException", {"message": "The answer broke off."}) == (name, payload)


def test_an_event_that_has_no_room_in_a_frame_is_a_fault(monkeypatch):
    """The clients' own limit is 24 MiB of payload. What came before it is not lost."""
    assert chunks.EVENT_BYTES_MAX * 4 // 3 < event_stream.PAYLOAD_BYTES_MAX
    monkeypatch.setattr(chunks, "EVENT_BYTES_MAX", 130)
    long = {**DELTA, "delta": {"text": "x" * 130}}
    framer = Framer()
    with pytest.raises(Fault) as caught:
        framer.feed(sse(DELTA, long, DELTA), 1, 1)
    assert Kind.UNREPRESENTABLE is caught.value.kind
    assert "too long for a frame" in caught.value.message
    error = {"type": "error", "error": {"type": "api_error", "message": "No."}}
    kinds = [kind for kind, _ in told(framer.feed(sse(error), 1, 1))]
    assert ["chunk", "internalServerException"] == kinds


def test_a_stream_that_cannot_be_cut_ends_with_an_error_all_the_same(monkeypatch):
    """The frame that is open is forgotten."""
    monkeypatch.setattr(chunks, "Splitter", lambda: sse_module.Splitter(50))
    framer = Framer()
    framer.feed(b"data: " + b"x" * 40, 1, 1)
    with pytest.raises(Fault):
        framer.feed(b"x" * 40, 1, 1)
    error = b'event: error\ndata: {"error":{}}\n\n'
    assert ["modelStreamErrorException"] == [kind for kind, _ in told(framer.feed(error, 1, 1))]


def test_what_was_framed_is_unframed_at_every_cut():
    """One byte at a time and all at once."""
    wire = Framer().feed(sse(START, DELTA, COUNT), 1, 1)
    for size in (1, 13, len(wire)):
        unframer = Unframer()
        out = b"".join(unframer.feed(wire[at : at + size]) for at in range(0, len(wire), size))
        assert sse(START, DELTA, COUNT) == out


def chunk(data, **more):
    payload = {"bytes": base64.b64encode(data).decode(), **more}
    return event_stream.event("chunk", json.dumps(payload).encode())


def test_line_ends_between_members_make_no_second_line():
    """Pretty JSON is one event; padding says nothing."""
    out = Unframer().feed(chunk(b'{\r\n "type":\n"ping"}', p="abc"))
    assert b'event: ping\ndata: {   "type": "ping"}\n\n' == out


def test_objects_within_a_chunk_are_counted():
    """In base64 nobody else would see them."""
    crowd = b'{"type":"x","rows":[%b{}]}' % (b"{}," * (caps.OBJECTS_MAX + 1))
    with pytest.raises(Fault, match="JSON objects in a frame"):
        Unframer().feed(chunk(crowd))


@pytest.mark.parametrize("kind", ["a b", "x\ny", "é", "A" * 65, ""])
def test_an_odd_name_makes_no_event_line(kind):
    """It is the vendor's text, and would be read as more than a name."""
    data = json.dumps({"type": kind}).encode()
    assert b"data: %b\n\n" % data == Unframer().feed(chunk(data))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", "rate_limit_error"),
        ("validationException", "invalid_request_error"),
        ("serviceUnavailableException", "overloaded_error"),
        ("modelTimeoutException", "timeout_error"),
        ("modelStreamErrorException", "api_error"),
        ("newException", "api_error"),
    ],
)
def test_an_exception_is_the_shapes_own_error(name, kind):
    """With its words, spelled either way."""
    for payload in (b'{"message":"No."}', b'{"Message":"No."}'):
        out = Unframer().feed(event_stream.exception(name, payload))
        assert sse({"type": "error", "error": {"type": kind, "message": "No."}}) == out.replace(
            b'":', b'": '
        ).replace(b'",', b'", ')


@pytest.mark.parametrize("payload", [b"", b"[]", b'{"message":7}', b"\xff"])
def test_an_exception_without_words_has_its_name(payload):
    """Somebody must be able to find out what it was."""
    assert b'"message":"xException"' in Unframer().feed(
        event_stream.exception("xException", payload)
    )


def test_an_error_frame_of_the_framing_itself_is_read():
    """Without a payload: its code and message are headers."""
    wire = event_stream.framed(
        {":message-type": "error", ":error-code": "internal", ":error-message": "Lost."}, b""
    )
    assert b'"message":"Lost."' in Unframer().feed(wire)


def test_events_that_are_to_come_are_passed_over():
    """They are none of the answer."""
    assert b"" == Unframer().feed(event_stream.event("initial-response", b"{}"))


@pytest.mark.parametrize(
    "wire",
    [
        event_stream.event("chunk", b'{"bytes":"%%"}'),
        event_stream.event("chunk", b"{}"),
        event_stream.event("chunk", b"\xff"),
        event_stream.event("chunk", b"[" * 100_000),
        chunk(b"no json"),
        chunk(b'"text"'),
        chunk(b'{"type":1}'),
        chunk(b"\xff"),
        chunk(b"{" * 100_000),
        b"\xff" * 12,
        chunk(b"{}")[:-1] + b"\0",
    ],
    ids=range(11),
)
def test_what_cannot_be_read_is_the_upstreams_fault(wire):
    """Whatever is wrong with it."""
    with pytest.raises(Fault) as caught:
        Unframer().feed(wire)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("cut", [65_536, 10_000_000])
@pytest.mark.parametrize("size", [65_537, 3_000_000])
def test_a_long_event_is_framed_in_pieces(size, cut, named):
    """Which are the frame that it would be in one, wherever the stream was cut."""
    long = {"type": "content_block_delta", "index": 0, "delta": {"text": "é" * size}}
    wire = sse(START, long, COUNT, STOP)
    if not named:
        wire = re.sub(rb"event: \w+\n", b"", wire)
    framer, pieces = Framer(), []
    for at in range(0, len(wire), cut):
        pieces += framer.pieces(wire[at : at + cut], 1, 1)
    assert len(pieces) > 6
    assert max(map(len, pieces)) <= 300_000
    assert [START, long, COUNT] == events(b"".join(pieces))[:3]
