"""Streams of the shape as events, however the network cuts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.assemble import assembled
from trivium.conversation.events import (
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
)
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.generate.read_stream import Reader
from trivium.wire.sse import FRAME_BYTES_MAX

WHOLE = [
    "text", "lf", "no-last-blank", "function-call", "parallel-calls", "thoughts", "blocked",
    "max-tokens", "cached", "tier-only", "partial-counts", "media", "words", "candidates",
]  # fmt: skip
BROKEN = ["cut", "error", "error-first"]


def plain(events):
    """Events as values: faults compare by what they say."""
    return [repr(event) for event in events]


def in_order(events):
    """Assert the order that every writer relies on."""
    assert type(events[-1]) in (Done, Failed)
    assert 1 == sum(type(event) in (Done, Failed) for event in events)
    assert 1 >= sum(type(event) is Start for event in events)
    opened, closed, ended = [], set(), False
    for event in events:
        if type(event) is PartStart:
            assert not ended
            assert event.index == len(opened)
            opened.append(event.index)
        elif type(event) is Delta:
            assert event.text
            assert event.index in opened
            assert event.index not in closed
        elif type(event) is PartEnd:
            closed.add(event.index)
        elif type(event) is Finished:
            ended = True
            assert set(opened) == closed


@pytest.mark.parametrize("name", WHOLE + BROKEN)
def test_no_cut_changes_the_events(wires, name):
    """Whole, byte by byte, and cut at each offset."""
    wire = wires.fixture(f"{name}.sse")
    whole = wires.events(wire)
    in_order(whole)
    assert type(whole[-1]) is (Failed if name in BROKEN else Done)
    assert plain(whole) == plain(wires.events(*(wire[at : at + 1] for at in range(len(wire)))))
    for cut in range(1, len(wire), 7):
        assert plain(whole) == plain(wires.events(wire[:cut], wire[cut:])), cut


@pytest.mark.parametrize("name", WHOLE)
def test_line_ends_change_nothing(wires, name):
    """The vendor ends lines with CRLF; others with LF or CR."""
    wire = wires.fixture(f"{name}.sse").replace(b"\r\n", b"\n")
    whole = plain(wires.events(wire))
    assert whole == plain(wires.events(wire.replace(b"\n", b"\r\n")))
    assert whole == plain(wires.events(wire.replace(b"\n", b"\r")))
    first, rest = wire.split(b"\n\n", 1)
    assert whole == plain(wires.events(first.replace(b"\n", b"\r\n") + b"\r\n\r\n" + rest))


def test_comments_names_and_done_are_no_events(wires):
    """Tolerated from upstreams that send them."""
    wire = wires.fixture("lf.sse")
    dressed = b": ping\n\n" + wire.replace(b"data: ", b"event: message\nid: 1\ndata:")
    assert plain(wires.events(wire)) == plain(wires.events(dressed + b"data: [DONE]\n\n"))


def test_done_in_a_read_of_its_own_is_no_event(wires):
    """Nor does what comes after it depend on the cut."""
    wire = wires.fixture("lf.sse")
    assert plain(wires.events(wire)) == plain(wires.events(wire, b"data: [DONE]\n\n"))


def test_data_over_several_lines_is_one_object(wires):
    """As the standard has it."""
    wire = wires.fixture("lf.sse")
    dressed = wire.replace(b'"candidates":', b'\ndata: "candidates":\ndata: ')
    assert plain(wires.events(wire)) == plain(wires.events(dressed))


@pytest.mark.parametrize("name", WHOLE)
def test_a_broken_connection_is_a_failure_with_its_own_fault(wires, name):
    """Also behind the last event: the shape has no terminal one."""
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "Too slow.")
    events = wires.events(wires.fixture(f"{name}.sse"), fault=fault)
    in_order(events)
    assert fault is events[-1].fault


def test_a_frame_without_end_is_refused(wires):
    """A bounded buffer."""
    reader = Reader(AnswerContext(origin=wires.origin))
    block = b"data: " + b"x" * (FRAME_BYTES_MAX // 4)
    events = [event for _ in range(5) for event in reader.feed(block)]
    assert [Kind.UPSTREAM_BROKE] == [event.fault.kind for event in events]
    assert [] == reader.end(None)


def test_nothing_follows_a_failure(wires):
    """Neither events nor a second end."""
    reader = Reader(AnswerContext(origin=wires.origin))
    assert type(reader.feed(wires.fixture("error-first.sse"))[-1]) is Failed
    assert [] == reader.feed(wires.fixture("text.sse")) + reader.end(None)


def test_usage_is_known_before_the_end(wires):
    """For the bill of an answer that broke off."""
    reader = Reader(AnswerContext(origin=wires.origin))
    assert reader.usage is None
    reader.feed(wires.fixture("cut.sse"))
    assert (6, 1) == (reader.usage.fresh, reader.usage.output)


@given(data=st.binary(max_size=200), at=st.integers(0, 400))
def test_nonsense_never_raises(wires, data, at):
    """Bytes of any kind, at any place."""
    wire = wires.fixture("thoughts.sse")
    events = wires.events(wire[:at] + data + wire[at:])
    in_order(events)
    assert all(isinstance(event, Event) for event in events)


def test_a_hundred_chunks_are_one_text(wires):
    """The quick way and the long way tell the same."""
    chunk = b'data: {"candidates":[{"content":{"parts":[{"text":"ab"}]%s},"index":0}]}\r\n\r\n'
    end = b'data: {"candidates":[{"finishReason":"STOP"}]}\r\n\r\n'
    quick = wires.events(*[chunk % b""] * 100, end)
    slow = wires.events(*[chunk % b',"odd":1'] * 100, end)
    assert quick == slow
    assert "ab" * 100 == assembled(quick).candidates[0].parts[0].text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_line_end_more_is_no_frame(wires, end):
    """Behind the frame that opens a text, in the same read."""
    chunk = 'data: {"candidates":[{"content":{"parts":[{"text":"ab"}]},"index":0}]}' + 2 * end
    last = 'data: {"candidates":[{"finishReason":"STOP"}]}' + 2 * end
    more = wires.events((chunk + end).encode(), last.encode())
    assert wires.events(chunk.encode(), last.encode()) == more
