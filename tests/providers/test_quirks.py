"""Repairs are applied to the streams and answers that rows name, and to nothing else."""

from pathlib import Path

import pytest

from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Unified
from trivium.conversation.opaque import StateOrigin
from trivium.faults import Fault, Kind
from trivium.providers.quirks import (
    LATE_START,
    MESSAGES_TOOL_INPUT,
    QUIRKS,
    RESPONSES_BARE,
    TranslatedRepairs,
    repair,
    repair_answer,
)
from trivium.wire.chat.codec import CODEC as CHAT
from trivium.wire.codec import AnswerContext
from trivium.wire.messages.codec import CODEC as MESSAGES
from trivium.wire.messages.stream import watch as messages_watch
from trivium.wire.operation import Operation
from trivium.wire.passage import PieceWritten, RequestFacts
from trivium.wire.responses.codec import CODEC as RESPONSES
from trivium.wire.sse import frames

LLAMACPP = Path(__file__).parents[1] / "fixtures" / "providers" / "llamacpp"
ALL = frozenset(QUIRKS)
CODECS = {
    Operation.CHAT: CHAT,
    Operation.MESSAGES: MESSAGES,
    Operation.RESPONSES: RESPONSES,
}
FACTS = RequestFacts(model="public", stream=True, output_max=6)
MENDED = (Operation.RESPONSES, Operation.MESSAGES, Operation.CHAT)
STREAMS = {
    path.name: operation
    for operation in MENDED
    for path in sorted(LLAMACPP.glob(f"{operation.value}_*stream*.sse"))
}


def run(watch, operation, *reads, facts=FACTS):
    """What the caller gets for these reads, the end included."""
    repaired = repair(ALL, operation, watch, facts=facts, at=1_790_000_000.9)
    return b"".join(repaired.feed(read) for read in reads) + repaired.end(None, "req_1")


@pytest.mark.parametrize("operation", list(Operation))
def test_without_quirks_nothing_is_wrapped(watch, operation):
    """The ordinary vendor costs nothing."""
    assert watch is repair(frozenset(), operation, watch)


@pytest.mark.parametrize("operation", [op for op in Operation if op not in MENDED])
def test_operations_without_a_repair_are_not_wrapped(watch, operation):
    """A quirk names what it is about."""
    assert watch is repair(ALL, operation, watch)


def test_a_quirk_of_another_shape_is_not_applied(watch):
    """Responses are not mended because messages are."""
    only = frozenset({MESSAGES_TOOL_INPUT, LATE_START})
    assert watch is repair(only, Operation.RESPONSES, watch)
    assert watch is repair(frozenset({MESSAGES_TOOL_INPUT}), Operation.CHAT, watch)
    assert watch is repair(frozenset({RESPONSES_BARE}), Operation.MESSAGES, watch)


@pytest.mark.parametrize("name", STREAMS)
def test_any_split_of_the_wire_gives_the_same(name, recorded, make_watch):
    """Where the network cuts the stream does not matter."""
    wire = recorded(name)
    whole = run(make_watch(), STREAMS[name], wire)
    for cut in range(0, len(wire), 37):
        assert whole == run(make_watch(), STREAMS[name], wire[:cut], wire[cut:])
    single = run(make_watch(), STREAMS[name], *(wire[i : i + 1] for i in range(len(wire))))
    assert whole == single


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_breaks_off_is_the_beginning_of_the_whole(name, step, recorded, make_watch):
    """What was passed on is never taken back, wherever the engine dies."""
    wire = recorded(name)
    whole = run(make_watch(), STREAMS[name], wire)
    for cut in range(0, len(wire), step):
        assert whole.startswith(run(make_watch(), STREAMS[name], wire[:cut]))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_do_not_matter(name, end, recorded, make_watch):
    """CR and CRLF are as good as LF."""
    wire = recorded(name)
    assert run(make_watch(), STREAMS[name], wire) == run(
        make_watch(), STREAMS[name], wire.replace(b"\n", end)
    )


@pytest.mark.parametrize("name", STREAMS)
def test_a_last_frame_without_its_blank_line_counts(name, recorded, make_watch):
    """The terminal event is not lost to a missing line end."""
    wire = recorded(name)
    assert run(make_watch(), STREAMS[name], wire) == run(
        make_watch(), STREAMS[name], wire.rstrip(b"\n")
    )


def test_half_a_frame_is_not_passed_on(recorded, watch):
    """Its reader would fail on it; the watch then ends the stream in its own words."""
    wire = recorded("responses_stream.sse").rstrip(b"\n")[:-20]
    out = run(watch, Operation.RESPONSES, wire)
    assert b"response.output_item.done" in out
    assert b"response.completed" not in out
    assert b"response.incomplete" not in out


