"""Canonical events as streams of the messages shape: legal for the SDKs, whatever comes."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.messages.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"
WHOLE = [
    *(
        path
        for path in sorted(FIXTURES.glob("*.sse"))
        if path.stem not in ("cut", "error-after", "error-first")
    ),
    *(
        path
        for path in sorted((FIXTURES / "translate").glob("*.sse"))
        if path.stem not in ("no-end", "nonsense")
    ),
]
GOOGLE = StateOrigin("generate", "gemini", "g")
STOP = Finished(Finish(Unified.STOP, "stop"))
SIGNATURE = Opaque("thought_signature", b"sig", GOOGLE)
SEALED = "sealed:thought_signature:" + base64.b64encode(b"sig").decode()


def stream(*events, finish=STOP):
    """A whole stream around the events of some parts."""
    return [Start("id", "model"), *events, finish, UsageReport(Usage(fresh=25, output=14)), Done()]


def text(index, *pieces):
    """The events of a text part."""
    return [PartStart(index, Text("")), *(Delta(index, one) for one in pieces), PartEnd(index)]


def pieces(frames):
    """The deltas of a stream, as (block index, delta)."""
    return [(one["index"], one["delta"]) for one in frames if one["type"] == "content_block_delta"]


def starts(frames):
    """The blocks of a stream as they began."""
    return [one["content_block"] for one in frames if one["type"] == "content_block_start"]


def test_text_with_a_call(wires, legal):
    """The order, the members and the counters that the SDKs rely on."""
    frames = wires.streamed(
        stream(
            *text(0, "Hel", "lo"),
            PartStart(1, ToolCall("call_1", "lookup")),
            Delta(1, '{"q"'),
            Delta(1, ":1}"),
            PartEnd(1),
        )
    )
    legal(frames)
    assert {
        "id": "msg_0a",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    } == {name: value for name, value in frames[0]["message"].items() if name != "usage"}
    assert [
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "call_1", "name": "lookup", "input": {}},
    ] == starts(frames)
    assert [
        (0, {"type": "text_delta", "text": "Hel"}),
        (0, {"type": "text_delta", "text": "lo"}),
        (1, {"type": "input_json_delta", "partial_json": '{"q"'}),
        (1, {"type": "input_json_delta", "partial_json": ":1}"}),
    ] == pieces(frames)
    assert {"stop_reason": "tool_use", "stop_sequence": None} == frames[-2]["delta"]
    assert 14 == frames[-2]["usage"]["output_tokens"]


def test_trap_50_the_start_estimates_the_input_and_the_end_knows_it(wires):
    """Claude Code's context meter reads the start; cache counters come with the exact numbers."""
    usage = Usage(
        fresh=5, cache_read=100, cache_write_short=3, cache_write_long=4, output=9, reasoning=2
    )
    frames = wires.streamed([Start(), *text(0, "Hi"), STOP, UsageReport(usage), Done()])
    assert 7 == frames[0]["message"]["usage"]["input_tokens"]
    assert {
        "input_tokens": 5,
        "cache_creation_input_tokens": 7,
        "cache_read_input_tokens": 100,
        "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
        "output_tokens": 11,
        "output_tokens_details": {"thinking_tokens": 2},
    } == frames[-2]["usage"]


def test_trap_23_thinking_is_signed_and_closed_before_text(wires, legal):
    """Claude Code throws thinking without a signature away, and the whole answer with it."""
    frames = wires.streamed(
        stream(PartStart(0, Reasoning("")), Delta(0, "Hm"), PartEnd(0), *text(1, "Ok"))
    )
    legal(frames)
    assert [
        (0, {"type": "thinking_delta", "thinking": "Hm"}),
        (0, {"type": "signature_delta", "signature": ""}),
        (1, {"type": "text_delta", "text": "Ok"}),
    ] == pieces(frames)


def test_trap_3_a_call_that_comes_whole_has_its_arguments(wires, legal):
    """A block that opens and closes without a piece loses the arguments."""
    frames = wires.streamed(
        stream(
            PartStart(0, ToolCall("call_1", "lookup", opaque=(SIGNATURE,))),
            Delta(0, '{"q":1}'),
            PartEnd(0),
            PartStart(1, ToolCall("call_2", "now")),
            PartEnd(1),
        )
    )
    legal(frames)
    assert ['{"q":1}', "{}"] == [delta["partial_json"] for _, delta in pieces(frames)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["[", "1]"], ['{"_raw":"[1]"}']),
        (['"x"'], ['{"_raw":"\\"x\\""}']),
        (["nul", "l"], ["{}"]),
        ([" ", "\n"], ["{}"]),
        ([" ", '{"a"', ":1}"], [' {"a"', ":1}"]),
        (['{"path": "a'], ['{"path": "a']),
    ],
)
def test_arguments_that_are_no_object_are_marked_as_in_a_whole_answer(
    wires, legal, arguments, told
):
    """The official SDK fails on a call whose input is none; what was cut in an object it keeps."""
    pieces_of = [Delta(0, one) for one in arguments]
    frames = wires.streamed(stream(PartStart(0, ToolCall("a", "f")), *pieces_of, PartEnd(0)))
    assert told == [delta["partial_json"] for _, delta in pieces(frames)]


