"""Streams of pictures: passed as they come, watched on the side, ended legally."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.images.stream import TEXT_BYTES_MAX, Watch
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import frames

USAGE = b'"usage":{"total_tokens":30,"input_tokens":10,"output_tokens":20}'
PARTIAL = b'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"QUJD","partial_image_index":0}\n\n'
DONE = (
    b'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"REVG","size":"1024x1024","quality":"low",'
    + USAGE
    + b"}\n\n"
)
BROKEN = b'event: error\ndata: {"error":{"message":"no","type":"server_error"}}\n\n'
FAULT = Fault(Kind.UPSTREAM_TIMEOUT, "too slow")


def watch(choices=1):
    return Watch(RequestFacts(model="m", stream=True, choices=choices))


def fed(watched, data, cut=None):
    """What passes, in pieces of ``cut``."""
    step = cut or len(data)
    return b"".join(watched.feed(data[at : at + step]) for at in range(0, len(data), step))


def crlf(data):
    return data.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("cut", [None, 1, 2, 3, 7, 64])
@pytest.mark.parametrize("ending", [lambda data: data, crlf], ids=["lf", "crlf"])
def test_every_byte_passes_however_it_is_cut(cut, ending):
    """And the watch knows in the end."""
    data = ending(PARTIAL + b": keep-alive\n\n" + DONE)
    one = watch()
    assert data == fed(one, data, cut)
    assert one.finished
    assert b"" == one.end(None, "req_1")
    used = one.usage
    assert (10, 20, 1, "1024x1024", "low") == (
        used.fresh, used.image_output, used.images[0].count, used.images[0].size,
        used.images[0].quality,
    )  # fmt: skip


def test_a_picture_is_never_kept():
    """Forty megabytes of one: what waits is its event's few words."""
    one = watch()
    head, _, rest = DONE.partition(b"REVG")
    assert head == one.feed(head)
    piece = b"A" * 1_000_000
    for _ in range(40):
        assert piece == one.feed(piece)
        assert len(one._text) < 300
    assert rest == one.feed(rest)
    assert one.finished


def test_usage_may_stand_before_the_picture():
    """Members have no order."""
    one = watch()
    one.feed(b'data: {"type":"image_generation.completed",' + USAGE + b',"b64_json": "QUJD"}\n\n')
    assert (True, 20) == (one.finished, one.usage.image_output)


def test_words_that_look_like_a_picture_are_words():
    """A prompt may hold anything, escaped."""
    text = msgspec.json.encode({"type": "x", "revised_prompt": '"b64_json":"'})
    one = watch()
    data = b"data: " + text + b"\n\n" + DONE
    assert data == fed(one, data, 5)
    assert one.finished


@pytest.mark.parametrize("cut", [None, 1, 9])
@pytest.mark.parametrize(
    "error",
    [BROKEN, b'data: {"error":{"message":"no"}}\n\n', b'data: {"type":"error","message":"no"}\n\n'],
)
def test_an_error_is_not_forwarded_nor_what_follows(cut, error):
    """The pipeline says it in the caller's words."""
    one = watch()
    assert PARTIAL == fed(one, PARTIAL + error + DONE, cut)
    assert one.error is not None
    assert not one.finished


def test_an_event_that_is_no_json_is_a_break():
    """Clients would choke on it."""
    one = watch()
    assert b"" == one.feed(b"data: <html>\n\n")
    assert Kind.UPSTREAM_BROKE is one.error.kind


def test_every_picture_has_its_end():
    """Of two that were asked for, one is half an answer."""
    one = watch(2)
    one.feed(DONE)
    assert not one.finished
    assert b"event: error" in one.end(None, "req_1")
    one = watch(2)
    one.feed(DONE + DONE)
    assert (True, 40, 2) == (one.finished, one.usage.image_output, one.usage.images[0].count)


def test_a_break_between_events_is_an_error_event():
    """With the cause and the request id, and nothing after it."""
    one = watch()
    one.feed(PARTIAL)
    (frame,) = frames(one.end(FAULT, "req_1"))
    told = msgspec.json.decode(frame.data)
    assert (b"error", "too slow", "req_1") == (
        frame.event, told["error"]["message"], told["request_id"],
    )  # fmt: skip


