"""Tools and the choice among them; the vendor's client takes each of them."""

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend
from trivium.conversation.parts import CacheMark, Native, Text
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
from trivium.wire.converse.write_tools import UNCALLED

HI = Turn(Role.USER, (Text("Hi"),))
CALLED = (
    HI,
    Turn(Role.ASSISTANT, (ToolCall("a", "f"), ToolCall("b", "g" * 70), ToolCall("c", "f"))),
    Turn(Role.USER, tuple(ToolResult(one, (Text("ok"),)) for one in "abc")),
)
F = FunctionTool("f", "Does f.", b'{"type":"object","properties":{"n":{"type":"integer"}}}')
G = FunctionTool("g")


def config(converse, *turns, known=None, **members):
    """The member about tools, and the report."""
    body, report = converse.write(converse.request(*turns, **members), **(known or {}))
    return body.get("toolConfig"), report


def dropped(report):
    """Members that a report names, with what was done."""
    return {(drop.member, drop.act.value) for drop in report.drops}


def test_functions_are_declared(converse):
    """With their words and schemas, which are those of an object."""
    bare = FunctionTool("h", parameters=b'{"properties":{}}')
    found, report = config(converse, tools=(F, G, bare))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert found == {
        "tools": [
            {"toolSpec": {"name": "f", "description": "Does f.", "inputSchema": {"json": schema}}},
            {"toolSpec": {"name": "g", "inputSchema": {"json": {"type": "object", "properties": {}}}}},
            {"toolSpec": {"name": "h", "inputSchema": {"json": {"type": "object", "properties": {}}}}},
        ]
    }  # fmt: skip
    assert [] == report.drops


def test_names_that_the_vendor_refuses_are_mended(converse):
    """Called and declared alike."""
    long = FunctionTool("g" * 70)
    body, report = converse.write(converse.request(*CALLED, tools=(F, long)))
    names = [row["toolSpec"]["name"] for row in body["toolConfig"]["tools"]]
    calls = [row["toolUse"]["name"] for row in body["messages"][1]["content"]]
    assert (["f", names[1], "f"], 64) == (calls, len(names[1]))
    assert Mend.TOOL_NAME in {one.what for one in report.repairs}


def test_strict_tools_are_strict_where_the_model_can(converse):
    """Elsewhere it is told."""
    strict = FunctionTool("f", strict=True)
    found, _ = config(converse, tools=(strict,))
    assert found["tools"][0]["toolSpec"]["strict"]
    found, report = config(converse, tools=(strict,), known={"refuses": ["strict_tool"]})
    assert "strict" not in found["tools"][0]["toolSpec"]
    assert {("tools[].function.strict", "dropped")} == dropped(report)


def test_free_text_tools_are_functions_of_one_string(converse):
    """A grammar is said in words."""
    tool = CustomTool("c", "Runs it.", Grammar("lark", "start: x"))
    found, report = config(converse, tools=(tool,))
    row = found["tools"][0]["toolSpec"]
    assert ["input"] == row["inputSchema"]["json"]["required"]
    assert "start: x" in row["description"]
    assert 1 == len(report.drops)


def test_marked_tools_have_a_cache_point_behind_them(converse):
    """As any marked block."""
    marked = FunctionTool("f", cache=CacheMark("1h"))
    found, _ = config(converse, tools=(marked, G), known={"cache_marks": 4})
    assert ["toolSpec", "cachePoint", "toolSpec"] == [next(iter(row)) for row in found["tools"]]


def test_a_model_that_caches_no_tools_is_sent_no_such_point(converse):
    """It is told; the text behind them is marked all the same."""
    marked = FunctionTool("f", cache=CacheMark())
    known = {"cache_marks": 4, "own_fields": "nova"}
    found, report = config(converse, tools=(marked,), known=known)
    assert ["toolSpec"] == [next(iter(row)) for row in found["tools"]]
    assert {("prompt_cache_breakpoint", "dropped")} == dropped(report)


def test_the_vendors_own_tools_go_there_and_others_are_refused(converse):
    """By their name."""
    own = VendorTool("systemTool", Native("converse", b'{"systemTool":{"name":"nova_grounding"}}'))
    found, _ = config(converse, tools=(own, F), shape="converse")
    assert {"systemTool": {"name": "nova_grounding"}} == found["tools"][0]
    code = ServerTool(ServerKind.CODE, Native("messages", b"{}"), "code_execution")
    with pytest.raises(Fault, match="code_execution"):
        config(converse, tools=(code,))


