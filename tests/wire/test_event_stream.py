"""The vendor's binary frames: read and written as its own client does, cut anywhere, never wrong."""

import json
import random
import struct
import zlib

import pytest
from botocore.eventstream import EventStreamBuffer

from trivium.faults import Fault, Kind
from trivium.wire import caps, event_stream
from trivium.wire.event_stream import EventFrame, EventFrames, event, exception, framed

DELTA = json.dumps({"contentBlockIndex": 0, "delta": {"text": "Grüße"}}).encode()
WIRE = (
    event("messageStart", b'{"role":"assistant"}')
    + event("contentBlockDelta", DELTA)
    + framed({}, b"")
    + exception("throttlingException", b'{"message":"slower"}')
)
WHOLE = [
    EventFrame(
        {
            ":event-type": "messageStart",
            ":content-type": "application/json",
            ":message-type": "event",
        },
        b'{"role":"assistant"}',
    ),
    EventFrame(
        {
            ":event-type": "contentBlockDelta",
            ":content-type": "application/json",
            ":message-type": "event",
        },
        DELTA,
    ),
    EventFrame({}, b""),
    EventFrame(
        {
            ":exception-type": "throttlingException",
            ":content-type": "application/json",
            ":message-type": "exception",
        },
        b'{"message":"slower"}',
    ),
]


def by_the_vendor(wire):
    """What the vendor's client makes of the same bytes."""
    buffer = EventStreamBuffer()
    buffer.add_data(wire)
    return [EventFrame(message.headers, message.payload) for message in buffer]


def raw(headers, payload, size=None, headers_size=None, prelude=None, message=None):
    """A frame whose lengths and checksums may be wrong."""
    total = 16 + len(headers) + len(payload) if size is None else size
    begin = struct.pack(">II", total, len(headers) if headers_size is None else headers_size)
    begin += struct.pack(">I", zlib.crc32(begin) if prelude is None else prelude)
    body = begin + headers + payload
    return body + struct.pack(">I", zlib.crc32(body) if message is None else message)


@pytest.mark.parametrize("cut", range(1, len(WIRE) + 1))
def test_any_cut_gives_the_same_frames(cut):
    """Where the network cuts does not matter, nor how often."""
    frames = EventFrames()
    assert WHOLE == frames.feed(WIRE[:cut]) + frames.feed(WIRE[cut:])
    assert 0 == frames.waiting
    pieces = EventFrames()
    fed = [pieces.feed(WIRE[at : at + cut]) for at in range(0, len(WIRE), cut)]
    assert WHOLE == [frame for found in fed for frame in found]


def test_the_vendors_client_reads_what_is_written():
    """Every frame, with the same headers and payload."""
    assert WHOLE == by_the_vendor(WIRE)


HEADERS = (
    b"\x01a\x00"
    b"\x01b\x01"
    b"\x01c\x02\xff"
    b"\x01d\x03\xff\xfe"
    b"\x01e\x04\x80\x00\x00\x00"
    b"\x01f\x05\x7f\xff\xff\xff\xff\xff\xff\xff"
    b"\x01g\x06\x00\x03\x00\xff\x01"
    b"\x01h\x07\x00\x06Gr\xc3\xbc\xc3\x9f"
    b"\x01i\x08\x00\x00\x01\x9a\x00\x00\x00\x01"
    b"\x01j\x09" + bytes(range(16))
)


def test_headers_of_every_kind_are_read():
    """As the vendor's client reads them: numbers signed, times in milliseconds, ids as bytes."""
    wire = raw(HEADERS, b"payload")
    expected = {
        "a": True,
        "b": False,
        "c": -1,
        "d": -2,
        "e": -(2**31),
        "f": 2**63 - 1,
        "g": b"\x00\xff\x01",
        "h": "Grüß",
        "i": 0x19A00000001,
        "j": bytes(range(16)),
    }
    assert [EventFrame(expected, b"payload")] == EventFrames().feed(wire)
    assert [EventFrame(expected, b"payload")] == by_the_vendor(wire)


def test_headers_of_every_kind_are_written():
    """Truth values, numbers of both sizes, bytes and texts."""
    headers = {
        "yes": True,
        "no": False,
        "small": -(2**31),
        "large": 2**31,
        "bytes": b"\0\xff",
        "text": "Größe",
        "empty": "",
    }
    wire = framed(headers, b"x")
    assert [EventFrame(headers, b"x")] == EventFrames().feed(wire)
    assert [EventFrame(headers, b"x")] == by_the_vendor(wire)


@pytest.mark.parametrize(
    ("headers", "payload", "message"),
    [
        ({"": "x"}, b"", "name"),
        ({"n" * 256: "x"}, b"", "name"),
        ({"n": "x" * 65_536}, b"", "value"),
        ({"n": 2**63}, b"", "64 bits"),
        ({f"n{at}": "x" * 65_000 for at in range(3)}, b"", "too long"),
        ({}, b"x" * (event_stream.PAYLOAD_BYTES_MAX + 1), "too long"),
    ],
)
def test_what_no_frame_has_room_for_is_not_written(headers, payload, message):
    """A frame that nobody could read is a mistake of ours."""
    with pytest.raises(ValueError, match=message):
        framed(headers, payload)


@pytest.mark.parametrize("at", range(len(WIRE)))
def test_a_changed_byte_never_goes_unseen(at):
    """Whatever stands before it is told; a frame with another byte in it never is."""
    wire = bytearray(WIRE)
    wire[at] ^= 0x40
    frames, told, end = EventFrames(), [], None
    try:
        for byte in wire:
            told += frames.feed(bytes([byte]))
    except Fault as fault:
        end = fault
    assert told == WHOLE[: len(told)]
    assert len(told) < len(WHOLE)
    assert end is not None
    assert Kind.UPSTREAM_BROKE is end.kind


