"""Messages as turns."""

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role
from trivium.conversation.parts import Document, Image, Reasoning, Text
from trivium.faults import Fault

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}


def body(*messages):
    """A request of these messages."""
    return {"model": "m", "messages": list(messages)}


def test_every_role(read):
    """In place, each its own turn."""
    turns = read(
        body(
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "u"}]},
            {"role": "assistant", "tool_plan": "p", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "12"},
        )
    ).turns
    assert [turn.role for turn in turns] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    plan, call = turns[2].parts
    assert (plan, call) == (Text("p"), ToolCall("c1", "look", '{"a":1}'))
    assert turns[3].parts == (ToolResult("c1", (Text("12"),)),)


def test_thinking_and_what_is_sealed_on_it(read):
    """The signature is ours, and opens."""
    said = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "sealed:cw=="},
            {"type": "text", "text": "a"},
        ],
    }
    thought, text = read(body({"role": "user", "content": "q"}, said)).turns[1].parts
    assert isinstance(thought, Reasoning)
    assert (thought.text, thought.opaque[0].data, text) == ("Hm.", b"s", Text("a"))


def test_citations_lie_on_their_texts(read):
    """By the number of the block, or on the plan; one of nothing is kept apart."""
    rows = [
        {"start": 0, "end": 1, "content_index": 1},
        {"start": 0, "end": 1, "type": "PLAN"},
        {"start": 0, "end": 1, "content_index": 9},
    ]
    said = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "a"}],
        "tool_plan": "p",
        "tool_calls": [CALL],
        "citations": rows,
    }
    found = read(body({"role": "user", "content": "q"}, said))
    _, text, plan, _ = found.turns[1].parts
    assert len(text.citations) == len(plan.citations) == 1
    assert [one.member for one in found.extensions] == ["messages[1].citations[2]"]


def test_pictures_and_documents(read):
    """Of the user's, and in results of tools."""
    picture = {
        "type": "image_url",
        "image_url": {"url": "https://a.example/a.png", "detail": "low"},
    }
    result = [
        {"type": "text", "text": "found"},
        {"type": "document", "document": {"id": "d", "data": {"text": "x"}}},
    ]
    turns = read(
        body(
            {"role": "user", "content": [picture]},
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
        )
    ).turns
    (image,) = turns[0].parts
    assert isinstance(image, Image)
    assert image.detail == "low"
    _, document = turns[2].parts[0].parts
    assert isinstance(document, Document)
    assert document.title == "d"


def test_members_that_only_it_has_are_kept_apart(read):
    """So that their loss can be told."""
    found = read(body({"role": "user", "content": "q", "mood": 1}))
    assert [one.member for one in found.extensions] == ["messages[0].mood"]


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ({"role": "developer", "content": "a"}, "messages[0].role"),
        ({"content": "a"}, "messages[0].role"),
        ({"role": "user"}, "messages[0].content"),
        ({"role": "user", "content": [{"type": "thinking"}]}, "messages[0].content[0].type"),
        ({"role": "user", "content": 7}, "messages[0].content"),
        ({"role": "assistant", "content": [{"type": "image_url"}]}, "messages[0].content[0].type"),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "messages[0].tool_calls[0].function"),
        ({"role": "tool", "content": "a"}, "messages[0].tool_call_id"),
        (
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "image"}]},
            "messages[0].content[0].type",
        ),
        ("hello", "messages[0]"),
    ],
)
def test_what_is_wrong_is_named(read, message, param):
    """With its path in the body."""
    with pytest.raises(Fault) as caught:
        read(body(message))
    assert caught.value.param == param


def test_no_messages(read):
    """There must be one."""
    with pytest.raises(Fault):
        read(body())
