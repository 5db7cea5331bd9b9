"""Streams: whole, byte by byte, and cut at every offset."""

import json

import pytest
from cohere import V2ChatStreamResponse
from cohere.core.unchecked_base_model import construct_type

from trivium.conversation.assemble import Assembler, assembled
from trivium.conversation.events import Cited, Done, Failed, PartEnd, PartStart, Start, UsageReport
from trivium.conversation.finish import Unified
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.cohere.read_answer import read
from trivium.wire.cohere.read_stream import Reader


def events(context, *reads, fault=None):
    """All events of these reads and of the end."""
    reader = Reader(context)
    found = [event for data in reads for event in reader.feed(data)]
    return found + reader.end(fault), reader


def told(context, *reads):
    """The answer that they make."""
    return assembled(events(context, *reads)[0])


@pytest.mark.parametrize("name", ["text", "tools"])
def test_a_stream_says_what_the_whole_answer_does(wire, context, name):
    """Parts, end and counts."""
    whole, streamed = read(wire(f"{name}.json"), context), told(context, wire(f"{name}.sse"))
    assert streamed.candidates == whole.candidates
    assert streamed.usage == whole.usage


@pytest.mark.parametrize("name", ["text", "tools"])
def test_no_cut_changes_it(wire, context, name):
    """Byte by byte, and in two at every offset."""
    data = wire(f"{name}.sse")
    whole = told(context, data)
    assert whole == told(context, *(data[at : at + 1] for at in range(len(data))))
    for at in range(1, len(data)):
        assert whole == told(context, data[:at], data[at:]), at


@pytest.mark.parametrize("name", ["text", "tools"])
def test_a_stream_that_ends_early_never_looks_complete(wire, context, name):
    """Wherever it is cut: but for the blank line behind its last event."""
    data = wire(f"{name}.sse")
    for at in range(len(data) - 2):
        found, reader = events(context, data[:at])
        assert type(found[-1]) is Failed, at
        assert not reader.stopped
    found, _ = events(context, data[:-2])
    assert type(found[-1]) is Done


@pytest.mark.parametrize("name", ["text", "tools", "error"])
def test_the_sdk_knows_every_event(wire, name):
    """By its type."""
    for block in wire(f"{name}.sse").split(b"\n\n")[:-1]:
        row = json.loads(block.partition(b"data: ")[2])
        theirs = construct_type(type_=V2ChatStreamResponse, object_=row)
        assert theirs.type == row["type"]
        assert type(theirs).__name__.endswith("V2ChatStreamResponse")


def test_order(wire, context):
    """Start, parts that end, finish, counts, the end; citations before their text has ended."""
    found, reader = events(context, wire("text.sse"))
    kinds = [type(event) for event in found]
    assert (kinds[0], kinds[-1]) == (Start, Done)
    assert kinds.index(Cited) < kinds.index(PartEnd)
    assert UsageReport in kinds
    assert reader.usage == Usage(fresh=3, cache_read=2, output=7)
    assert reader.feed(b"data: [DONE]\n\n") == []


def test_a_failure_in_the_last_event(wire, context):
    """What was said stands; the counts are kept for the bill."""
    found, reader = events(context, wire("error.sse"))
    assembler = Assembler()
    assembler.feed(found)
    assert assembler.fault is not None
    assert [part.text for part in assembler.parts] == ["Grüße"]
    assert reader.usage is None


@pytest.mark.parametrize(
    "data",
    [
        b"data: nonsense\n\n",
        b'data: {"type":"content-delta","index":"x"}\n\n',
        b'data: {"type":"tool-call-start","delta":{"message":{"tool_calls":{}}}}\n\n',
        b'data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{}}}}\n\n',
        b'data: {"type":"content-delta","delta":{"message":{"content":7}}}\n\n',
        b'event: error\ndata: {"message":"no"}\n\n',
        b'data: {"error":{"message":"no"}}\n\n',
        b'data: {"message":"no"}\n\n',
        b'data: {"type":"message-end","delta":{"error":"no"}}\n\n',
    ],
)
def test_nonsense_fails_once(context, data):
    """And never raises."""
    found, _ = events(context, data, data)
    assert [type(event) for event in found if type(event) is Failed] == [Failed]


def test_starts_that_are_left_out(context):
    """Some relays do."""
    said = b'data: {"type":"content-delta","delta":{"message":{"content":{"thinking":"Hm."}}}}\n\n'
    said += (
        b'data: {"type":"content-delta","index":1,"delta":{"message":{"content":{"text":"a"}}}}\n\n'
    )
    end = b'data: {"type":"message-end","delta":{"finish_reason":"COMPLETE"}}\n\n'
    answer = told(context, said, end)
    assert [part.text for part in answer.candidates[0].parts] == ["Hm.", "a"]
    assert answer.candidates[0].finish.unified is Unified.STOP


def test_calls_that_overlap_and_one_without_arguments(context):
    """Each grows by its own number."""
    start = 'data: {"type":"tool-call-start","index":%d,"delta":{"message":{"tool_calls":'
    start += '{"id":"c%d","function":{"name":"f"}}}}}\n\n'
    more = b'data: {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":'
    more += b'{"function":{"arguments":"{\\"a\\":1}"}}}}}\n\n'
    end = b'data: {"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}\n\n'
    answer = told(context, (start % (0, 0)).encode(), (start % (1, 1)).encode(), more, end)
    assert [part.arguments for part in answer.candidates[0].parts] == ['{"a":1}', "{}"]


def test_kinds_that_nobody_knows_are_told(context, wire):
    """Of entries and of events; the rest is read."""
    odd = b'data: {"type":"poem"}\n\n'
    poem = (
        b'data: {"type":"content-start","index":7,"delta":{"message":{"content":{"type":"x"}}}}\n\n'
    )
    found, _ = events(context, odd, poem, wire("text.sse"))
    assert type(found[-1]) is Done
    assert sum(type(event) is PartStart for event in found) == 2


def test_why_a_connection_broke(context, wire):
    """The caller is told that."""
    fault = Fault(Kind.UPSTREAM_TIMEOUT, "late")
    found, _ = events(context, wire("cut.sse"), fault=fault)
    assert found[-1].fault is fault


def test_a_thought_between_words_of_the_plan_has_its_place(context):
    """Each part is over before the next begins: no caller is told of one inside another."""
    said = [
        {"type": "message-start", "id": "x", "delta": {"message": {"role": "assistant"}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will"}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "thinking", "thinking": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": "hm"}}}},
        {"type": "content-end", "index": 0},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": " look"}}},
        {"type": "content-delta", "index": 1, "delta": {"message": {"content": {"type": "text", "text": "so"}}}},
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]  # fmt: skip
    data = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in said)
    found, _ = events(context, data.encode())
    order = [(type(event), event.index) for event in found if type(event) in (PartStart, PartEnd)]
    assert order == [(kind, at) for at in range(4) for kind in (PartStart, PartEnd)]
    texts = [part.text for part in assembled(found).candidates[0].parts]
    assert ["I will", "hm", " look", "so"] == texts