def test_parallel_calls_are_told_one_after_the_other(wires, legal):
    """The second call's pieces wait until the first is closed; none is lost."""
    frames = wires.streamed(
        stream(
            PartStart(0, ToolCall("a", "f")),
            Delta(0, "{"),
            PartStart(1, ToolCall("b", "f")),
            Delta(1, '{"x"'),
            Delta(0, "}"),
            Delta(1, ":1}"),
            PartEnd(1),
            PartEnd(0),
        )
    )
    legal(frames)
    assert [(0, "{"), (0, "}"), (1, '{"x"'), (1, ":1}")] == [
        (index, delta["partial_json"]) for index, delta in pieces(frames)
    ]


@pytest.mark.parametrize("late", [False, True])
def test_a_calls_attachments_travel_before_it(wires, legal, late):
    """In a redacted block, which every client echoes, wherever the reader put them."""
    call = ToolCall("a", "f", opaque=() if late else (SIGNATURE,))
    frames = wires.streamed(
        stream(PartStart(0, call), Delta(0, "{}"), PartEnd(0, (SIGNATURE,) if late else ()))
    )
    legal(frames)
    assert [
        {"type": "redacted_thinking", "data": SEALED},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
    ] == starts(frames)


def test_a_texts_attachments_travel_after_it(wires, legal):
    """They may come with its end, so a silent thinking block follows it."""
    frames = wires.streamed(
        stream(PartStart(0, Text("")), Delta(0, "Hi"), PartEnd(0, (SIGNATURE,)))
    )
    legal(frames)
    assert ["text", "thinking"] == [block["type"] for block in starts(frames)]
    assert (1, {"type": "signature_delta", "signature": SEALED}) == pieces(frames)[-1]


def test_hidden_reasoning_travels_redacted(wires, legal):
    """There is nothing to show; without a seal there is no block at all."""
    hidden = Reasoning("", ReasoningForm.HIDDEN, opaque=(SIGNATURE,))
    events = stream(PartStart(0, hidden), PartEnd(0), *text(1, "Hi"))
    frames = wires.streamed(events)
    legal(frames)
    assert {"type": "redacted_thinking", "data": SEALED} == starts(frames)[0]
    unsealed = wires.streamed(events, seal=lambda _: "")
    legal(unsealed)
    assert ["text"] == [block["type"] for block in starts(unsealed)]


def test_trap_32_empty_text_is_never_written(wires, legal):
    """An empty block is refused by the vendor as soon as it comes back."""
    frames = wires.streamed(stream(*text(0), *text(1, "Hi")))
    legal(frames)
    assert 1 == len(starts(frames))


def test_an_empty_answer_has_no_block(wires, legal):
    """Start, end and nothing between."""
    frames = wires.streamed(stream())
    legal(frames)
    assert ["message_start", "message_delta", "message_stop"] == [one["type"] for one in frames]


def test_a_refusal_in_words_keeps_the_words(wires, legal):
    """They are text, and the reason says that they are a refusal."""
    frames = wires.streamed(stream(PartStart(0, Refusal("")), Delta(0, "No."), PartEnd(0)))
    legal(frames)
    assert [(0, {"type": "text_delta", "text": "No."})] == pieces(frames)
    assert "refusal" == frames[-2]["delta"]["stop_reason"]


def test_a_source_with_a_url_is_cited(wires, legal):
    """Other vendors' citations become the kind that needs no document; without a URL, none."""
    frames = wires.streamed(
        stream(
            PartStart(0, Text("")),
            Delta(0, "Cats."),
            Cited(0, Citation("https://cats.example", "Cats", 0, 5)),
            Cited(0, Citation(title="A file")),
            PartEnd(0),
        )
    )
    legal(frames)
    assert [
        (
            0,
            {
                "type": "citations_delta",
                "citation": {
                    "type": "web_search_result_location",
                    "cited_text": "",
                    "encrypted_index": "",
                    "title": "Cats",
                    "url": "https://cats.example",
                },
            },
        )
    ] == pieces(frames)[1:]


def test_foreign_blocks_are_never_shown_as_they_are(wires, legal):
    """Clients reject kinds they do not know; a note stands for media, nothing for tools' traffic."""
    frames = wires.streamed(
        stream(
            PartStart(0, VendorPart(Native("generate", b"{}"), "executableCode", "print(1)")),
            PartEnd(0),
            PartStart(1, Image(Inline("image/png", "aGk="))),
            PartEnd(1),
        )
    )
    legal(frames)
    assert ["[Image output, which the messages protocol cannot carry]"] == [
        delta["text"] for _, delta in pieces(frames)
    ]