def test_a_frame_that_has_begun_is_told():
    """A stream that ends there was cut."""
    frames = EventFrames()
    assert WHOLE[:1] == frames.feed(WIRE[:-1])[:1]
    assert 0 < frames.waiting


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        (raw(b"", b"", size=15), "headers take"),
        (raw(b"", b"", size=20, headers_size=5), "headers take"),
        (
            raw(b"", b"", size=2**31, headers_size=event_stream.HEADERS_BYTES_MAX + 1),
            "headers take",
        ),
        (raw(b"", b"", size=event_stream.PAYLOAD_BYTES_MAX + 17), "too long"),
        (raw(b"", b"", prelude=1), "beginning does not match"),
        (raw(b"", b"x", message=1), "does not match"),
        (raw(b"\x05ab", b""), "cut"),
        (raw(b"\x02ab", b""), "cut"),
        (raw(b"\x02ab\x04\x00", b""), "cut"),
        (raw(b"\x02ab\x07\x00\x09x", b""), "cut"),
        (raw(b"\x02ab\x07\x00", b""), "cut"),
        (raw(b"\x02ab\x09" + bytes(15), b""), "cut"),
        (raw(b"\x02ab\x0a", b""), "unknown kind 10"),
        (raw(b"\x02\xff\xff\x00", b""), "no text"),
        (raw(b"\x02ab\x07\x00\x01\xff", b""), "no text"),
        (raw(b"\x02ab\x00\x02ab\x00", b""), "twice"),
        (raw(b"".join(b"\x02%02d\x00" % at for at in range(65)), b""), "more than 64"),
        (b'{"message":"no stream at all"}', "beginning does not match"),
        (b"data: {}\n\ndata: {}\n\n", "beginning does not match"),
    ],
)
def test_what_is_no_frame_ends_the_stream(wire, words):
    """At once, with the reason in words and as the upstream's failure."""
    with pytest.raises(Fault, match=words) as raised:
        EventFrames().feed(wire)
    assert Kind.UPSTREAM_BROKE is raised.value.kind


def test_nothing_is_waited_for_behind_a_length_that_cannot_be():
    """The twelve bytes that say so are enough."""
    with pytest.raises(Fault, match="too long"):
        EventFrames().feed(raw(b"", b"", size=2**32 - 1)[:12])


def test_random_bytes_never_raise_anything_else():
    """A fault or silence, whatever comes."""
    chance = random.Random(7)
    kinds = set()
    for _ in range(500):
        body = chance.randbytes(chance.randrange(80))
        size = chance.randrange(len(body) + 1)
        kinds.add(outcome(raw(body[:size], body[size:]), body[size:]))
    assert {"read", Kind.UPSTREAM_BROKE} == kinds


def outcome(wire, payload):
    """What becomes of one frame."""
    try:
        told = EventFrames().feed(wire)
    except Fault as fault:
        return fault.kind
    return "read" if [payload] == [frame.payload for frame in told] else "wrong"


def test_a_header_that_is_no_text_is_no_word():
    """Nothing is believed to be the kind of an event but a text."""
    frame = EventFrame({":event-type": b"x", ":message-type": "event"}, b"")
    assert ("", "event", "") == tuple(
        frame.word(name) for name in (":event-type", ":message-type", "other")
    )


LONG = event("contentBlockDelta", b'{"delta":{"text":"%b"}}' % (b"long " * 100_000))


@pytest.mark.parametrize("size", [65_536, 200_001, len(LONG) - 1, len(LONG)])
@pytest.mark.parametrize("relays", [False, True])
def test_a_long_frame_is_looked_at_as_it_comes(size, relays, monkeypatch):
    """At its end there is only the rest of it to be looked at. A changed byte is seen all the same."""
    counted = []
    real = event_stream.binascii.crc32

    def crc32(data, before=0):
        counted.append(len(data))
        return real(data, before)

    monkeypatch.setattr(event_stream.binascii, "crc32", crc32)
    wire = WIRE + LONG + WIRE
    frames, told, run = EventFrames(relays=relays), [], b""
    for at in range(0, len(wire), size):
        told += frames.feed(wire[at : at + size])
        run += frames.run
    assert [*WHOLE, *WHOLE] == [*told[:4], *told[5:]]
    assert (b"" if relays else LONG[-len(told[4].payload) - 4 : -4]) == told[4].payload
    assert (wire if relays else b"") == run
    assert max(counted) <= size
    broken = bytearray(LONG)
    broken[len(LONG) // 3] ^= 1
    pieces = [bytes(broken[at : at + size]) for at in range(0, len(broken), size)]
    with pytest.raises(Fault, match="does not match its checksum"):
        list(map(EventFrames(relays=relays).feed, pieces))


@pytest.mark.parametrize("relays", [False, True])
def test_a_frame_of_more_objects_than_an_answer_may_hold_is_a_fault(relays):
    """Before anything is made of them; in a text they are none."""
    crowd = b"{}," * (caps.OBJECTS_MAX + 1)
    wire = event("contentBlockDelta", b'{"delta":{"x":[%b{}]}}' % crowd)
    frames = EventFrames(relays=relays)
    frames.feed(wire[:65_536])
    with pytest.raises(Fault, match="JSON objects in a frame"):
        frames.feed(wire[65_536:])
    quoted = event("contentBlockDelta", b'{"delta":{"text":"%b"}}' % crowd)
    frames, told = EventFrames(relays=relays), []
    for at in range(0, len(quoted), 65_536):
        told += frames.feed(quoted[at : at + 65_536])
    assert 1 == len(told)
