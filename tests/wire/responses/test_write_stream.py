"""Canonical events as responses streams: legal for the SDKs, whatever comes."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
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
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.wire.codec import AnswerContext
from trivium.wire.responses.codec import CODEC
from wire.responses.streams import (
    FAULT,
    FIXTURES,
    ORIGIN,
    STOP,
    USAGE,
    WHOLE,
    answer_events,
    context,
    parsed,
    types,
    written,
)


def test_a_text_is_told_in_the_order_that_clients_know():
    """The frame of trap 54, event for event."""
    found = written(
        [
            Start("up", "vendor-model"),
            PartStart(0, Text("")),
            Delta(0, "Hi "),
            KeepAlive(),
            Delta(0, "\u2028 😀"),
            PartEnd(0),
            Finished(STOP),
            UsageReport(USAGE),
            Done(),
        ]
    )
    assert [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ] == types(found)
    assert {
        "type": "response.output_text.delta",
        "sequence_number": 4,
        "item_id": "msg_0a1B_0",
        "output_index": 0,
        "content_index": 0,
        "delta": "Hi ",
        "logprobs": [],
    } == found[4]
    assert {
        "id": "msg_0a1B_0",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [
            {"type": "output_text", "annotations": [], "logprobs": [], "text": "Hi \u2028 😀"}
        ],
    } == found[-2]["item"]


def test_a_call_is_done_with_name_and_arguments():
    """Agents act on the done events alone (trap 60)."""
    found = written(answer_events(ToolCall("call_1", "look", '{"a":1}')))
    assert [
        "created",
        "in_progress",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ] == types(found)
    assert ("look", '{"a":1}') == (found[4]["name"], found[4]["arguments"])
    assert {
        "id": "fc_0a1B_0",
        "type": "function_call",
        "status": "completed",
        "call_id": "call_1",
        "name": "look",
        "arguments": '{"a":1}',
    } == found[5]["item"]


def test_overlapping_calls_are_items_side_by_side():
    """Each delta names its own item."""
    found = written(
        [
            Start(),
            PartStart(0, ToolCall("a", "f")),
            PartStart(1, ToolCall("b", "g")),
            Delta(0, "{"),
            Delta(1, "{}"),
            Delta(0, "}"),
            PartEnd(1),
            PartEnd(0),
            Finished(Finish(Unified.TOOL_CALLS)),
            Done(),
        ]
    )
    deltas = [one for one in found if one["type"].endswith(".delta")]
    assert [(0, "{"), (1, "{}"), (0, "}")] == [
        (one["output_index"], one["delta"]) for one in deltas
    ]
    assert [("a", "{}"), ("b", "{}")] == [
        (item["call_id"], item["arguments"]) for item in found[-1]["response"]["output"]
    ]


def test_texts_in_a_row_are_parts_of_one_message():
    """What follows something else is a message of its own."""
    call = ToolCall("a", "f", "{}")
    found = written(answer_events(Text("1"), Refusal("2"), call, Text("3")))
    output = found[-1]["response"]["output"]
    assert ["message", "function_call", "message"] == [item["type"] for item in output]
    assert ["output_text", "refusal"] == [part["type"] for part in output[0]["content"]]
    places = [one["content_index"] for one in found if one["type"].endswith("part.added")]
    assert [0, 1, 0] == places


def test_an_empty_answer_is_complete():
    """A blocked or silent model has no items, and the stream its frame."""
    assert ["created", "in_progress", "completed"] == types(written(answer_events()))


def test_a_calls_attachment_rides_before_it_and_a_texts_after_it():
    """Neither has a slot of its own in this shape (trap 82)."""
    mark = (Opaque("thought_signature", b"T", ORIGIN),)
    end = (Opaque("thought_signature", b"E", ORIGIN),)
    found = written(
        [
            Start(),
            PartStart(0, ToolCall("a", "f")),
            Delta(0, "{}"),
            PartEnd(0, mark),
            PartStart(1, Text("")),
            Delta(1, "x"),
            PartEnd(1, end),
            PartStart(2, Text("")),
            PartEnd(2, end),
            Finished(STOP),
            Done(),
        ]
    )
    output = found[-1]["response"]["output"]
    assert [
        ("reasoning", "T"),
        ("function_call", None),
        ("message", None),
        ("reasoning", "E"),
        ("reasoning", "E"),
    ] == [(item["type"], item.get("encrypted_content")) for item in output]


def test_only_the_first_candidate_is_told():
    """The shape has one answer."""
    events = replayed(Answer((Candidate((Text("1"),), STOP), Candidate((Text("2"),), STOP))))
    assert 1 == len(written(events)[-1]["response"]["output"])


@pytest.mark.parametrize(
    "events",
    [
        [Failed(FAULT)],
        [Start(), Failed(FAULT)],
        [Start(), PartStart(0, Text("")), Delta(0, "Ha"), Failed(FAULT)],
        [Start(), PartStart(0, ToolCall("a", "f")), Failed(FAULT)],
    ],
)
def test_a_failure_is_told_twice_for_two_kinds_of_clients(events):
    """SDKs raise on the first, Codex reads the second; created always comes first (trap 57)."""
    found = written(events)
    assert ["error", "response.failed"] == [one["type"] for one in found[-2:]]
    assert "The upstream is overloaded." == found[-2]["error"]["message"]
    response = found[-1]["response"]
    assert ("failed", "server_is_overloaded") == (response["status"], response["error"]["code"])


def test_items_that_were_complete_stand_in_a_failed_response():
    """And no other."""
    found = written(
        [
            Start(),
            PartStart(0, Reasoning("", ReasoningForm.SUMMARY)),
            Delta(0, "Sum."),
            PartEnd(0),
            PartStart(1, Text("")),
            Delta(1, "Ha"),
            Failed(FAULT),
        ]
    )
    assert ["reasoning"] == [item["type"] for item in found[-1]["response"]["output"]]


def test_a_reader_that_stops_without_a_word_is_a_failure():
    """And after an end there is nothing to add."""
    assert "response.failed" == written([Start()])[-1]["type"]
    writer = CODEC.write_stream(context())
    writer.feed(answer_events(Text("x")))
    assert b"" == writer.end(FAULT)


def test_a_heartbeat_is_a_comment():
    """Clients skip it wherever it stands."""
    assert b": keep-alive\n\n" == CODEC.write_stream(context()).heartbeat()


@pytest.mark.parametrize("name", WHOLE)
def test_what_was_read_is_written_and_read_again(name):
    """Round trip of every fixture, to the last attachment."""
    reading = AnswerContext(origin=ORIGIN, model="gpt-5")
    first = CODEC.read_stream(reading).feed((FIXTURES / f"{name}.sse").read_bytes())
    writer = CODEC.write_stream(context())
    second = CODEC.read_stream(reading).feed(writer.feed(first))
    before, after = assembled(first).candidates[0], assembled(second).candidates[0]
    assert unsealed(before) == unsealed(after)


def unsealed(candidate):
    """Without what the test's seal makes of attachments, and an end's own word."""
    finish = candidate.finish
    raw = finish.raw if finish.unified is not Unified.OTHER else ""
    return (
        [msgspec.structs.replace(part, opaque=()) for part in candidate.parts],
        msgspec.structs.replace(finish, raw=raw),
    )


@given(
    st.lists(
        st.sampled_from(
            [
                Text("a"),
                Text(""),
                Refusal("no"),
                Reasoning("r", ReasoningForm.FULL),
                Reasoning("s", ReasoningForm.SUMMARY),
                Reasoning("", ReasoningForm.HIDDEN),
                ToolCall("c", "f", "{}"),
                ToolCall("c", "p", "x", CallKind.CUSTOM),
                Text("t", opaque=(Opaque("k", b"D", ORIGIN),)),
                VendorPart(Native("messages", b"{}"), "x", "words"),
            ]
        ),
        max_size=6,
    ),
    st.sampled_from(list(Unified)),
    st.integers(1, 5),
)
def test_any_answer_is_written_legally_and_as_it_is_whole(parts, unified, size):
    """However events are batched; the last object is the answer's body."""
    answer = Answer((Candidate(tuple(parts), Finish(unified)),), USAGE)
    events = replayed(answer)
    writer = CODEC.write_stream(context())
    wire = b"".join(writer.feed(events[at : at + size]) for at in range(0, len(events), size))
    found = parsed(wire)
    assert found[-1]["response"] == json.loads(CODEC.write_answer(answer, context()))