def test_free_text_input_is_an_object(wires):
    """The shape has no free-text tools: the input is wrapped, once it is whole."""
    frames = wires.streamed(
        stream(
            PartStart(0, ToolCall("a", "f", kind=CallKind.CUSTOM)),
            Delta(0, 'say "'),
            Delta(0, 'hi"'),
            PartEnd(0),
        )
    )
    assert [{"input": 'say "hi"'}] == [json.loads(one["partial_json"]) for _, one in pieces(frames)]


def test_only_the_first_candidate_is_told(wires, legal):
    """The shape has one answer."""
    frames = wires.streamed(
        [
            Start(),
            PartStart(0, Text(""), 1),
            PartStart(1, Text(""), 0),
            Delta(0, "B"),
            Delta(1, "A"),
            PartEnd(0),
            PartEnd(1),
            Finished(Finish(Unified.STOP), 0),
            Finished(Finish(Unified.LENGTH), 1),
            Done(),
        ]
    )
    legal(frames)
    assert [(0, {"type": "text_delta", "text": "A"})] == pieces(frames)
    assert "end_turn" == frames[-2]["delta"]["stop_reason"]


@pytest.mark.parametrize("inside", [False, True])
def test_trap_63_a_failure_is_an_error_event_and_no_end(wires, inside):
    """Before or after the first event; nothing pretends success."""
    fault = Fault(Kind.UPSTREAM_RATE_LIMITED, "Slow down.")
    events = [Start(), PartStart(0, Text("")), Delta(0, "Hi")] if inside else []
    frames = wires.streamed([*events, Failed(fault)])
    assert ("error", "rate_limit_error", "req_1") == (
        frames[-1]["type"],
        frames[-1]["error"]["type"],
        frames[-1]["request_id"],
    )
    assert not any(one["type"] in ("message_delta", "message_stop") for one in frames)


def test_an_end_without_a_word_is_an_error(wires):
    """A reader that stopped is not a model that did."""
    assert "error" == wires.streamed([Start(), PartStart(0, Text(""))])[-1]["type"]


def test_signs_of_life_are_pings(wires):
    """Both the upstream's and our own, before the first event too."""
    assert [{"type": "ping"}] == wires.streamed([KeepAlive(), *stream()])[:1]
    assert (
        b'event: ping\ndata: {"type":"ping"}\n\n' == CODEC.write_stream(wires.context()).heartbeat()
    )


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_what_is_written_reads_as_what_was_read(wires, legal, path):
    """Through the writer and back, parts, attachments and end stay as they were."""
    before = assembled(wires.events(path.read_bytes()))
    frames = wires.streamed(
        wires.events(path.read_bytes()), seal=lambda opaque: opaque[0].data.decode()
    )
    legal(frames)
    wire = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in frames)
    after = assembled(wires.events(wire.encode()))
    assert normal(before.candidates) == normal(after.candidates)
    assert before.usage == after.usage


def normal(candidates):
    """Parts without what a second reading must change: the spelling of native JSON."""
    return [
        (
            candidate.finish,
            [
                (
                    type(part),
                    getattr(part, "text", ""),
                    getattr(part, "arguments", ""),
                    [one.data for one in part.opaque],
                )
                for part in candidate.parts
                if getattr(part, "text", "") or type(part) is not Text
            ],
        )
        for candidate in candidates
    ]


@given(data=st.data())
def test_any_legal_order_gives_a_legal_stream(wires, legal, data):
    """Parts that overlap in whatever way, with attachments anywhere."""
    kinds = data.draw(st.lists(st.sampled_from(["text", "call", "thinking", "hidden"]), max_size=5))
    queues = []
    for index, kind in enumerate(kinds):
        opaque = data.draw(st.sampled_from([(), (SIGNATURE,)]))
        late = data.draw(st.sampled_from([(), (SIGNATURE,)]))
        part = {
            "text": Text("", opaque=opaque),
            "call": ToolCall(f"c{index}", "f", opaque=opaque),
            "thinking": Reasoning("", opaque=opaque),
            "hidden": Reasoning("", ReasoningForm.HIDDEN, opaque=opaque),
        }[kind]
        said = data.draw(
            st.lists(st.sampled_from(["{", "é", " "]), min_size=kind == "call", max_size=3)
        )
        deltas = [] if kind == "hidden" else [Delta(index, one) for one in said]
        queues.append([PartStart(index, part), *deltas, PartEnd(index, late)])
    events, opened = [], 0
    while any(queues):
        ready = [queue for queue in queues[:opened] if queue]
        if opened < len(queues) and (not ready or data.draw(st.booleans())):
            events.append(queues[opened].pop(0))
            opened += 1
        else:
            events.append(data.draw(st.sampled_from(ready)).pop(0))
    cut = data.draw(st.integers(0, len(events)))
    legal(wires.streamed_in([[Start(), *events[:cut]], [*events[cut:], STOP, Done()]]))
    spoken = [part for part in assembled(stream(*events)).candidates[0].parts if type(part) is Text]
    told = wires.streamed_in([stream(*events)])
    assert "".join(part.text for part in spoken) == "".join(
        delta["text"] for _, delta in pieces(told) if delta["type"] == "text_delta"
    )
