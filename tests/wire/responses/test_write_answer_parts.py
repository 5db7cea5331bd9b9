"""Output items as callers get them: calls, reasoning, texts, what only this shape has."""

import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Finished,
    PartEnd,
    PartStart,
    Start,
)
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
)
from trivium.conversation.request import Conversation, Effort, ReasoningSettings
from trivium.conversation.tools import CustomTool, FunctionTool
from wire.responses.streams import ORIGIN, STOP, answer_events, types, written


def test_reasoning_is_a_summary_or_the_models_own_words():
    """Each in its own events; attachments in the slot that callers echo (trap 65)."""
    opaque = (Opaque("signature", b"S1", ORIGIN),)
    found = written(
        answer_events(
            Reasoning("Sum.", ReasoningForm.SUMMARY, opaque=opaque),
            Reasoning("Raw.", ReasoningForm.FULL),
        )
    )
    assert [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "reasoning_text.delta",
        "reasoning_text.done",
        "content_part.done",
        "output_item.done",
    ] == types(found)[2:-1]
    first, second = found[-1]["response"]["output"]
    assert ([{"type": "summary_text", "text": "Sum."}], "S1") == (
        first["summary"],
        first["encrypted_content"],
    )
    assert ([], [{"type": "reasoning_text", "text": "Raw."}], None) == (
        second["summary"],
        second["content"],
        second["encrypted_content"],
    )


def test_callers_who_ask_for_a_summary_get_the_reasoning_there():
    """Their clients look nowhere else."""
    request = Conversation(
        shape="responses", model="fast", reasoning=ReasoningSettings(effort=Effort.LOW, shown=True)
    )
    found = written(answer_events(Reasoning("Raw.", ReasoningForm.FULL)), request=request)
    (item,) = found[-1]["response"]["output"]
    assert [{"type": "summary_text", "text": "Raw."}] == item["summary"]


@pytest.mark.parametrize(
    ("form", "kind", "sealed"),
    [
        (ReasoningForm.FULL, "signature", "S+Raw."),
        (ReasoningForm.SUMMARY, "signature", "S"),
        (ReasoningForm.FULL, "reasoning_item", "S"),
    ],
)
def test_the_models_own_words_are_sealed_with_what_signs_them(form, kind, sealed):
    """Clients send summaries back and keep raw words; a whole item has them in it."""
    part = Reasoning("Raw.", form, opaque=(Opaque(kind, b"S", ORIGIN),))
    (item,) = written(answer_events(part))[-1]["response"]["output"]
    assert sealed == item["encrypted_content"]


def test_hidden_reasoning_is_an_item_only_if_there_is_something_to_carry():
    """No empty items; a sealed one has neither summary nor words."""
    opaque = (Opaque("redacted", b"R", ORIGIN),)
    found = written(
        answer_events(
            Reasoning("", ReasoningForm.HIDDEN), Reasoning("", ReasoningForm.HIDDEN, opaque=opaque)
        )
    )
    (item,) = found[-1]["response"]["output"]
    assert ("R", []) == (item["encrypted_content"], item["summary"])


def test_a_wrapped_custom_call_is_unwrapped():
    """Free text comes back as free text, whatever the target made of the tool (trap 71)."""
    request = Conversation(shape="responses", model="fast", tools=(CustomTool("apply_patch"),))
    events = answer_events(ToolCall("a", "apply_patch", '{"input":"*** Begin\\n"}'))
    found = written(events, request=request)
    assert [
        "output_item.added",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "output_item.done",
    ] == types(found)[2:-1]
    assert {
        "id": "ctc_0a1B_0",
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": "a",
        "name": "apply_patch",
        "input": "*** Begin\n",
    } == found[-2]["item"]


@pytest.mark.parametrize("arguments", ['{"inp', '{"input":1}', '{"text":"x"}', "free"])
def test_a_custom_call_that_breaks_its_wrapping_keeps_its_words(arguments):
    """Running a tool with nothing would be worse."""
    request = Conversation(shape="responses", model="fast", tools=(CustomTool("patch"),))
    found = written(answer_events(ToolCall("a", "patch", arguments)), request=request)
    assert arguments == found[-2]["item"]["input"]


def test_a_flattened_name_gets_its_namespace_back():
    """The caller declared it so (trap 72)."""
    tools = (FunctionTool("spawn", namespace="agents"), FunctionTool("spawn"))
    request = Conversation(shape="responses", model="fast", tools=tools)
    found = written(
        answer_events(ToolCall("a", "agents__spawn", "{}"), ToolCall("b", "spawn", "{}")),
        request=request,
    )
    first, second = found[-1]["response"]["output"]
    assert ("spawn", "agents") == (first["name"], first["namespace"])
    assert "spawn" == second["name"]
    assert "namespace" not in second


def test_citations_and_probabilities_ride_on_their_text():
    """As events while it is said, as members in the end; none with offsets made up."""
    cited = Citation("https://example.org", "E", 0, 2)
    nowhere = Citation(title="A book", quoted="…")
    found = written(
        [
            Start(),
            PartStart(0, Text("")),
            Delta(0, "Hi"),
            Cited(0, cited),
            Cited(0, nowhere),
            PartEnd(0),
            Finished(STOP),
            Done(),
        ]
    )
    row = {
        "type": "url_citation",
        "url": "https://example.org",
        "title": "E",
        "start_index": 0,
        "end_index": 2,
    }
    added = [one for one in found if one["type"].endswith("annotation.added")]
    assert [(0, row)] == [(one["annotation_index"], one["annotation"]) for one in added]
    assert [row] == found[-1]["response"]["output"][0]["content"][0]["annotations"]


def test_what_only_this_shape_has_goes_through_and_of_others_only_searches():
    """A vendor's own item verbatim, in one line; pictures as this shape makes them."""
    item = b'{"id":"ws_1",\n "type":"web_search_call","status":"completed"}'
    found = written(
        answer_events(
            VendorPart(Native("responses", item), "web_search_call"),
            VendorPart(Native("messages", b"{}"), "server_tool_use", "searched", ("q",)),
            VendorPart(Native("messages", b"{}"), "web_search_tool_result", "found"),
            Image(Inline("image/png", "AAAA")),
        )
    )
    output = found[-1]["response"]["output"]
    assert ["web_search_call", "web_search_call", "image_generation_call"] == [
        one["type"] for one in output
    ]
    assert ("ws_1", "q", "AAAA") == (
        output[0]["id"],
        output[1]["action"]["query"],
        output[2]["result"],
    )
