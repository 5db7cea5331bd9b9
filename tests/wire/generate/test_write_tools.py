"""Tools and the choice among them, for an upstream of the shape."""

import pytest

from trivium.conversation.losses import DropAction
from trivium.conversation.parts import CacheMark, Native
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
from trivium.faults import Fault

SCHEMA = b'{"type":"object","properties":{"a":{"type":"string","format":"uuid"}},"additionalProperties":false}'
TOOL = FunctionTool("f", "Does f.", SCHEMA)


def write(wires, *tools, choice=None, shape="messages", **facts):
    body, report = wires.write(wires.request(tools=tools, tool_choice=choice, shape=shape), **facts)
    return body.get("tools"), body.get("toolConfig"), report


def test_a_full_schema_passes_as_it_is(wires):
    """Trap 89: no cleaning where none is needed."""
    tools, _, report = write(wires, TOOL, FunctionTool("g"))
    assert [
        {
            "functionDeclarations": [
                {
                    "name": "f",
                    "description": "Does f.",
                    "parametersJsonSchema": {
                        "type": "object",
                        "properties": {"a": {"type": "string", "format": "uuid"}},
                        "additionalProperties": False,
                    },
                },
                {"name": "g"},
            ]
        }
    ] == tools
    assert [] == report.drops


def test_a_restricted_schema_is_cleaned_and_told(wires):
    """Trap 87: only the ``parameters`` field."""
    tools, _, report = write(wires, TOOL, schema_full=False)
    assert {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING", "description": "format: uuid"}},
    } == tools[0]["functionDeclarations"][0]["parameters"]
    assert ["tools"] == [drop.member for drop in report.drops]


def test_an_object_without_properties_is_no_parameter(wires):
    """The vendor refuses one."""
    tools, _, _ = write(wires, FunctionTool("f", None, b'{"type":"object"}'), schema_full=False)
    assert [{"name": "f"}] == tools[0]["functionDeclarations"]


def test_members_of_this_shape_go_back(wires):
    """Between callers and upstreams of it."""
    native = Native("generate", b'{"behavior":"NON_BLOCKING"}')
    tools, _, _ = write(wires, FunctionTool("f", native=native), shape="generate")
    assert "NON_BLOCKING" == tools[0]["functionDeclarations"][0]["behavior"]


def test_a_free_text_tool_is_a_function_with_one_input(wires):
    """Its grammar is said in words, which is told."""
    tools, _, _ = write(wires, CustomTool("sh", "Runs."))
    (found,) = tools[0]["functionDeclarations"]
    assert ["input"] == found["parametersJsonSchema"]["required"]
    tools, _, report = write(wires, CustomTool("sh", grammar=Grammar("regex", "a+")))
    (found,) = tools[0]["functionDeclarations"]
    assert "The input must follow this regex grammar:\n\na+" == found["description"]
    assert [("tools.sh.format", DropAction.CHANGED)] == [
        (one.member, one.act) for one in report.drops
    ]


def test_vendors_tools_stand_beside_the_functions(wires):
    """In their order; their own declaration as it came."""
    tools, _, _ = write(
        wires,
        ServerTool(ServerKind.WEB_SEARCH, Native("messages", b"{}")),
        TOOL,
        ServerTool(ServerKind.CODE, Native("messages", b"{}")),
        FunctionTool("g"),
        VendorTool("googleMaps", Native("generate", b'{"googleMaps":{"a":1}}')),
        ServerTool(ServerKind.WEB_FETCH, Native("generate", b'{"urlContext":{}}')),
    )
    assert [
        "googleSearch",
        "functionDeclarations",
        "codeExecution",
        "googleMaps",
        "urlContext",
    ] == [name for tool in tools for name in tool]
    assert 2 == len(tools[1]["functionDeclarations"])


@pytest.mark.parametrize(
    "tool",
    [
        VendorTool("bash_20250124", Native("messages", b"{}"), "bash"),
        ServerTool(
            ServerKind.WEB_SEARCH, Native("messages", b"{}"), allowed_domains=("a.example",)
        ),
        ServerTool(
            ServerKind.WEB_SEARCH, Native("messages", b"{}"), blocked_domains=("a.example",)
        ),
        ServerTool(ServerKind.WEB_SEARCH, Native("messages", b"{}"), max_uses=3),
    ],
)
def test_a_tool_or_limit_that_the_vendor_lacks_is_refused(wires, tool):
    """A limit is policy."""
    with pytest.raises(Fault):
        write(wires, tool)


def test_hints_of_tools_are_reported(wires):
    """Place and size of a search, strictness, cache marks."""
    _, _, report = write(
        wires,
        ServerTool(ServerKind.WEB_SEARCH, Native("messages", b"{}"), context_size="high"),
        FunctionTool("f", strict=True, cache=CacheMark()),
    )
    assert 3 == len(report.drops)


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        (None, None),
        (ToolChoice(ChoiceMode.AUTO), {"mode": "AUTO"}),
        (ToolChoice(ChoiceMode.NONE), {"mode": "NONE"}),
        (ToolChoice(ChoiceMode.REQUIRED), {"mode": "ANY"}),
        (ToolChoice(ChoiceMode.REQUIRED, ("f", "g")), {"mode": "ANY", "allowedFunctionNames": ["f", "g"]}),
        (ToolChoice(ChoiceMode.NAMED, ("f",)), {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        (ToolChoice(ChoiceMode.VALIDATED), {"mode": "VALIDATED"}),
    ],
)  # fmt: skip
def test_choices(wires, choice, config):
    """One named is ANY of one."""
    _, found, _ = write(wires, TOOL, choice=choice)
    assert config == (found and found["functionCallingConfig"])


@pytest.mark.parametrize(
    ("choice", "facts"),
    [
        (ToolChoice(ChoiceMode.REQUIRED), {"forced_calls": False}),
        (ToolChoice(ChoiceMode.NAMED, native=Native("responses", b"{}")), {}),
    ],
)
def test_a_choice_that_cannot_be_kept_is_refused(wires, choice, facts):
    """The caller's code depends on it."""
    with pytest.raises(Fault):
        write(wires, TOOL, choice=choice, **facts)


def test_of_an_allowed_subset_only_its_tools_are_declared(wires):
    """The shape has a word for one only where a call is forced."""
    tools = [FunctionTool("f", None, None), FunctionTool("g", None, None)]
    tools.append(FunctionTool("h", None, None, namespace="n"))
    declared, found, _ = write(wires, *tools, choice=ToolChoice(ChoiceMode.AUTO, ("f", "n.h")))
    assert ["f", "n__h"] == [one["name"] for one in declared[0]["functionDeclarations"]]
    assert {"mode": "AUTO"} == found["functionCallingConfig"]


def test_without_functions_there_is_nothing_to_choose(wires):
    """The vendor refuses a choice among nothing."""
    assert (None, None) == write(wires, choice=ToolChoice(ChoiceMode.AUTO))[:2]
