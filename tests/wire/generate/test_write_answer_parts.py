"""Parts of an answer as callers of the shape read them."""

import json

import pytest

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.opaque import (
    EXTRA_CONTENT,
    REASONING_ITEM,
    SIGNATURE,
    THOUGHT_SIGNATURE,
    Opaque,
)
from trivium.conversation.parts import (
    Audio,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.wire.generate import write_answer_parts


@pytest.mark.parametrize(
    ("part", "member"),
    [
        (Text(text="a"), {"text": "a"}),
        (Text(text=""), None),
        (Refusal(text="No."), {"text": "No."}),
        (Reasoning(text="a", form=ReasoningForm.SUMMARY), {"text": "a", "thought": True}),
        (Reasoning(text="", form=ReasoningForm.HIDDEN), None),
        (Image(source=Inline("image/png", "AAAA")), {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}),
        (Audio(source=None, transcript="said", id="x"), {"text": "said"}),
        (Audio(source=None, id="x"), None),
        (VendorPart(native=Native("generate", b'{"hologram":{"a":1}}'), kind="hologram"), {"hologram": {"a": 1}}),
        (VendorPart(native=Native("messages", b"{}"), kind="search", text="searched"), None),
        (VendorPart(native=Native("messages", b"{}"), kind="search"), None),
    ],
)  # fmt: skip
def test_every_part_has_its_form(part, member):
    """Nothing is shown where there is nothing to show."""
    found = write_answer_parts.plain(part)
    assert member == (found if found is None else json.loads(json.dumps(found, default=json_raw)))


def json_raw(raw):
    return json.loads(bytes(raw))


@pytest.mark.parametrize(
    ("call", "arguments", "args", "whole"),
    [
        (ToolCall(id="1", name="f"), '{"a": 1.0}', b'{"a":1.0}', True),
        (ToolCall(id="1", name="f"), "", b"{}", True),
        (ToolCall(id="1", name="f"), '{"a', b'{"_raw":"{\\"a"}', False),
        (ToolCall(id="1", name="f"), "[1]", b'{"_raw":"[1]"}', False),
        (ToolCall(id="1", name="f", kind=CallKind.CUSTOM), "ls -l", b'{"input":"ls -l"}', True),
    ],
)
def test_arguments_are_an_object(call, arguments, args, whole):
    """Trap 2: broken text is never an empty object."""
    member, found = write_answer_parts.call(call, arguments)
    assert (args, whole) == (bytes(member["functionCall"]["args"]), found)


def test_a_call_without_an_id_has_none():
    """No empty member."""
    assert ["name", "args"] == list(
        write_answer_parts.call(ToolCall(id="", name="f"), "")[0]["functionCall"]
    )


def test_signatures_of_reasoning_ride_and_the_others_stay():
    """Callers keep calls whole and drop thoughts."""
    kinds = (SIGNATURE, THOUGHT_SIGNATURE, REASONING_ITEM, EXTRA_CONTENT)
    own, later = write_answer_parts.riding(tuple(Opaque(kind, b"x") for kind in kinds))
    assert [THOUGHT_SIGNATURE, EXTRA_CONTENT] == [one.kind for one in own]
    assert [SIGNATURE, REASONING_ITEM] == [one.kind for one in later]
