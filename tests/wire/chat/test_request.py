"""Chat requests: what is read, what the specification limits, what is left alone."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.chat.request import changes, facts
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members

SAID = [{"role": "user", "content": "x"}]


def body(**more):
    return members(msgspec.json.encode({"model": "m", "messages": SAID} | more))


READ = [
    ({}, RequestFacts(model="m")),
    ({"stream": True}, RequestFacts(model="m", stream=True)),
    ({"stream": None, "n": None}, RequestFacts(model="m")),
    ({"max_tokens": 5}, RequestFacts(model="m", output_max=5)),
    ({"max_tokens": 5, "max_completion_tokens": 7}, RequestFacts(model="m", output_max=7)),
    ({"max_tokens": 5, "n": 3}, RequestFacts(model="m", output_max=15, choices=3)),
    ({"stream": True, "stream_options": {"include_usage": True}},
     RequestFacts(model="m", stream=True, usage_wanted=True)),
    ({"messages": None, "input": "x"}, RequestFacts(model="m", foreign=True)),
    ({"messages": None, "input": "x", "max_output_tokens": 7}, RequestFacts(model="m", output_max=7, foreign=True)),
    ({"messages": None, "input": "x", "max_output_tokens": 7, "n": 2}, RequestFacts(model="m", output_max=14, choices=2, foreign=True)),
    ({"tools": [{"type": "function", "name": "f"}]}, RequestFacts(model="m", foreign=True)),
    ({"tools": [{"name": "f", "input_schema": {}}]}, RequestFacts(model="m", foreign=True)),
    ({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]},
     RequestFacts(model="m", foreign=True)),
    ({"messages": [{"role": "user", "content": '"type":"tool_use"'}]}, RequestFacts(model="m")),
    ({"messages": [{"role": "user", "content": "x", "name": "tool_use"}]}, RequestFacts(model="m")),
]  # fmt: skip


@pytest.mark.parametrize(("more", "expected"), READ)
def test_a_request_says_what_it_wants(more, expected):
    """Null is absent; the newer limit wins; a limit holds for each choice."""
    assert expected == facts(body(**more))


def named(name):
    return {"type": "function", "function": {"name": name}}


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
REFUSED = [
    ({"messages": None}, Kind.MISSING_MEMBER, "messages"),
    ({"messages": "hi"}, Kind.INVALID_TYPE, "messages"),
    ({"messages": []}, Kind.INVALID_VALUE, "messages"),
    ({"max_tokens": 0}, Kind.INVALID_VALUE, "max_tokens"),
    ({"max_completion_tokens": -1}, Kind.INVALID_VALUE, "max_completion_tokens"),
    ({"n": 0}, Kind.INVALID_VALUE, "n"),
    ({"stream": 1}, Kind.INVALID_TYPE, "stream"),
    ({"tools": [named("ok"), named("a" * 65)]}, Kind.INVALID_VALUE, "tools[1].function.name"),
    ({"tools": [named("a.b")]}, Kind.INVALID_VALUE, "tools[0].function.name"),
    ({"tools": [{"type": "function"}]}, Kind.MISSING_MEMBER, "tools[0].function"),
    ({"tools": [{"type": "custom"}]}, Kind.MISSING_MEMBER, "tools[0].custom"),
    ({"tools": [{"type": "custom", "custom": {"name": ""}}]}, Kind.INVALID_VALUE, "tools[0].custom.name"),
    ({"tools": {}}, Kind.INVALID_TYPE, "tools"),
    ({"functions": [{"name": "ü"}]}, Kind.INVALID_VALUE, "functions[0].name"),
    ({"functions": [{}]}, Kind.MISSING_MEMBER, "functions[0].name"),
    ({"function_call": {}}, Kind.MISSING_MEMBER, "function_call.name"),
    ({"tool_choice": {"type": "function"}}, Kind.MISSING_MEMBER, "tool_choice.function"),
    ({"tool_choice": {"type": "function", "function": {}}}, Kind.MISSING_MEMBER,
     "tool_choice.function.name"),
    ({"tool_choice": {"type": "allowed_tools"}}, Kind.MISSING_MEMBER, "tool_choice.allowed_tools"),
    ({"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "all", "tools": []}}},
     Kind.INVALID_VALUE, "tool_choice.allowed_tools.mode"),
    ({"response_format": {"type": "json_schema", "json_schema": {"name": "a b"}}},
     Kind.INVALID_VALUE, "response_format.json_schema.name"),
    ({"messages": [{"role": "assistant", "tool_calls": [CALL, {"type": "function"}]}]},
     Kind.MISSING_MEMBER, "messages[0].tool_calls[1].id"),
    ({"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "type": "custom"}]}]},
     Kind.MISSING_MEMBER, "messages[0].tool_calls[0].custom"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "kind", "param"), REFUSED)
def test_what_the_specification_limits_is_refused_by_name(more, kind, param):
    """On the pass-through lane as well."""
    with pytest.raises(Fault) as caught:
        facts(body(**more))
    assert (kind, param) == (caught.value.kind, caught.value.param)


ACCEPTED = [
    {"tools": [named("a-Z_0" * 12)], "tool_choice": "auto"},
    {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{}]}}},
    {"tools": [{"type": "web_search", "x": 1}], "function_call": "none"},
    {"response_format": {"type": "json_object"}},
    {"messages": [{"role": "assistant", "content": None, "tool_calls": []}]},
    {"messages": [{"role": "assistant", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "n" * 90, "arguments": ""}}]}]},
    {"x_unknown": {"deep": [1]}, "temperature": "hot"},
]  # fmt: skip


@pytest.mark.parametrize("more", ACCEPTED)
def test_what_it_does_not_limit_travels(more):
    """Unknown tools, odd values, and names that other vendors put into a history."""
    assert "m" == facts(body(**more)).model


def test_changes_are_the_model_and_the_question_for_usage():
    """Both only where needed."""
    asked = body(stream=True)
    told = facts(asked)
    assert {} == changes(asked, told, "m", False)
    assert {"model", "stream_options"} == set(changes(asked, told, "own", True))
    assert {"model": b'"own"'} == changes(body(), facts(body()), "own", True)