def test_the_watch_ends_the_stream(watch):
    """Its tail, its error and its finish are the wrapper's."""
    watch.tail = b"data: end\n\n"
    fault = Fault(Kind.UPSTREAM_BROKE, "x")
    repaired = repair(ALL, Operation.MESSAGES, watch)
    assert repaired.feed(b"") == b""
    assert repaired.end(fault, "req_9") == b"data: end\n\n"
    assert (fault, "req_9") == watch.ended
    assert repaired.error == b"{}"


class Slow:
    """A watch that hands on what it reads, and its tail, in two pieces each."""

    usage = error = None
    stopped = finished = False

    def __init__(self):
        self.left = []

    def feed(self, data):
        if data:
            self.left = [data[:4]]
            raise PieceWritten(data[4:])
        return self.left.pop()

    def end(self, fault, request_id):
        if not self.finished:
            self.finished, self.left = True, [b"tail"]
            raise PieceWritten(b"last ")
        return b""


def test_pieces_pass_once_and_in_their_order():
    """Those of a block that the end of the body closed as well."""

    def all_of(call):
        try:
            return [call()]
        except PieceWritten as piece:
            return [piece.out, *all_of(lambda: repaired.feed(b""))]

    repaired = repair(ALL, Operation.CHAT, Slow())
    assert [b"e\n\n", b": on"] == all_of(lambda: repaired.feed(b": one\n\n"))
    assert [] == [one for one in all_of(lambda: repaired.feed(b'data: {"a":1}')) if one]
    out = all_of(lambda: repaired.end(None, "r"))
    assert b"data" == out.pop()
    assert out[0].endswith(b"\n\n")
    assert [b"last ", b"tail"] == all_of(lambda: repaired.end(None, "r"))
    assert repaired.finished
    assert [b""] == all_of(lambda: repaired.end(None, "r"))


def test_the_wrapper_shows_what_its_watch_has_seen(recorded, watch):
    """The relay asks the wrapper whether the stream is finished."""
    repaired = repair(ALL, Operation.MESSAGES, watch)
    assert not repaired.finished
    repaired.feed(recorded("messages_stream.sse"))
    assert repaired.finished


def test_comments_and_foreign_frames_pass(watch):
    """Keep-alives keep idle proxies from cutting us; what is not JSON is not ours to judge."""
    wire = b": ping\n\ndata: plain\ndata: words\n\nevent: x\ndata: [1]\n\ndata: [DONE]\n\n"
    out = run(watch, Operation.RESPONSES, wire)
    assert out == b": ping\n\ndata: plain\ndata: words\n\nevent: x\ndata: [1]\n\n"


def test_a_tool_block_begins_with_its_input(recorded, watch, events):
    """Clients that build the block from its start find the member."""
    out = run(watch, Operation.MESSAGES, recorded("messages_tool_stream.sse"))
    starts = [event for event in events(out) if event["type"] == "content_block_start"]
    assert [{}] == [event["content_block"]["input"] for event in starts]
    names = [found.event for found in frames(out)]
    assert names == [event["type"].encode() for event in events(out)]


@pytest.mark.parametrize(
    ("name", "operation", "first"),
    [
        ("messages_late_stream.sse", Operation.MESSAGES, "message_start"),
        ("responses_late_stream.sse", Operation.RESPONSES, "response.created"),
    ],
)
def test_a_stream_begins_with_its_first_event(recorded, watch, events, name, operation, first):
    """Which the engine had left out; the others follow in their order."""
    wire = recorded(name)
    out = run(watch, operation, wire)
    assert first not in {event["type"] for event in events(wire)}
    assert first == events(out)[0]["type"]
    assert first.encode() == frames(out)[0].event
    assert [event["type"] for event in events(wire)][-1:] == [
        event["type"].replace("incomplete", "completed") for event in events(out)
    ][-1:]


@pytest.mark.parametrize(
    ("name", "guessed"), [("messages_late_stream.sse", True), ("messages_stream.sse", False)]
)
def test_an_input_that_nobody_counted_is_an_estimate(name, guessed, recorded, events):
    """Callers read a number, and the bill does not take it for the engine's."""
    repaired = repair(ALL, Operation.MESSAGES, messages_watch(FACTS), facts=FACTS, asked_bytes=41)
    out = repaired.feed(recorded(name)) + repaired.end(None, "req_1")
    counted = events(out)[0]["message"]["usage"]["input_tokens"]
    assert guessed is (counted == 11)
    assert (guessed, counted) == (repaired.usage.estimated, repaired.usage.fresh)


def test_a_chat_begins_with_its_role(recorded, watch, events):
    """Once, and the other chunks stay byte for byte."""
    wire = recorded("chat_late_stream.sse").removesuffix(b"data: [DONE]\n\n")
    out = run(watch, Operation.CHAT, wire)
    first, *others = events(out)
    assert "assistant" == first["choices"][0]["delta"]["role"]
    assert events(wire)[1:] == others
    assert recorded("chat_stream.sse") == run(watch, Operation.CHAT, recorded("chat_stream.sse"))


