"""Tools and the choice among them, as callers declare them."""

import pytest

from trivium.conversation.parts import Native
from trivium.conversation.tools import (
    ChoiceMode,
    FunctionTool,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)
from trivium.faults import Kind

HI = [{"parts": [{"text": "hi"}]}]


def read(wires, *tools, **config):
    body = {"contents": HI, "tools": list(tools)}
    if config:
        body["toolConfig"] = {"functionCallingConfig": config}
    return wires.read(body)


def test_functions_of_several_entries_in_order(wires):
    """Every declaration is a tool."""
    found = read(
        wires,
        {"functionDeclarations": [{"name": "a", "description": "A."}, {"name": "b"}]},
        {"function_declarations": [{"name": "c", "behavior": "NON_BLOCKING"}]},
    )
    assert (
        FunctionTool("a", "A."),
        FunctionTool("b"),
        FunctionTool("c", native=Native("generate", b'{"behavior":"NON_BLOCKING"}')),
    ) == found.tools


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ({"googleSearch": {}}, ServerTool(ServerKind.WEB_SEARCH, Native("generate", b'{"googleSearch":{}}'), "googleSearch")),
        ({"google_search": {}}, ServerTool(ServerKind.WEB_SEARCH, Native("generate", b'{"googleSearch":{}}'), "googleSearch")),
        (
            {"googleSearch": {"exclude_domains": ["a.example"]}},
            ServerTool(ServerKind.WEB_SEARCH, Native("generate", b'{"googleSearch":{"exclude_domains": ["a.example"]}}'), "googleSearch", blocked_domains=("a.example",)),
        ),
        ({"urlContext": {}}, ServerTool(ServerKind.WEB_FETCH, Native("generate", b'{"urlContext":{}}'), "urlContext")),
        ({"codeExecution": {}}, ServerTool(ServerKind.CODE, Native("generate", b'{"codeExecution":{}}'), "codeExecution")),
        ({"googleMaps": {}}, VendorTool("googleMaps", Native("generate", b'{"googleMaps":{}}'))),
        ({"googleSearch": {"timeRangeFilter": {}}}, VendorTool("googleSearch", Native("generate", b'{"googleSearch":{"timeRangeFilter": {}}}'))),
        ({"brandNew": {"a": 1}}, VendorTool("brandNew", Native("generate", b'{"brandNew":{"a": 1}}'))),
    ],
)  # fmt: skip
def test_the_vendors_own_tools(wires, tool, found):
    """A limit that no other vendor knows makes a tool the vendor's alone."""
    assert (found,) == read(wires, tool).tools


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({}, None),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        ({"mode": "AUTO"}, ToolChoice(ChoiceMode.AUTO)),
        ({"mode": "auto"}, ToolChoice(ChoiceMode.AUTO)),
        ({"mode": 2}, ToolChoice(ChoiceMode.REQUIRED)),
        ({"mode": "NONE"}, ToolChoice(ChoiceMode.NONE)),
        ({"mode": "ANY"}, ToolChoice(ChoiceMode.REQUIRED)),
        ({"mode": "ANY", "allowedFunctionNames": ["a"]}, ToolChoice(ChoiceMode.NAMED, ("a",))),
        ({"mode": "ANY", "allowed_function_names": ["a", "b"]}, ToolChoice(ChoiceMode.REQUIRED, ("a", "b"))),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["a"]}, ToolChoice(ChoiceMode.VALIDATED, ("a",))),
    ],
)  # fmt: skip
def test_modes(wires, config, found):
    """ANY with one name is that tool."""
    assert (
        found
        == wires.read({"contents": HI, "toolConfig": {"functionCallingConfig": config}}).tool_choice
    )


@pytest.mark.parametrize(
    ("tool", "kind", "param"),
    [
        ({"functionDeclarations": [{}]}, Kind.MISSING_MEMBER, "tools[0].functionDeclarations[0].name"),
        ({"functionDeclarations": [{"name": "1a"}]}, Kind.INVALID_VALUE, "tools[0].functionDeclarations[0].name"),
        ({"functionDeclarations": [{"name": "a b"}]}, Kind.INVALID_VALUE, "tools[0].functionDeclarations[0].name"),
        ({"functionDeclarations": [{"name": "a" * 129}]}, Kind.INVALID_VALUE, "tools[0].functionDeclarations[0].name"),
        ({"functionDeclarations": [{"name": "a", "parameters": {}, "parametersJsonSchema": {}}]}, Kind.INVALID_VALUE, "tools[0].functionDeclarations[0]"),
        ({"functionDeclarations": {}}, Kind.INVALID_TYPE, "tools[0].functionDeclarations"),
        ({"functionDeclarations": [], "function_declarations": []}, Kind.DUPLICATE_MEMBER, "tools[0].function_declarations"),
    ],
)  # fmt: skip
def test_a_bad_tool_is_named(wires, tool, kind, param):
    """Bad input gets an error that says where."""
    fault = wires.refused({"contents": HI, "tools": [tool]})
    assert (kind, param) == (fault.kind, fault.param)


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ({"mode": "SOMETIMES"}, "mode"),
        ({"mode": "AUTO", "allowedFunctionNames": ["a"]}, "allowedFunctionNames"),
        ({"allowedFunctionNames": ["a"]}, "allowedFunctionNames"),
    ],
)
def test_a_bad_choice_is_named(wires, config, param):
    """Names limit only a forced choice."""
    fault = wires.refused({"contents": HI, "tool_config": {"functionCallingConfig": config}})
    assert f"tool_config.functionCallingConfig.{param}" == fault.param


def test_domains_that_are_no_list_leave_the_tool_to_its_vendor(wires):
    """Nothing of it is lost, and nothing of it is carried to another."""
    found = read(wires, {"googleSearch": {"excludeDomains": 5}})
    assert [VendorTool] == [type(tool) for tool in found.tools]
