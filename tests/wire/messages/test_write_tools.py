"""Tools and the choice among them for an upstream."""

import json

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import DropAction
from trivium.conversation.parts import Native, Text
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

HI = (Turn(Role.USER, (Text("Hi"),)),)
F, G = FunctionTool("f"), FunctionTool("g")
EMPTY = {"type": "object", "properties": {}}


def written(wires, *tools, facts=None, **members):
    """The body of a request with these tools, and the report."""
    return wires.write(wires.request(turns=HI, tools=tools, **members), **(facts or {}))


@pytest.mark.parametrize(
    ("parameters", "schema"),
    [
        (None, EMPTY),
        (b'{"type":"object"}', {"type": "object"}),
        (b'{"properties":{"a":{}}}', {"type": "object", "properties": {"a": {}}}),
    ],
)
def test_a_function_has_the_schema_of_an_object(wires, parameters, schema):
    """The shape demands one."""
    body, _ = written(wires, FunctionTool("f", "F.", parameters))
    assert [{"name": "f", "description": "F.", "input_schema": schema}] == body["tools"]


def test_only_strict_schemas_are_closed(wires):
    """Others take any keyword; what a strict one loses is told."""
    schema = b'{"type":"object","properties":{"a":{"type":"string","minLength":1}}}'
    body, report = written(
        wires, FunctionTool("f", None, schema, True), FunctionTool("g", None, schema)
    )
    assert (False, True) == (
        body["tools"][0]["input_schema"]["additionalProperties"],
        body["tools"][0]["strict"],
    )
    assert json.loads(schema) == body["tools"][1]["input_schema"]
    assert ["tools[].function.strict"] == [one.member for one in report.drops]


def test_a_free_text_tool_has_one_string(wires):
    """Its grammar is said in words, which is told."""
    body, _ = written(wires, CustomTool("f", "F."))
    assert {"input": {"type": "string"}} == body["tools"][0]["input_schema"]["properties"]
    body, report = written(wires, CustomTool("f", grammar=Grammar("lark", "start: A")))
    assert "The input must follow this lark grammar:\n\nstart: A" == body["tools"][0]["description"]
    assert [("tools.f.format", DropAction.CHANGED)] == [
        (one.member, one.act) for one in report.drops
    ]


def test_trap_21_a_portable_server_tool_is_declared_anew(wires):
    """With its restrictions, which are policy; what is only a hint is told."""
    tool = ServerTool(
        ServerKind.WEB_SEARCH,
        Native("responses", b"{}"),
        allowed_domains=("a.example",),
        user_location=b'{"city":"Ulm"}',
        context_size="low",
    )
    body, report = written(wires, tool)
    assert [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "allowed_domains": ["a.example"],
            "user_location": {"type": "approximate", "city": "Ulm"},
        }
    ] == body["tools"]
    assert ["tools.search_context_size"] == [one.member for one in report.drops]


@pytest.mark.parametrize(
    ("tool", "facts"),
    [
        (VendorTool("file_search", Native("responses", b"{}")), {}),
        (ServerTool(ServerKind.CODE, Native("chat", b"{}")), {"server_tools": frozenset()}),
    ],
)
def test_trap_21_any_other_vendors_tool_is_refused_by_name(wires, tool, facts):
    """Never an internal error, never silence."""
    with pytest.raises(Fault) as caught:
        written(wires, tool, facts=facts)
    assert (Kind.UNREPRESENTABLE, "tools") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("choice", "parallel", "told"),
    [
        (None, None, None),
        (None, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (None, True, {"type": "auto", "disable_parallel_tool_use": False}),
        (ToolChoice(ChoiceMode.AUTO), None, {"type": "auto"}),
        (ToolChoice(ChoiceMode.NONE), False, {"type": "none"}),
        (ToolChoice(ChoiceMode.REQUIRED), None, {"type": "any"}),
        (
            ToolChoice(ChoiceMode.NAMED, ("g",)),
            False,
            {"type": "tool", "name": "g", "disable_parallel_tool_use": True},
        ),
        (ToolChoice(ChoiceMode.VALIDATED), None, {"type": "auto"}),
    ],
)
def test_trap_17_every_choice_has_its_word(wires, choice, parallel, told):
    """What was not said of parallel calls stays unsaid."""
    body, _ = written(wires, F, G, tool_choice=choice, parallel_calls=parallel)
    assert told == body.get("tool_choice")


@pytest.mark.parametrize(
    ("mode", "word"), [(ChoiceMode.AUTO, "auto"), (ChoiceMode.REQUIRED, "any")]
)
def test_an_allowed_subset_is_all_that_is_declared(wires, mode, word):
    """The shape has no other way to keep the model to it."""
    body, _ = written(wires, F, G, tool_choice=ToolChoice(mode, ("g",)))
    assert (["g"], word) == ([one["name"] for one in body["tools"]], body["tool_choice"]["type"])


def test_no_tools_no_choice(wires):
    """The vendor refuses a choice among nothing."""
    body, _ = written(wires, tool_choice=ToolChoice(ChoiceMode.AUTO), parallel_calls=False)
    assert {"tools", "tool_choice"}.isdisjoint(body)


def test_a_model_that_cannot_be_forced_is_not(wires):
    """The choice is the caller's contract."""
    with pytest.raises(Fault) as caught:
        written(
            wires, F, tool_choice=ToolChoice(ChoiceMode.REQUIRED), facts={"forced_calls": False}
        )
    assert "tool_choice" == caught.value.param


SEARCH = ServerTool(ServerKind.WEB_SEARCH, Native("responses", b'{"type":"web_search"}'))
OWN = Native("responses", b"{}")


def test_a_tool_that_is_run_here_can_be_chosen(wires):
    """Under the name it has here, by itself or in a subset."""
    named = ToolChoice(ChoiceMode.NAMED, ("web_search",), OWN)
    body, _ = written(wires, F, SEARCH, tool_choice=named)
    assert {"type": "tool", "name": "web_search"} == body["tool_choice"]
    some = ToolChoice(ChoiceMode.AUTO, ("f", "web_search"), OWN)
    body, _ = written(wires, F, G, SEARCH, tool_choice=some)
    assert ["f", "web_search"] == [one["name"] for one in body["tools"]]


@pytest.mark.parametrize("mode", [ChoiceMode.NAMED, ChoiceMode.REQUIRED])
def test_a_choice_that_only_another_vendor_can_name_is_refused(wires, mode):
    """Left out, the model would be free to call what the caller did not allow."""
    with pytest.raises(Fault) as caught:
        written(wires, F, tool_choice=ToolChoice(mode, native=OWN))
    assert "tool_choice" == caught.value.param