@pytest.mark.parametrize("path", sorted(LLAMACPP.glob("*.json")), ids=lambda path: path.stem)
def test_answers_without_a_repair_stay_byte_for_byte(path):
    """Only a response object is touched, and only where the row says so."""
    body = path.read_bytes()
    for operation in Operation:
        if operation is not Operation.RESPONSES or b'"object":"response"' not in body:
            assert body is repair_answer(ALL, operation, body, facts=FACTS)
        assert body is repair_answer(frozenset(), operation, body)


@pytest.mark.parametrize("path", sorted(LLAMACPP.glob("*_stream*.sse")), ids=lambda path: path.stem)
def test_streams_without_a_repair_pass_unchanged(path, watch):
    """Completions end in ``timings``, which is fine."""
    wire = path.read_bytes()
    repaired = repair(ALL, Operation.COMPLETIONS, watch)
    assert wire == repaired.feed(wire)


def translated(name, *, limit=None, quirks=ALL):
    """A recorded stream or answer as the translation lane reads it."""
    path = LLAMACPP / name
    operation = Operation(path.stem.partition("_")[0])
    request = b"{}" if limit is None else b'{"max_output_tokens":%d}' % limit
    mend = TranslatedRepairs(quirks, operation, "smollm2", request, 1_790_000_000)
    codec = CODECS[operation]
    context = AnswerContext(origin=StateOrigin(operation.value, "llamacpp", "local"))
    if path.suffix == ".json":
        return codec.read_answer(mend.answer(path.read_bytes()), context)
    reader = Reading(codec.read_stream(context))
    watch = mend.watch(reader)
    watch.feed(path.read_bytes())
    watch.end(None, "req_1")
    return assembled(reader.events)


class Reading:
    """A watch that keeps what the channel's reader reads."""

    usage = finished = error = None

    def __init__(self, reader):
        self.events = []
        self._reader = reader

    def feed(self, data):
        self.events += self._reader.feed(data)
        return b""

    def end(self, fault, request_id):
        self.events += self._reader.end(fault)
        return b""


def texts(answer):
    """(kind, text) of every part of the one candidate."""
    (candidate,) = answer.candidates
    return [
        (type(part).__name__, part.arguments if isinstance(part, ToolCall) else part.text)
        for part in candidate.parts
    ]


@pytest.mark.parametrize("quirks", [ALL, frozenset()], ids=["mended", "bare"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("responses_stream.sse", [("Text", "Nice to meet you.")]),
        ("responses_again_stream.sse", [("Text", "🌟Hello")]),
        ("responses_again_often_stream.sse", [("Text", "🌌 Hey, nice to meet")]),
        ("responses_late_stream.sse", []),
        ("responses_tool_stream.sse", [("ToolCall", '{"city": "Oslo"}')]),
        ("responses_tool_cut_stream.sse", []),
        ("responses_reasoning_stream.sse", [("Reasoning", "\nI'm here")]),
        ("responses_reasoning_text_stream.sse",
         [("Reasoning", "\nRepeat exactly: yes"), ("Text", "Hello")]),
        ("messages_stream.sse", [("Text", "Hello there! I'm here")]),
        ("messages_late_stream.sse", [("Text", "🌟🌟")]),
        ("messages_nothing_stream.sse", []),
        ("messages_tool_stream.sse", [("ToolCall", '{"city": "Oslo"}')]),
        ("messages_tool_cut_stream.sse", []),
        ("messages_reasoning_late_stream.sse", [("Reasoning", "🌟")]),
        ("chat_stream.sse", [("Text", "Nice to meet you.")]),
        ("chat_late_stream.sse", [("Text", "🌟🌟")]),
        ("chat_nothing_stream.sse", []),
        ("chat_tool_stream.sse", [("ToolCall", '{"city": "Oslo"}')]),
        ("chat_tool_cut_stream.sse", []),
        ("chat_reasoning_stream.sse",
         [("Reasoning", "\nRepeat exactly: ok"),
          ("Text", "Your answer should include a list of options.")]),
    ],
)  # fmt: skip
def test_the_translation_lane_hears_each_word_once(name, expected, quirks):
    """Mended or not: readers bear what the engine leaves out, repeats and ends late."""
    assert expected == texts(translated(name, quirks=quirks))


@pytest.mark.parametrize("name", ["responses_stream.sse", "responses.json"])
@pytest.mark.parametrize(("limit", "finish"), [(6, Unified.LENGTH), (7, Unified.STOP)])
def test_the_translation_lane_hears_that_an_answer_was_cut(name, limit, finish):
    """By the limit that went upstream; the engine calls it completed."""
    assert finish is translated(name, limit=limit).candidates[0].finish.unified
