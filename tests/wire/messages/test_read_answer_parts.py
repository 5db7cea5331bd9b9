"""Content blocks of an answer, read tolerantly."""

import json

import msgspec
import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Native, Reasoning, ReasoningForm, Text
from trivium.wire.codec import AnswerContext
from trivium.wire.messages.read_answer_parts import attached, extra, part, rendering

CONTEXT = AnswerContext(origin=StateOrigin("messages", "anthropic", "main"), model="claude-x")


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "text", "text": None}, Text("")),
        ({"type": "thinking", "thinking": ""}, Reasoning("", ReasoningForm.HIDDEN)),
        ({"type": "thinking", "thinking": "Hm", "signature": None}, Reasoning("Hm")),
        ({"type": "tool_use", "id": "a", "name": "f"}, ToolCall("a", "f", "{}")),
        ({"type": "tool_use", "id": "a", "name": "f", "input": None}, ToolCall("a", "f", "{}")),
        (
            {"type": "tool_use", "id": "a", "name": "f", "input": {"_raw": '{"x'}},
            ToolCall("a", "f", '{"x'),
        ),
        (
            {"type": "tool_use", "id": "a", "name": "f", "caller": {"type": "direct"}},
            ToolCall("a", "f", "{}", native=Native("messages", b'{"caller":{"type": "direct"}}')),
        ),
    ],
)
def test_what_is_missing_is_empty(block, expected):
    """Relays leave members out; broken arguments that we wrapped are what they were."""
    assert expected == part(json.dumps(block).encode(), CONTEXT)


def test_attachments_know_their_maker():
    """Channel and model; nothing is attached where there is nothing."""
    (found,) = attached("signature", "c2ln", CONTEXT)
    assert (b"c2ln", CONTEXT.origin, "claude-x") == (found.data, found.origin, found.model)
    assert () == attached("signature", "", CONTEXT) == attached("signature", None, CONTEXT)


def test_members_no_other_shape_has_are_kept_together():
    """None of them is no member."""
    assert None is extra(msgspec.Raw(), msgspec.Raw(b"null"))


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (
            {"type": "server_tool_use", "name": "web_search", "input": {"query": "cats"}},
            "web_search: cats",
        ),
        ({"type": "server_tool_use", "name": "web_fetch", "input": {"url": "u"}}, "web_fetch: u"),
        ({"type": "server_tool_use", "name": "web_search", "input": {}}, ""),
        (
            {"type": "web_search_tool_result", "content": [{"title": "A", "url": "u"}, 5]},
            "A: u",
        ),
        ({"type": "web_search_tool_result", "content": {"error_code": "x"}}, ""),
        ({"type": "bash_code_execution_tool_result", "content": {"stdout": "out"}}, "out"),
        ({"type": "compaction", "content": "Summary."}, "Summary."),
        ({"type": "tool_reference", "tool_name": "mcp__files__read"}, "mcp__files__read"),
        ({"type": "hologram"}, ""),
    ],
)
def test_vendors_blocks_say_what_people_can_read(block, words):
    """That is what stands for them where nobody knows the block."""
    assert words == rendering(block)
