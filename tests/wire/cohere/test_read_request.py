"""Requests as conversations: every member of the SDK's."""

import inspect

import cohere.v2.client
import pytest

from trivium.conversation.losses import Rank
from trivium.conversation.parts import Document, Text
from trivium.conversation.request import FormatKind, ReasoningSettings, Sampling, Thinking
from trivium.conversation.tools import ChoiceMode, FunctionTool
from trivium.faults import Fault
from trivium.wire.cohere.read_request import read as read_request

HELLO = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
EVERY = {
    "tools": [TOOL],
    "strict_tools": True,
    "documents": ["x"],
    "citation_options": {"mode": "FAST"},
    "response_format": {"type": "json_object", "json_schema": {"type": "object"}},
    "safety_mode": "STRICT",
    "max_tokens": 64,
    "stop_sequences": ["END"],
    "temperature": 0.5,
    "seed": 7,
    "frequency_penalty": 0.25,
    "presence_penalty": 0.5,
    "k": 9,
    "p": 0.9,
    "logprobs": True,
    "tool_choice": "REQUIRED",
    "thinking": {"type": "enabled", "token_budget": 2048},
    "priority": 3,
}


def test_every_member_of_the_sdk_is_tried_here():
    """What a new version of it has is missed at once."""
    known = set(inspect.signature(cohere.v2.client.V2Client.chat).parameters)
    assert known - {"self", "request_options"} == {*EVERY, *HELLO}


def test_every_member(read):
    """Each in its place; what no other shape has is an extension."""
    found = read(HELLO | EVERY | {"stream": True})
    assert found.tools == (FunctionTool("look", None, b'{"type": "object"}', True),)
    assert found.sampling == Sampling(0.5, 0.9, 9, 0.25, 0.5, 7)
    assert (found.output_max, found.stop, found.logprobs, found.stream) == (
        64,
        ("END",),
        True,
        True,
    )
    assert found.reasoning == ReasoningSettings(Thinking.ON, budget=2048, shown=True)
    assert found.format.kind is FormatKind.SCHEMA
    assert found.tool_choice.mode is ChoiceMode.REQUIRED
    document, text = found.turns[0].parts
    assert isinstance(document, Document)
    assert document.citable
    assert text == Text("hi")
    assert {one.member: one.rank for one in found.extensions} == dict.fromkeys(
        ("citation_options", "safety_mode", "priority"), Rank.HINT
    )


def test_what_asks_for_nothing(read):
    """Null is absent, and 0 is how k says so."""
    found = read(HELLO | dict.fromkeys(EVERY) | {"k": 0})
    assert found == read(HELLO)


def test_thinking_and_citing_switched_off(read):
    """Both are on where nothing is said."""
    found = read(
        HELLO
        | {
            "thinking": {"type": "disabled"},
            "documents": ["x"],
            "citation_options": {"mode": "OFF"},
        }
    )
    assert found.reasoning == ReasoningSettings(Thinking.OFF)
    assert not found.turns[0].parts[0].citable
    thinks = read(HELLO | {"thinking": {"type": "enabled"}}).reasoning
    assert thinks == ReasoningSettings(Thinking.ADAPTIVE, shown=True)


@pytest.mark.parametrize(
    ("member", "value", "param"),
    [
        ("temperature", -1, "temperature"),
        ("temperature", "warm", "temperature"),
        ("p", 1.5, "p"),
        ("k", 501, "k"),
        ("k", 1.5, "k"),
        ("frequency_penalty", 2, "frequency_penalty"),
        ("seed", "x", "seed"),
        ("max_tokens", 0, "max_tokens"),
        ("stop_sequences", ["a"] * 6, "stop_sequences"),
        ("stop_sequences", [7], "stop_sequences[0]"),
        ("stop_sequences", "END", "stop_sequences"),
        ("tool_choice", "auto", "tool_choice"),
        ("tools", [{"type": "web"}], "tools[0].type"),
        ("tools", [{"type": "function"}], "tools[0].function"),
        ("tools", [{"function": {}}], "tools[0].function.name"),
        ("tools", [{"function": {"name": "a", "parameters": 7}}], "tools[0].function.parameters"),
        ("strict_tools", 1, None),
        ("thinking", {"type": "maybe"}, "thinking.type"),
        ("thinking", {"type": "enabled", "token_budget": 0}, "thinking.token_budget"),
        ("response_format", {"type": "xml"}, "response_format.type"),
        ("response_format", {}, "response_format.type"),
        (
            "response_format",
            {"type": "json_object", "json_schema": 7},
            "response_format.json_schema",
        ),
        ("citation_options", {"mode": "LOUD"}, "citation_options.mode"),
        ("safety_mode", "NONE", "safety_mode"),
        ("priority", -1, "priority"),
        ("logprobs", 1, "logprobs"),
        ("documents", [7], "documents[0]"),
        ("documents", "x", "documents"),
    ],
)
def test_what_is_wrong_is_named(read, member, value, param):
    """With what would be right."""
    if param is None:
        read(HELLO | {member: value})  # nothing reads it where there are no tools
        return
    with pytest.raises(Fault) as caught:
        read(HELLO | {member: value})
    assert caught.value.param == param


@pytest.mark.parametrize("name", ["model", "messages"])
def test_what_must_be_there(read, name):
    """Both of them."""
    with pytest.raises(Fault) as caught:
        read({key: value for key, value in HELLO.items() if key != name})
    assert caught.value.param == name


def test_documents_need_somebody_who_speaks(read):
    """They are parts of what the user says."""
    body = {"model": "m", "messages": [{"role": "system", "content": "s"}], "documents": ["x"]}
    with pytest.raises(Fault) as caught:
        read(body)
    assert caught.value.param == "messages"
    assert callable(read_request)
