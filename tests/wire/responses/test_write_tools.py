"""Tools and the choice among them as a responses request has them."""

import json

import msgspec
import pytest

from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Native
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
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
from trivium.wire.responses import write_tools
from trivium.wire.responses.write_content import PartsWriter

ORIGIN = StateOrigin("responses", "openai", "main")
GRAMMAR = Grammar("lark", "start: /x/")
BASE = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
SEARCH = Native("messages", b'{"type":"web_search_20250305"}')


def plain(value):
    return json.loads(msgspec.json.encode(value))


def declared(tool, report=None, **facts):
    known = target(ORIGIN, "m", **facts)
    conversation = Conversation(shape="messages", model="m", tools=(tool,))
    content = PartsWriter(conversation, known, report or Report(known.title))
    return plain(write_tools.tools(conversation, content))


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (FunctionTool("f"), {**BASE, "strict": False}),
        (FunctionTool("f", strict=True), {**BASE, "strict": True}),
        (
            FunctionTool("f", "d", b'{"z":1,"a":2}', native=Native("responses", b'{"x":1}')),
            {
                **BASE,
                "description": "d",
                "parameters": {"z": 1, "a": 2},
                "strict": False,
                "x": 1,
            },
        ),
        (FunctionTool("f", native=Native("messages", b'{"x":1}')), {**BASE, "strict": False}),
        (FunctionTool("f", namespace="n"), {**BASE, "name": "n__f", "strict": False}),
        (
            CustomTool("c", "d", GRAMMAR),
            {
                "type": "custom",
                "name": "c",
                "description": "d",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
            },
        ),
        (
            ServerTool(
                ServerKind.WEB_SEARCH,
                SEARCH,
                allowed_domains=("a.org",),
                user_location=b'{"city":"Bern"}',
                context_size="low",
            ),
            {
                "type": "web_search",
                "filters": {"allowed_domains": ["a.org"]},
                "user_location": {"type": "approximate", "city": "Bern"},
                "search_context_size": "low",
            },
        ),
        (
            ServerTool(ServerKind.CODE, SEARCH),
            {"type": "code_interpreter", "container": {"type": "auto"}},
        ),
        (VendorTool("mcp", Native("responses", b'{"type":"mcp"}')), {"type": "mcp"}),
    ],
)
def test_a_tool_is_declared(tool, expected):
    """``strict`` is always said: upstream takes a missing one for true."""
    assert [expected] == declared(tool)


def test_a_grammar_becomes_words_for_models_without_free_text():
    """And the caller is told (trap 71)."""
    report = Report("x")
    (row,) = declared(CustomTool("c", "d", GRAMMAR), report, custom_tools=False)
    assert ("function", {"input": {"type": "string"}}) == (
        row["type"],
        row["parameters"]["properties"],
    )
    assert row["description"].startswith("d\n\n")
    assert "start: /x/" in row["description"]
    assert ["tools.c.format"] == [drop.member for drop in report.drops]


@pytest.mark.parametrize(
    "tool",
    [
        VendorTool("computer", Native("messages", b"{}"), "computer"),
        ServerTool(ServerKind.WEB_FETCH, SEARCH),
        ServerTool(ServerKind.WEB_SEARCH, SEARCH, blocked_domains=("a.org",)),
        ServerTool(ServerKind.WEB_SEARCH, SEARCH, max_uses=3),
    ],
)
def test_what_cannot_be_declared_is_refused(tool):
    """A restriction is policy: searching without it would break it (trap 73)."""
    with pytest.raises(Fault) as caught:
        declared(tool)
    assert "tools" == caught.value.param


TOOLS = (FunctionTool("f"), CustomTool("c"), FunctionTool("g", namespace="n"))


def choice(wanted, tools=TOOLS, report=None, **facts):
    known = target(ORIGIN, "m", **facts)
    conversation = Conversation(shape="messages", model="m", tools=tools)
    content = PartsWriter(conversation, known, report or Report(known.title))
    return plain(write_tools.choice(wanted, conversation, content))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, None),
        (ToolChoice(ChoiceMode.AUTO), "auto"),
        (ToolChoice(ChoiceMode.NONE), "none"),
        (ToolChoice(ChoiceMode.REQUIRED), "required"),
        (ToolChoice(ChoiceMode.VALIDATED), "auto"),
        (ToolChoice(ChoiceMode.NAMED, ("f",)), {"type": "function", "name": "f"}),
        (ToolChoice(ChoiceMode.NAMED, ("c",)), {"type": "custom", "name": "c"}),
        (ToolChoice(ChoiceMode.NAMED, ("g",)), {"type": "function", "name": "n__g"}),
        (ToolChoice(ChoiceMode.NAMED, ("gone",)), {"type": "function", "name": "gone"}),
        (
            ToolChoice(ChoiceMode.AUTO, ("f",)),
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
        ),
        (
            ToolChoice(ChoiceMode.NAMED, native=Native("responses", b'{"type":"shell"}')),
            {"type": "shell"},
        ),
    ],
)
def test_a_choice_is_made(wanted, expected):
    """In the shape's own words."""
    assert expected == choice(wanted)


def test_a_tool_that_is_run_here_is_chosen_by_its_type():
    """No function has its name, and not each can be named by itself: a subset of one can."""
    search = ServerTool(ServerKind.WEB_SEARCH, Native("messages", b"{}"), "web_search")
    code = ServerTool(ServerKind.CODE, Native("messages", b"{}"), "code")
    for name, kind in (("web_search", "web_search"), ("code", "code_interpreter")):
        wanted = ToolChoice(ChoiceMode.NAMED, (name,))
        only = {"type": "allowed_tools", "mode": "required", "tools": [{"type": kind}]}
        assert only == choice(wanted, tools=(*TOOLS, search, code))


def test_without_tools_there_is_no_choice():
    """Upstream refuses one."""
    assert choice(ToolChoice(ChoiceMode.AUTO), tools=()) is None


@pytest.mark.parametrize(
    ("wanted", "facts"),
    [
        (ToolChoice(ChoiceMode.REQUIRED), {"forced_calls": False}),
        (ToolChoice(ChoiceMode.NAMED, ("f",)), {"forced_calls": False}),
        (ToolChoice(ChoiceMode.NAMED, native=Native("messages", b"{}")), {}),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(wanted, facts):
    """The caller's code depends on it."""
    with pytest.raises(Fault) as caught:
        choice(wanted, **facts)
    assert "tool_choice" == caught.value.param
