"""Tools as chat declares them."""

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.member_table import Concept
from trivium.conversation.parts import Native, Text
from trivium.conversation.target import ServerKind
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    Grammar,
    ServerTool,
    ToolChoice,
    VendorTool,
)
from trivium.faults import Fault, Kind

USER = Turn(Role.USER, (Text("Hi"),))
F = FunctionTool("f", "d", b'{"type":"object"}', strict=True)
SEARCH = {"server_tools": frozenset({ServerKind.WEB_SEARCH})}


def test_a_function_is_declared(written):
    """Without parameters the member is left out; strict only where it was said."""
    body = written(USER, tools=(F, FunctionTool("g")))
    assert [
        {
            "type": "function",
            "function": {
                "name": "f",
                "description": "d",
                "parameters": {"type": "object"},
                "strict": True,
            },
        },
        {"type": "function", "function": {"name": "g"}},
    ] == body["tools"]


def test_trap_071_a_custom_tool_is_a_function_with_one_input(written):
    """The grammar is kept in the description; targets that take custom tools get it as such."""
    tool = CustomTool("patch", "Edits.", Grammar("lark", "start: X"))
    (out,) = written(USER, tools=(tool,))["tools"]
    assert {
        "name": "patch",
        "description": "Edits.\n\nThe input must follow this lark grammar:\n\nstart: X",
        "parameters": {
            "type": "object",
            "properties": {"input": {"type": "string"}},
            "required": ["input"],
            "additionalProperties": False,
        },
    } == out["function"]
    (own,) = written(USER, tools=(tool,), facts={"custom_tools": True})["tools"]
    assert {
        "type": "custom",
        "custom": {
            "name": "patch",
            "description": "Edits.",
            "format": {
                "type": "grammar",
                "grammar": {"syntax": "lark", "definition": "start: X"},
            },
        },
    } == own


def test_trap_072_a_namespace_becomes_part_of_the_name(written):
    """The shape has none."""
    choice = ToolChoice(ChoiceMode.NAMED, ("f",))
    body = written(USER, tools=(FunctionTool("f", namespace="ns"),), tool_choice=choice)
    assert "ns__f" == body["tools"][0]["function"]["name"]
    assert "ns__f" == body["tool_choice"]["function"]["name"]


NAMED = {"type": "function", "function": {"name": "f"}}
CHOICES = [
    (ToolChoice(ChoiceMode.AUTO), "auto"),
    (ToolChoice(ChoiceMode.NONE), "none"),
    (ToolChoice(ChoiceMode.REQUIRED), "required"),
    (ToolChoice(ChoiceMode.VALIDATED), "auto"),
    (ToolChoice(ChoiceMode.NAMED, ("f",)), NAMED),
    (
        ToolChoice(ChoiceMode.REQUIRED, ("f",)),
        {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [NAMED]}},
    ),
    (
        ToolChoice(ChoiceMode.AUTO, ("f",)),
        {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NAMED]}},
    ),
    (ToolChoice(ChoiceMode.NAMED, (), Native("chat", b'{"type":"x"}')), {"type": "x"}),
]


@pytest.mark.parametrize(("choice", "expected"), CHOICES)
def test_trap_016_a_choice_is_written(written, choice, expected):
    """The whole table, subsets included."""
    assert expected == written(USER, tools=(F,), tool_choice=choice)["tool_choice"]


def test_a_choice_of_a_custom_tool_names_it_as_such(written):
    """Where the target takes custom tools."""
    choice = ToolChoice(ChoiceMode.NAMED, ("p",))
    body = written(USER, tools=(CustomTool("p"),), tool_choice=choice, facts={"custom_tools": True})
    assert {"type": "custom", "custom": {"name": "p"}} == body["tool_choice"]


def test_trap_017_the_parallel_switch_is_sent_only_when_asked(written):
    """Some servers refuse the member; without tools it is refused by all."""
    assert "parallel_tool_calls" not in written(USER, tools=(F,))
    body = written(USER, tools=(F,), parallel_calls=False)
    assert body["parallel_tool_calls"] is False
    without = written(USER, parallel_calls=False, tool_choice=ToolChoice(ChoiceMode.NONE))
    assert {"model", "messages"} == set(without)


def test_trap_021_the_vendors_own_search_is_used_where_there_is_one(written):
    """As options of the request."""
    tool = ServerTool(
        ServerKind.WEB_SEARCH,
        Native("messages", b"{}"),
        user_location=b'{"city":"Rome"}',
        context_size="low",
    )
    assert {
        "search_context_size": "low",
        "user_location": {"type": "approximate", "approximate": {"city": "Rome"}},
    } == written(USER, tools=(tool,), facts=SEARCH)["web_search_options"]


def test_a_vendor_tool_of_the_shape_goes_back_as_it_came(written):
    """Byte for byte."""
    tool = VendorTool("web_search", Native("chat", b'{"type":"web_search"}'))
    assert [{"type": "web_search"}] == written(USER, tools=(tool,))["tools"]


WEB = Native("messages", b"{}")


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({"tools": (ServerTool(ServerKind.WEB_SEARCH, WEB),)}, {}),
        ({"tools": (ServerTool(ServerKind.CODE, WEB),)}, SEARCH),
        ({"tools": (ServerTool(ServerKind.WEB_SEARCH, WEB, max_uses=1),)}, SEARCH),
        ({"tools": (ServerTool(ServerKind.WEB_SEARCH, WEB, allowed_domains=("a",)),)}, SEARCH),
        ({"tools": (VendorTool("bash_20250124", WEB),)}, {}),
        (
            {"tools": (F,), "tool_choice": ToolChoice(ChoiceMode.REQUIRED)},
            {"forced_calls": False},
        ),
        ({"tools": (F,), "tool_choice": ToolChoice(ChoiceMode.NAMED, (), WEB)}, {}),
    ],
)
def test_trap_073_what_the_target_has_not_is_refused(written, fields, facts):
    """A restriction is policy: better no search than an unrestricted one."""
    with pytest.raises(Fault) as caught:
        written(USER, facts=facts, **fields)
    assert Kind.UNREPRESENTABLE is caught.value.kind


def test_hints_on_tools_are_dropped_where_they_are_refused(written):
    """The request goes on without them."""
    refuses = frozenset({Concept.STRICT_TOOL, Concept.PARALLEL})
    body = written(USER, tools=(F,), parallel_calls=True, facts={"refuses": refuses})
    assert "strict" not in body["tools"][0]["function"]
    assert "parallel_tool_calls" not in body
