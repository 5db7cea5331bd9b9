"""Declared tools and the choice among them."""

import json

import pytest

from trivium.conversation.losses import Rank
from trivium.conversation.parts import Native
from trivium.conversation.request import Extension
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    Grammar,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)
from trivium.faults import Fault, Kind
from trivium.wire.responses import read_tools


def read(*tools):
    extensions = []
    return read_tools.tools(json.dumps(tools).encode(), "tools", extensions), extensions


def native(value):
    return Native("responses", json.dumps(value).encode())


SEARCH = {
    "type": "web_search",
    "filters": {"allowed_domains": ["a.org"]},
    "user_location": {"type": "approximate", "city": "Bern", "region": None},
    "search_context_size": "low",
}


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ({"type": "function", "name": "f"}, FunctionTool("f")),
        (
            {"type": "function", "name": "f", "parameters": None, "strict": None},
            FunctionTool("f"),
        ),
        (
            {
                "type": "function",
                "name": "f",
                "description": "d",
                "parameters": {"type": "object"},
                "strict": False,
            },
            FunctionTool("f", "d", b'{"type": "object"}', False),
        ),
        (
            {"type": "function", "name": "f", "defer_loading": True},
            FunctionTool("f", native=Native("responses", b'{"defer_loading":true}')),
        ),
        ({"type": "custom", "name": "c", "format": {"type": "text"}}, CustomTool("c")),
        (
            {
                "type": "custom",
                "name": "c",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
            },
            CustomTool("c", None, Grammar("lark", "start: /x/")),
        ),
        (
            SEARCH,
            ServerTool(
                ServerKind.WEB_SEARCH,
                native(SEARCH),
                allowed_domains=("a.org",),
                user_location=b'{"city":"Bern"}',
                context_size="low",
            ),
        ),
        (
            {"type": "code_interpreter", "container": {"type": "auto"}},
            ServerTool(
                ServerKind.CODE, native({"type": "code_interpreter", "container": {"type": "auto"}})
            ),
        ),
        (
            {"type": "mcp", "server_label": "x"},
            VendorTool("mcp", native({"type": "mcp", "server_label": "x"})),
        ),
    ],
)
def test_a_tool_is_read(tool, expected):
    """Functions and free text for everyone, hosted tools as the shape has them (trap 73)."""
    assert ([expected], []) == read(tool)


def test_a_namespace_is_flattened_and_remembered():
    """Its own description has no place elsewhere, and that is said (trap 72, Codex)."""
    found, extensions = read(
        {
            "type": "namespace",
            "name": "agents",
            "description": "Sub-agents.",
            "tools": [{"type": "function", "name": "spawn"}, {"type": "custom", "name": "tell"}],
        }
    )
    assert [
        FunctionTool("spawn", namespace="agents"),
        CustomTool("tell", namespace="agents"),
    ] == found
    assert [Extension("tools[0].description", b'"Sub-agents."', Rank.HINT)] == extensions


@pytest.mark.parametrize(
    ("tool", "kind", "param"),
    [
        ({"name": "f"}, Kind.MISSING_MEMBER, "tools[0].type"),
        ({"type": "function"}, Kind.MISSING_MEMBER, "tools[0].name"),
        ({"type": "function", "name": "a b"}, Kind.INVALID_VALUE, "tools[0].name"),
        (
            {"type": "function", "name": "f", "parameters": []},
            Kind.INVALID_TYPE,
            "tools[0].parameters",
        ),
        (
            {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark"}},
            Kind.MISSING_MEMBER,
            "tools[0].format.definition",
        ),
        (
            {"type": "namespace", "name": "n", "tools": [{"type": "mcp"}]},
            Kind.INVALID_VALUE,
            "tools[0].tools[0].type",
        ),
    ],
)
def test_a_wrong_tool_is_named(tool, kind, param):
    """By its place in the list."""
    with pytest.raises(Fault) as caught:
        read(tool)
    assert (kind, param) == (caught.value.kind, caught.value.param)


SUBSET = {
    "type": "allowed_tools",
    "mode": "required",
    "tools": [{"type": "function", "name": "f"}, {"type": "mcp", "server_label": "x"}],
}

SEARCHING = {
    "type": "allowed_tools",
    "mode": "auto",
    "tools": [{"type": "function", "name": "f"}, {"type": "web_search"}],
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("auto", ToolChoice(ChoiceMode.AUTO)),
        ("none", ToolChoice(ChoiceMode.NONE)),
        ("required", ToolChoice(ChoiceMode.REQUIRED)),
        ({"type": "function", "name": "f"}, ToolChoice(ChoiceMode.NAMED, ("f",))),
        ({"type": "custom", "name": "c"}, ToolChoice(ChoiceMode.NAMED, ("c",))),
        (
            {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "f"}, {"type": "custom", "name": "c"}],
            },
            ToolChoice(ChoiceMode.AUTO, ("f", "c")),
        ),
        (SUBSET, ToolChoice(ChoiceMode.REQUIRED, ("f",), native(SUBSET))),
        (SEARCHING, ToolChoice(ChoiceMode.AUTO, ("f", "web_search"), native(SEARCHING))),
        (
            {"type": "code_interpreter"},
            ToolChoice(ChoiceMode.NAMED, ("code_execution",), native({"type": "code_interpreter"})),
        ),
        (
            {"type": "image_generation"},
            ToolChoice(ChoiceMode.NAMED, native=native({"type": "image_generation"})),
        ),
    ],
)
def test_a_choice_is_read(value, expected):
    """One that names a vendor's own tool stays as it came."""
    assert expected == read_tools.choice(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "param"),
    [
        ("any", "tool_choice"),
        ({}, "tool_choice.type"),
        ({"type": "function"}, "tool_choice.name"),
        ({"type": "allowed_tools", "mode": "none", "tools": []}, "tool_choice.mode"),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, "tool_choice.tools"),
        (7, "tool_choice"),
    ],
)
def test_a_wrong_choice_is_named(value, param):
    """By its member."""
    with pytest.raises(Fault) as caught:
        read_tools.choice(json.dumps(value).encode())
    assert param == caught.value.param
