"""Text that is no text: characters cut in two, halves alone, bytes that are no UTF-8."""

import json

import pytest

from trivium.conversation.events import Delta, Failed, spelled
from trivium.conversation.opaque import StateOrigin
from trivium.faults import Fault, Kind
from trivium.wire import sse
from trivium.wire.chat.codec import CODEC as CHAT
from trivium.wire.codec import AnswerContext
from trivium.wire.generate.codec import CODEC as GENERATE
from trivium.wire.messages.codec import CODEC as MESSAGES
from trivium.wire.responses.codec import CODEC as RESPONSES
from trivium.wire.text_repair import RepairingSplitter, sound

SMILE = "😀"


def _frame(text, before, after="}"):
    """An event with its text written as it stands: escapes, bytes and all."""
    return b"data: " + before.encode() + b'"' + text + b'"' + after.encode() + b"\n\n"


def chat(*texts):
    before, after = '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":', "}}]}"
    end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    return b"".join(_frame(text, before, after) for text in texts) + end


def messages(*texts):
    head = (
        b'data: {"type":"message_start","message":{"id":"m","model":"m","usage":{}}}\n\n'
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    )
    before = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":'
    deltas = b"".join(_frame(text, before, "}}") + b'data: {"type":"ping"}\n\n' for text in texts)
    return (
        head
        + deltas
        + (
            b'data: {"type":"content_block_stop","index":0}\n\n'
            b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\n'
            b'data: {"type":"message_stop"}\n\n'
        )
    )


def responses(*texts):
    at = '"item_id":"i","output_index":0,"content_index":0'
    whole = b"".join(texts)
    item = b'{"type":"message","id":"i","role":"assistant","content":[%b]}'
    part = b'{"type":"output_text","annotations":[],"text":"%b"}'
    return (
        b'data: {"type":"response.created","response":{"id":"r","model":"m"}}\n\n'
        b'data: {"type":"response.output_item.added","output_index":0,"item":%b}\n\n' % (item % b"")
        + b"data: {" + b'"type":"response.content_part.added",' + at.encode()
        + b',"part":%b}\n\n' % (part % b"")
        + b"".join(
            _frame(text, '{"type":"response.output_text.delta",' + at + ',"delta":')
            for text in texts
        )
        + _frame(whole, '{"type":"response.output_text.done",' + at + ',"text":')
        + b'data: {"type":"response.output_item.done","output_index":0,"item":%b}\n\n'
        % (item % (part % whole))
        + b'data: {"type":"response.completed","response":{"id":"r","status":"completed",'
        b'"output":[%b]}}\n\n' % (item % (part % whole))
    )  # fmt: skip


def generate(*texts):
    before, after = '{"candidates":[{"content":{"role":"model","parts":[{"text":', "}]}}]}"
    end = b'data: {"candidates":[{"finishReason":"STOP"}]}\r\n\r\n'
    run = b"".join(_frame(text, before, after) for text in texts)
    return run.replace(b"\n\n", b"\r\n\r\n") + end


WIRES = {"chat": (CHAT, chat), "messages": (MESSAGES, messages),
         "responses": (RESPONSES, responses), "generate": (GENERATE, generate)}  # fmt: skip
TEXTS = {
    "a pair in one": ((rb"a\ud83d\ude00b", b"c"), f"a{SMILE}bc"),
    "over two": ((b"a", rb"b\ud83d", rb"\ude00c", b"d"), f"ab{SMILE}cd"),
    "alone in two": ((b"a", rb"\uD83D", rb"\uDE00", b"d"), f"a{SMILE}d"),
    "twice": ((rb"\ud83d", rb"\ude00\ud83d", rb"\ude00!"), f"{SMILE}{SMILE}!"),
    "a first half alone": ((rb"a\ud83d", b"b"), "a\ufffdb"),
    "a second half alone": ((rb"a\ude00", b"b"), "a\ufffdb"),
    "in the midst": ((rb"a\ud83db\ude00c", b"d"), "a\ufffdb\ufffdcd"),
    "in the wrong order": ((rb"a\ude00", rb"\ud83db"), "a\ufffd\ufffdb"),
    "at the end": ((b"a", rb"b\ud83d"), "ab\ufffd"),
    "no escape": ((rb"a\\ud83d", rb"\\ude00b", b'"'.replace(b'"', rb"\"")), r'a\ud83d\ude00b"'),
    "bytes": ((b"a\xff", b"\xe2\x82b", "é".encode()), "a\ufffd\ufffdbé"),
}


def read(codec, pieces):
    """The text that a reader tells of a stream that comes in these pieces."""
    reader = codec.read_stream(AnswerContext(origin=StateOrigin("x", "y", "z"), model="m"))
    events = [event for piece in pieces for event in reader.feed(piece)]
    events = spelled([*events, *reader.end(None)])
    assert not [event for event in events if type(event) is Failed]
    return "".join(event.text for event in events if type(event) is Delta)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("shape", WIRES)
