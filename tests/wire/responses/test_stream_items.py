"""Items and parts while they are written."""

import json

import pytest

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.parts import (
    Citation,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
)
from trivium.wire.responses.response_object import encode
from trivium.wire.responses.stream_items import OutputItem, OutputPart


def settled(part, kind="message"):
    saying = OutputPart(part)
    saying.settle(OutputItem(3, kind, "a1"))
    return saying


@pytest.mark.parametrize(
    ("part", "kind", "expected"),
    [
        (Text(""), "output_text", {"content_index": 0, "logprobs": []}),
        (Refusal(""), "refusal", {"content_index": 0}),
        (Reasoning("", ReasoningForm.FULL), "reasoning_text", {"content_index": 0}),
        (Reasoning("", ReasoningForm.SUMMARY), "reasoning_summary_text", {"summary_index": 0}),
        (ToolCall("c", "f"), "function_call_arguments", {}),
        (ToolCall("c", "f", kind=CallKind.CUSTOM), "custom_tool_call_input", {}),
    ],
)
def test_a_frame_takes_number_and_text(part, kind, expected):
    """All else of a delta is known before it comes."""
    block = settled(part).frame % (7, b'"x"')
    event, data = block.decode().removesuffix("\n\n").split("\n")
    assert f"event: response.{kind}.delta" == event
    assert {
        "type": f"response.{kind}.delta",
        "sequence_number": 7,
        "item_id": "msg_a1_3",
        "output_index": 3,
        "delta": "x",
        **expected,
    } == json.loads(data.removeprefix("data: "))


def test_probabilities_take_the_place_of_none():
    """In the same frame."""
    block = settled(Text("")).with_logprobs(7, b'"[]"', (TokenLogprob("x", -1.0),))
    found = json.loads(block.partition(b"\ndata: ")[2])
    row = {"token": "x", "logprob": -1.0, "bytes": [120], "top_logprobs": []}
    assert ("[]", [row]) == (found["delta"], found["logprobs"])


def test_parts_of_a_message_have_rising_places():
    """Each knows its own."""
    item = OutputItem(0, "message", "a1")
    first, second = OutputPart(Text("")), OutputPart(Text(""))
    first.settle(item)
    second.settle(item)
    assert [0, 1] == [one.place()["content_index"] for one in (first, second)]


def test_a_kind_that_only_the_vendor_knows_has_an_id_all_the_same():
    """Nobody reads it, but it must not be empty."""
    assert "item_a1_0" == OutputItem(0, "hologram", "a1").id


def test_words_stand_in_each_event_of_their_end():
    """Whatever else looks like their place."""
    said = settled(Text(""))
    said.pieces += ['a "text":@ ', "\u65e5"]
    said.cited.append(Citation("https://a.org", 'x","text":@'))
    ends = [encode(members) for _, members in said.ending()]
    found = [json.loads(b"".join(said.filled(end))) for end in ends]
    assert ['a "text":@ \u65e5'] * 2 == [found[0]["text"], found[1]["part"]["text"]]
    assert 'x","text":@' == found[1]["part"]["annotations"][0]["title"]
