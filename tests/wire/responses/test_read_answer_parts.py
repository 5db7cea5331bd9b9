"""Output items as parts."""

import json

import pytest

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    VendorPart,
)
from trivium.wire.codec import AnswerContext
from trivium.wire.responses import read_answer_parts
from trivium.wire.responses.answer_structs import IncompleteReason

ORIGIN = StateOrigin("responses", "openai", "main")
CONTEXT = AnswerContext(origin=ORIGIN, model="m")


def parts(item):
    return read_answer_parts.parts(json.dumps(item).encode(), CONTEXT)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "message", "content": [{"type": "hologram"}, {"type": "refusal"}]},
            [Refusal("")],
        ),
        ({"type": "message"}, []),
        ({"type": "function_call", "id": "fc_1", "name": "f"}, [ToolCall("fc_1", "f")]),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "p", "input": "x"},
            [ToolCall("c", "p", "x", CallKind.CUSTOM)],
        ),
        ({"type": "reasoning", "summary": []}, []),
        (
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "s"}],
                "content": [{"type": "reasoning_text", "text": "r"}],
            },
            [Reasoning("s", ReasoningForm.SUMMARY), Reasoning("r", ReasoningForm.FULL)],
        ),
        (
            {"type": "image_generation_call", "result": "AAAA"},
            [Image(Inline("image/png", "AAAA"))],
        ),
        (
            {"type": "code_interpreter_call", "code": "1+1"},
            [
                VendorPart(
                    Native("responses", b'{"type": "code_interpreter_call", "code": "1+1"}'),
                    "code_interpreter_call",
                    "1+1",
                )
            ],
        ),
        ({"id": "x"}, []),
        ([], []),
    ],
)
def test_an_item_says_its_parts(item, expected):
    """What cannot be read says nothing."""
    assert expected == parts(item)


def test_sealed_reasoning_is_kept_as_its_maker_wants_it_back():
    """Without members of the answer that no request takes, such as a status."""
    item = {
        "id": "rs_1",
        "type": "reasoning",
        "status": "completed",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "r"}],
        "encrypted_content": "g",
    }
    (part,) = parts(item)
    back = (
        b'{"type":"reasoning","id":"rs_1","summary":[],'
        b'"content":[{"type":"reasoning_text","text":"r"}],"encrypted_content":"g"}'
    )
    assert (Opaque("reasoning_item", back, ORIGIN, "m"),) == part.opaque


@pytest.mark.parametrize(
    ("status", "reason", "called", "expected"),
    [
        ("completed", None, False, Finish(Unified.STOP, "completed")),
        ("completed", None, True, Finish(Unified.TOOL_CALLS, "completed")),
        (
            "incomplete",
            "max_output_tokens",
            True,
            Finish(Unified.LENGTH, "max_output_tokens"),
        ),
        (
            "incomplete",
            "content_filter",
            False,
            Finish(Unified.CONTENT_FILTER, "content_filter"),
        ),
        ("incomplete", "steered", False, Finish(Unified.OTHER, "steered")),
        ("incomplete", None, False, Finish(Unified.OTHER, "incomplete")),
    ],
)
def test_why_an_answer_ended(status, reason, called, expected):
    """A word that is not known is never a good end."""
    assert expected == read_answer_parts.finish(status, IncompleteReason(reason), called=called)