def test_a_clean_end_without_a_picture_is_a_break():
    """It is not complete."""
    one = watch()
    one.feed(PARTIAL)
    assert b'"code":"upstream_error"' in one.end(None, "req_1")


def test_an_event_that_is_cut_in_its_picture_becomes_the_error():
    """No client takes half a picture for a whole one, or fails to read it."""
    one = watch()
    out = one.feed(DONE[: DONE.index(b"REVG") + 2])
    cut, told = frames(out + one.end(FAULT, "req_1"))
    assert "too slow" == msgspec.json.decode(cut.data)["error"]["message"]
    assert b"error" == told.event


def test_an_event_that_is_cut_after_its_picture_is_ended():
    """The error stands apart."""
    one = watch()
    out = one.feed(DONE[: DONE.index(b"usage")])
    assert b"error" == frames(out + one.end(FAULT, "req_1"))[-1].event


def test_a_last_event_without_its_blank_line_counts():
    """Some servers end with the body."""
    one = watch()
    out = one.feed(DONE.rstrip(b"\n"))
    assert DONE == out + one.end(None, "req_1")
    assert one.finished


def test_an_event_without_end_is_a_break():
    """Nothing is kept beyond a limit."""
    one = watch()
    with pytest.raises(Fault):
        one.feed(b"data: " + b"x" * (TEXT_BYTES_MAX + 1))


@pytest.mark.parametrize("cut", [None, 1, 9])
@pytest.mark.parametrize(
    "event",
    [
        b'{"type":"image_generation.completed"}',
        b'{"type":"image_generation.completed","b64_json":"","size":"1024x1024"}',
        b'{"type":"image_generation.completed","b64_json":null,"url":""}',
    ],
)
def test_an_end_without_a_picture_is_no_success(cut, event):
    """Partial ones are not what was asked for, nor what is paid for."""
    one = watch()
    fed(one, PARTIAL + b"data: " + event + b"\n\n", cut)
    assert (Kind.UPSTREAM_BROKE, False, None) == (one.error.kind, one.finished, one.usage)
    assert b"event: error" in one.end(one.error, "req_1")


def test_a_picture_by_address_is_one():
    """Some servers stream those, and tell the end without."""
    one = watch()
    told = b'data: {"type":"image_generation.partial_succeeded","url":"https://x/1.png"}\n\n'
    end = b'data: {"type":"image_generation.completed",' + USAGE + b"}\n\n"
    assert told + end == one.feed(told + end)
    assert (True, 20) == (one.finished, one.usage.image_output)


@pytest.mark.parametrize("cut", [None, 1, 9])
@pytest.mark.parametrize("ending", [lambda data: data, crlf], ids=["lf", "crlf"])
def test_a_picture_that_a_line_break_cuts_becomes_the_error(cut, ending):
    """What comes behind it would be read as a part of the picture."""
    one = watch()
    head, _, _ = DONE.partition(b"REVG")
    data = ending(head + b"RE\n\n" + BROKEN + DONE)
    out = fed(one, data, cut)
    assert Kind.UPSTREAM_BROKE is one.error.kind
    out += one.end(one.error, "req_1")
    *_, event, error = frames(out)
    told = msgspec.json.decode(event.data)
    assert "RE" == told["b64_json"]
    assert (b"error", "req_1") == (error.event, told["request_id"])


@pytest.mark.parametrize("ending", [lambda data: data, crlf], ids=["lf", "crlf"])
@pytest.mark.parametrize("cut", [None, 1])
def test_wherever_a_stream_breaks_every_event_can_be_read(ending, cut):
    """Clients decode each as JSON: what is left of the last one becomes the error."""
    data = ending(PARTIAL + DONE)
    whole = len(data) - len(ending(b"\n\n"))
    for at in range(whole):
        one = watch()
        out = fed(one, data[:at], cut) if at else b""
        *events, last = frames(out + one.end(None, "req_1"))
        told = [msgspec.json.decode(event.data) for event in events]
        assert (b"error", False) == (last.event, one.finished), at
        assert "req_1" == msgspec.json.decode(last.data)["request_id"]
        assert all(
            event["type"] == "image_generation.partial_image" or "error" in event for event in told
        )