def test_every_half_finds_the_other_or_becomes_a_mark(shape, name):
    """Whole, byte by byte, event by event and cut at every offset."""
    codec, written = WIRES[shape]
    texts, wanted = TEXTS[name]
    wire = written(*texts)
    assert wanted == read(codec, [wire])
    assert wanted == read(codec, [wire[at : at + 1] for at in range(len(wire))])
    assert wanted == read(codec, sse.blocks(wire))
    for cut in range(1, len(wire), 1 if name == "over two" else 7):
        assert wanted == read(codec, [wire[:cut], wire[cut:]])


def test_pieces_of_two_answers_are_not_mixed():
    """Each half goes to its own choice, whatever comes between them."""

    def one(number, text):
        return b'data: {"choices":[{"index":%d,"delta":{"content":"%b"}}]}\n\n' % (number, text)

    run = one(0, rb"\ud83d") + one(1, rb"x\ud83e") + one(0, rb"\ude00") + one(1, rb"\udd14")
    splitter = RepairingSplitter()
    out = b"".join(splitter.feed(block) for block in sse.blocks(run)) + splitter.take()
    told = [json.loads(frame.data)["choices"][0] for frame in sse.frames(out)]
    said = ["".join(one["delta"]["content"] for one in told if one["index"] == n) for n in (0, 1)]
    assert [SMILE, "x🤔"] == said


PING = b'data: {"type":"ping"}\n\n'
OPEN = b'data: {"type":"ping"'
OTHERS = {
    "chat": b'data: {"choices":[{"index":1,"delta":{"content":"x"}}]}\n\n',
    "messages": PING,
    "responses": b'data: {"type":"response.output_text.delta","item_id":"j","output_index":1,'
    b'"content_index":0,"delta":"x"}\n\n',
    "generate": b'data: {"candidates":[{"index":1,"content":{"parts":[{"text":"x"}]}}]}\r\n\r\n',
}
"""Somebody else of the same answer speaks, where anybody can."""


@pytest.mark.parametrize("fault", [None, Fault(Kind.UPSTREAM_BROKE, "It is gone.")])
@pytest.mark.parametrize("rest", [b"", OPEN])
@pytest.mark.parametrize("shape", WIRES)
def test_what_waits_for_a_half_is_told_when_the_stream_breaks_off(shape, rest, fault):
    """Be it cut in the midst of a block, and whoever else was speaking meanwhile."""
    codec, written = WIRES[shape]
    wire = written(b"a", rb"b\ud83d")
    said = wire.index(rb"b\ud83d")
    blank = b"\r\n\r\n" if shape == "generate" else b"\n\n"
    wire = wire[: wire.index(blank, said)] + blank + OTHERS[shape] + rest
    for pieces in ([wire], sse.blocks(wire), [wire[at : at + 1] for at in range(len(wire))]):
        reader = codec.read_stream(AnswerContext(origin=StateOrigin("x", "y", "z"), model="m"))
        events = [event for piece in pieces for event in reader.feed(piece)]
        events = spelled([*events, *reader.end(fault)])
        told = "".join(event.text for event in events if type(event) is Delta)
        assert ["ab\ufffd", Failed] == [told.removesuffix("x"), type(events[-1])]
        assert told.endswith("x") is (shape != "messages")


def test_a_half_is_not_waited_for_for_ever():
    """Eight events, or 64 KiB; nothing is lost."""
    ping = b'data: {"type":"ping"}\n\n'
    half = b'data: {"text":"%b\\ud83d"}\n\n'
    for run in (half % b"a" + ping * 9, half % (b"a" * 70_000)):
        splitter = RepairingSplitter()
        out = b"".join(splitter.feed(block) for block in sse.blocks(run))
        assert run.replace(rb"\ud83d", rb"\ufffd") == out
        assert [] == splitter.parts


@pytest.mark.parametrize("text", [b'{"a":"b"}', rb'{"a":"\ud83d\ude00\n"}', "é".encode()])
def test_what_is_text_stays_as_it_is(text):
    """Byte for byte."""
    assert text == sound(text)


@pytest.mark.parametrize("n", [1_000, 2_000])
def test_halves_upon_halves_take_no_more_than_their_share(n):
    """Twice as many events are looked at twice as long: each looks eight ahead, at most."""
    run = (b'data: {"text":"\\ud83d"}\n\n' * n) + b'data: {"other":"\\"\\ud83d\\\\"}\n\n' * n
    splitter = RepairingSplitter()
    out = splitter.feed(run)
    assert 2 * n == len(sse.blocks(out))
    assert b"\\ud83d" not in out