def test_tools_that_the_vendor_runs_are_named_where_the_model_has_them(converse):
    """What cannot be said of them is told; a restriction is policy, and refused."""
    known = {"server_tools": ["web_search", "code_execution"]}
    native = Native("responses", b"{}")
    search = ServerTool(
        ServerKind.WEB_SEARCH, native, "web_search", user_location=b"{}", context_size="low"
    )
    code = ServerTool(ServerKind.CODE, native, "code_interpreter")
    found, report = config(converse, tools=(search, code, F), known=known, shape="responses")
    names = [row["systemTool"]["name"] for row in found["tools"][:2]]
    assert ["nova_grounding", "nova_code_interpreter"] == names
    assert {
        ("tools.user_location", "dropped"),
        ("tools.search_context_size", "dropped"),
    } == dropped(report)
    named = ToolChoice(ChoiceMode.NAMED, ("web_search",))
    found, _ = config(
        converse, tools=(search, F), tool_choice=named, known=known, shape="responses"
    )
    assert {"tool": {"name": "nova_grounding"}} == found["toolChoice"]
    for rule in ({"allowed_domains": ("example.org",)}, {"max_uses": 1}):
        strict = ServerTool(ServerKind.WEB_SEARCH, native, "web_search", **rule)
        with pytest.raises(Fault, match="cannot be restricted"):
            config(converse, tools=(strict,), known=known, shape="responses")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice(ChoiceMode.AUTO), {"auto": {}}),
        (ToolChoice(ChoiceMode.REQUIRED), {"any": {}}),
        (ToolChoice(ChoiceMode.NAMED, ("g",)), {"tool": {"name": "g"}}),
    ],
)
def test_choices(converse, choice, expected):
    """Each in the shape's own word; without one the vendor decides."""
    found, report = config(converse, tools=(F, G), tool_choice=choice)
    assert (expected, []) == (found["toolChoice"], report.drops)
    assert "toolChoice" not in config(converse, tools=(F, G))[0]


def test_an_allowed_subset_is_all_that_is_declared(converse):
    """Of the others nothing is said."""
    choice = ToolChoice(ChoiceMode.REQUIRED, ("g",))
    found, _ = config(converse, tools=(F, G), tool_choice=choice)
    assert ["g"] == [row["toolSpec"]["name"] for row in found["tools"]]
    assert {"any": {}} == found["toolChoice"]


def test_a_choice_that_the_model_cannot_keep_is_refused(converse):
    """Without it the model would be free."""
    with pytest.raises(Fault, match="made to call"):
        config(
            converse,
            tools=(F,),
            tool_choice=ToolChoice(ChoiceMode.REQUIRED),
            known={"forced_calls": False},
        )
    native = ToolChoice(ChoiceMode.NAMED, native=Native("responses", b"{}"))
    with pytest.raises(Fault, match="another vendor's own tool"):
        config(converse, tools=(F,), tool_choice=native)


def test_checked_calls_and_parallel_ones_are_told(converse):
    """The shape has a word for neither."""
    _, report = config(converse, tools=(F,), tool_choice=ToolChoice(ChoiceMode.VALIDATED))
    assert {("tool_choice", "changed")} == dropped(report)
    _, report = config(converse, tools=(F,), parallel_calls=False)
    assert {("parallel_tool_calls", "dropped")} == dropped(report)
    assert [] == config(converse, tools=(F,), parallel_calls=True)[1].drops


def test_no_tool_is_to_be_called(converse):
    """Without calls in the history none are sent; with them it is said in words."""
    none = ToolChoice(ChoiceMode.NONE)
    found, report = config(converse, tools=(F,), tool_choice=none)
    assert (None, {("tool_choice", "changed")}) == (found, dropped(report))
    request = converse.request(*CALLED, tools=(F,), tool_choice=none)
    body, report = converse.write(request)
    assert ["f"] == [row["toolSpec"]["name"] for row in body["toolConfig"]["tools"]]
    assert ("toolChoice" in body["toolConfig"], [{"text": UNCALLED}]) == (False, body["system"])
    assert {("tool_choice", "changed")} == dropped(report)
    with pytest.raises(Fault):
        converse.write(request, strict=True)


def test_calls_of_the_history_are_declared_where_nobody_declares_them(converse):
    """The vendor demands it: each name once, and that none is to be called."""
    body, report = converse.write(converse.request(*CALLED))
    names = [row["toolSpec"]["name"] for row in body["toolConfig"]["tools"]]
    calls = [row["toolUse"]["name"] for row in body["messages"][1]["content"]]
    assert list(dict.fromkeys(calls)) == names
    assert [{"text": UNCALLED}] == body["system"]
    assert {("tools", "changed")} == dropped(report)


def test_without_tools_nothing_is_said_of_them(converse):
    """An empty list is refused by the vendor."""
    assert (None, []) == (config(converse)[0], config(converse)[1].drops)
