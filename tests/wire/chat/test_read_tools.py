"""Tools and choices among them, in the shape's own spelling and in those agents send."""

import pytest

from trivium.conversation.losses import Rank
from trivium.conversation.parts import CacheMark, Native
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

SCHEMA = {"type": "object"}
TOOLS = [
    pytest.param(
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}},
        FunctionTool("f", "d", b'{"type":"object"}'),
        id="function",
    ),
    pytest.param(
        {"type": "function", "function": {"name": "f", "strict": True, "parameters": None}},
        FunctionTool("f", strict=True),
        id="strict",
    ),
    pytest.param(
        {"type": "function", "function": {"name": "f"}, "cache_control": {"type": "ephemeral"}},
        FunctionTool("f", cache=CacheMark()),
        id="cached",
    ),
    pytest.param(
        {"type": "function", "name": "f", "parameters": SCHEMA, "strict": False},
        FunctionTool("f", None, b'{"type":"object"}', strict=False),
        id="trap-216-flat",
    ),
    pytest.param(
        {"name": "f", "description": "d", "input_schema": SCHEMA},
        FunctionTool("f", "d", b'{"type":"object"}'),
        id="trap-216-anthropic",
    ),
    pytest.param(
        {"type": "custom", "custom": {"name": "p", "format": {"type": "text"}}},
        CustomTool("p"),
        id="custom",
    ),
    pytest.param(
        {
            "type": "custom",
            "custom": {
                "name": "p",
                "description": "d",
                "format": {
                    "type": "grammar",
                    "grammar": {"syntax": "lark", "definition": "start: X"},
                },
            },
        },
        CustomTool("p", "d", Grammar("lark", "start: X")),
        id="grammar",
    ),
    pytest.param(
        {
            "type": "custom",
            "name": "p",
            "format": {"type": "grammar", "syntax": "regex", "definition": "a+"},
        },
        CustomTool("p", None, Grammar("regex", "a+")),
        id="trap-216-flat-custom",
    ),
    pytest.param(
        {"type": "web_search", "x": 1},
        VendorTool("web_search", Native("chat", b'{"type":"web_search","x":1}')),
        id="vendor",
    ),
]


@pytest.mark.parametrize(("tool", "expected"), TOOLS)
def test_a_tool_is_read(asked, tool, expected):
    """Whatever its spelling, it is one of the canonical kinds."""
    assert (expected,) == asked(tools=[tool]).tools


CHOICES = [
    ("auto", ToolChoice(ChoiceMode.AUTO)),
    ("none", ToolChoice(ChoiceMode.NONE)),
    ("required", ToolChoice(ChoiceMode.REQUIRED)),
    ("any", ToolChoice(ChoiceMode.REQUIRED)),
    ({"type": "any"}, ToolChoice(ChoiceMode.REQUIRED)),
    ({"type": "function", "function": {"name": "f"}}, ToolChoice(ChoiceMode.NAMED, ("f",))),
    ({"type": "custom", "custom": {"name": "p"}}, ToolChoice(ChoiceMode.NAMED, ("p",))),
    ({"type": "function", "name": "f"}, ToolChoice(ChoiceMode.NAMED, ("f",))),
    ({"type": "tool", "name": "f"}, ToolChoice(ChoiceMode.NAMED, ("f",))),
    (
        {
            "type": "allowed_tools",
            "allowed_tools": {
                "mode": "required",
                "tools": [{"type": "function", "function": {"name": "f"}}],
            },
        },
        ToolChoice(ChoiceMode.REQUIRED, ("f",)),
    ),
    (
        {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
        ToolChoice(ChoiceMode.AUTO, ("f",)),
    ),
    (
        {"type": "mcp", "server_label": "x"},
        ToolChoice(ChoiceMode.NAMED, (), Native("chat", b'{"type":"mcp","server_label":"x"}')),
    ),
]


@pytest.mark.parametrize(("choice", "expected"), CHOICES)
def test_trap_016_a_choice_is_read(asked, choice, expected):
    """The whole table, subsets included."""
    assert expected == asked(tool_choice=choice).tool_choice


def test_functions_are_tools(asked):
    """The deprecated members say the same."""
    found = asked(functions=[{"name": "f", "parameters": SCHEMA}], function_call={"name": "f"})
    assert (FunctionTool("f", None, b'{"type":"object"}'),) == found.tools
    assert ToolChoice(ChoiceMode.NAMED, ("f",)) == found.tool_choice


def test_web_search_options_are_a_tool_of_the_vendor(asked):
    """With size and place; an empty object is a wish as well."""
    place = {"type": "approximate", "approximate": {"city": "Rome"}}
    options = {"search_context_size": "low", "user_location": place}
    (found,) = asked(web_search_options=options).tools
    assert (ServerKind.WEB_SEARCH, "low", b'{"city":"Rome"}') == (
        found.kind,
        found.context_size,
        found.user_location,
    )
    (bare,) = asked(web_search_options={}).tools
    assert ServerTool(ServerKind.WEB_SEARCH, Native("chat", b"{}")) == bare


def test_unknown_members_of_a_function_are_kept_by_path(asked):
    """Their loss can then be reported."""
    tool = {"type": "function", "function": {"name": "f", "examples": [1]}}
    assert (Extension("tools[0].function.examples", b"[1]", Rank.HINT),) == asked(
        tools=[tool]
    ).extensions


@pytest.mark.parametrize(
    ("members", "param", "kind"),
    [
        ({"tools": {}}, "tools", Kind.INVALID_TYPE),
        ({"tools": [{"type": "function"}]}, "tools[0].function", Kind.MISSING_MEMBER),
        (
            {"tools": [{"type": "function", "function": {}}]},
            "tools[0].function.name",
            Kind.MISSING_MEMBER,
        ),
        (
            {"tools": [{"type": "function", "function": {"name": ""}}]},
            "tools[0].function.name",
            Kind.INVALID_VALUE,
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": []}}]},
            "tools[0].function.parameters",
            Kind.INVALID_TYPE,
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "strict": "yes"}}]},
            "tools[0].function.strict",
            Kind.INVALID_TYPE,
        ),
        ({"tool_choice": "maybe"}, "tool_choice", Kind.INVALID_VALUE),
        ({"tool_choice": 5}, "tool_choice", Kind.INVALID_TYPE),
        ({"tool_choice": {"type": "function"}}, "tool_choice.function", Kind.MISSING_MEMBER),
        (
            {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "none"}}},
            "tool_choice.allowed_tools.mode",
            Kind.INVALID_VALUE,
        ),
        (
            {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto"}}},
            "tool_choice.allowed_tools.tools",
            Kind.MISSING_MEMBER,
        ),
        ({"functions": [{}]}, "functions[0].name", Kind.MISSING_MEMBER),
        ({"web_search_options": 1}, "web_search_options", Kind.INVALID_TYPE),
    ],
)
def test_a_wrong_tool_is_named(asked, members, param, kind):
    """With the path of what is wrong."""
    with pytest.raises(Fault) as caught:
        asked(**members)
    assert (param, kind) == (caught.value.param, caught.value.kind)
