"""Responses requests: what is read, what the specification limits, what is left alone."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members
from trivium.wire.responses.passage import PASSAGE
from trivium.wire.responses.request import facts


def body(**more):
    return members(msgspec.json.encode({"model": "m", "input": "x"} | more))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, RequestFacts(model="m")),
        (
            {"stream": True, "max_output_tokens": 9},
            RequestFacts(model="m", stream=True, output_max=9),
        ),
        (
            {"input": [{"role": "user", "content": "x"}], "background": False},
            RequestFacts(model="m"),
        ),
        ({"input": None, "previous_response_id": "resp_1"}, RequestFacts(model="m")),
        ({"input": None, "prompt": {"id": "p"}}, RequestFacts(model="m")),
    ],
)
def test_a_request_says_what_it_wants(more, expected):
    """A stored prompt or an earlier response can stand in for the input."""
    assert expected == facts(body(**more))


REFUSED = [
    ({"input": None}, Kind.MISSING_MEMBER, "input"),
    ({"input": 5}, Kind.INVALID_TYPE, "input"),
    ({"background": True}, Kind.UNREPRESENTABLE, "background"),
    ({"max_output_tokens": 0}, Kind.INVALID_VALUE, "max_output_tokens"),
    ({"tools": [{"type": "function"}]}, Kind.MISSING_MEMBER, "tools[0].name"),
    ({"tools": [{"type": "custom", "name": "a b"}]}, Kind.INVALID_VALUE, "tools[0].name"),
    ({"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "."}]}]},
     Kind.INVALID_VALUE, "tools[0].tools[0].name"),
    ({"tool_choice": {"type": "function"}}, Kind.MISSING_MEMBER, "tool_choice.name"),
    ({"tool_choice": {"type": "allowed_tools", "mode": "auto"}}, Kind.MISSING_MEMBER, "tool_choice.tools"),
    ({"text": {"format": {"type": "json_schema"}}}, Kind.MISSING_MEMBER, "text.format.name"),
    ({"text": {"format": {"type": "json_schema", "name": "a b"}}}, Kind.INVALID_VALUE, "text.format.name"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "kind", "param"), REFUSED)
def test_what_the_specification_limits_is_refused_by_name(more, kind, param):
    """Tools are flat here."""
    with pytest.raises(Fault) as caught:
        facts(body(**more))
    assert (kind, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "web_search"}, {"type": "x_new", "name": "a b"}]},
        {"tools": [{"type": "function", "name": "n" * 128}], "tool_choice": "required"},
        {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "x_new", "name": "."}]}]},
        {"tool_choice": {"type": "mcp", "server_label": "s", "name": "a.b"}},
        {"text": {"verbosity": "low"}, "client_metadata": {"x": 1}, "include": ["a"]},
    ],
)
def test_what_it_does_not_limit_travels(more):
    """Hosted tools, unknown members, Codex's own."""
    assert "m" == facts(body(**more)).model


def test_only_the_models_name_is_replaced():
    """Usage is in the final event, asked for or not."""
    asked = body(stream=True)
    assert {} == PASSAGE.changes(asked, facts(asked), "m", True)
    assert {"model": b'"own"'} == PASSAGE.changes(asked, facts(asked), "own", True)
