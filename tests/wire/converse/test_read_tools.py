"""Tools of Converse callers."""

import pytest

from trivium.conversation.parts import CacheMark
from trivium.conversation.tools import (
    ChoiceMode,
    FunctionTool,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)

SCHEMA = {"type": "object"}
ASKS = [{"role": "user", "content": [{"text": "Hi"}]}]


def spec(name="look", **more):
    """One declared function."""
    return {"toolSpec": {"name": name, "inputSchema": {"json": SCHEMA}} | more}


def config(*tools, **more):
    """A request with these tools."""
    return {"messages": ASKS, "toolConfig": {"tools": list(tools)} | more}


def test_functions_with_what_goes_with_them(caller):
    """A cache point marks the tool before it."""
    found = caller.read(
        config(
            spec(description="Looks.", strict=True),
            {"cachePoint": {"type": "default"}},
            spec("now"),
        )
    )
    assert (
        FunctionTool("look", "Looks.", b'{"type": "object"}', True, cache=CacheMark()),
        FunctionTool("now", None, b'{"type": "object"}'),
    ) == found.tools
    assert None is found.tool_choice


def test_tools_that_the_vendor_runs(caller):
    """Those that others have as well are known by what they do."""
    found = caller.read(
        config(
            {"systemTool": {"name": "nova_grounding"}},
            {"systemTool": {"name": "nova_code_interpreter"}},
            {"systemTool": {"name": "odd"}},
        )
    )
    web, code, odd = found.tools
    assert isinstance(web, ServerTool)
    assert isinstance(code, ServerTool)
    assert isinstance(odd, VendorTool)
    assert (ServerKind.WEB_SEARCH, ServerKind.CODE) == (web.kind, code.kind)
    assert ("systemTool", "odd") == (odd.kind, odd.name)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"auto": {}}, ToolChoice(ChoiceMode.AUTO)),
        ({"any": {}}, ToolChoice(ChoiceMode.REQUIRED)),
        ({"tool": {"name": "look"}}, ToolChoice(ChoiceMode.NAMED, ("look",))),
    ],
)
def test_the_choice(caller, choice, expected):
    """Of three kinds."""
    assert expected == caller.read(config(spec(), toolChoice=choice)).tool_choice


def test_a_point_before_all_tools_is_told(caller):
    """Nothing stands there that it could mark."""
    found = caller.read(config({"cachePoint": {"type": "default"}}, spec()))
    assert ["toolConfig.tools.0.cachePoint"] == [one.member for one in found.extensions]


BAD = [
    (config(), "toolConfig.tools"),
    ({"messages": ASKS, "toolConfig": {}}, "toolConfig.tools"),
    (config({"cachePoint": {"type": "default"}}), "toolConfig.tools"),
    (config(spec("a b")), "toolConfig.tools.0.toolSpec.name"),
    (config(spec("a" * 65)), "toolConfig.tools.0.toolSpec.name"),
    (config(spec(None)), "toolConfig.tools.0.toolSpec.name"),
    (config(spec(), spec()), "toolConfig.tools.1.toolSpec.name"),
    (config(spec(inputSchema=None)), "toolConfig.tools.0.toolSpec.inputSchema"),
    (config(spec(inputSchema={"text": "x"})), "toolConfig.tools.0.toolSpec.inputSchema"),
    (config(spec(inputSchema={"json": "x"})), "toolConfig.tools.0.toolSpec.inputSchema.json"),
    (config({}), "toolConfig.tools.0"),
    (config({"systemTool": {}}), "toolConfig.tools.0.systemTool.name"),
    (config(spec(), toolChoice={"none": {}}), "toolConfig.toolChoice"),
    (config(spec(), toolChoice={"auto": {}, "any": {}}), "toolConfig.toolChoice"),
    (config(spec(), toolChoice={"tool": {}}), "toolConfig.toolChoice.tool.name"),
    (config(spec(), toolChoice={"tool": {"name": "x"}}), "toolConfig.toolChoice.tool.name"),
]


@pytest.mark.parametrize(("body", "place"), BAD)
def test_a_mistake_is_named(caller, body, place):
    """With its place."""
    assert place == caller.refused(body).param


def test_a_tool_of_an_unknown_kind_is_the_vendors(caller):
    """As it came."""
    (tool,) = caller.read(config({"hologram": {"a": 1}}), checked=False).tools
    assert ("hologram", b'{"hologram": {"a": 1}}') == (tool.kind, tool.native.data)


def test_an_empty_choice_is_none(caller):
    """SDKs of other languages send the object with nothing in it."""
    assert None is caller.read(config(spec(), toolChoice={}), checked=False).tool_choice
