"""Tools and the choice among them."""

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.tools import ChoiceMode, CustomTool, FunctionTool, ToolChoice
from trivium.faults import Fault

LOOK = FunctionTool("look", "d", b'{"type":"object"}')
NOW = FunctionTool("now")


def asked(*tools, **members):
    """A conversation with tools."""
    turns = (Turn(Role.USER, (Text("hi"),)),)
    return Conversation(shape="chat", model="m", turns=turns, tools=tools, **members)


def test_functions(write):
    """Parameters must be there."""
    body, report = write(asked(LOOK, NOW, CustomTool("patch", "p")))
    first, second, third = (tool["function"] for tool in body["tools"])
    assert first == {"name": "look", "description": "d", "parameters": {"type": "object"}}
    assert second["parameters"] == {"type": "object", "properties": {}}
    assert third["parameters"]["required"] == ["input"]
    assert not report.drops


@pytest.mark.parametrize(
    ("choice", "word", "names"),
    [
        (ToolChoice(ChoiceMode.AUTO), None, ["look", "now"]),
        (ToolChoice(ChoiceMode.NONE), "NONE", ["look", "now"]),
        (ToolChoice(ChoiceMode.REQUIRED), "REQUIRED", ["look", "now"]),
        (ToolChoice(ChoiceMode.NAMED, ("now",)), "REQUIRED", ["now"]),
        (ToolChoice(ChoiceMode.AUTO, ("look",)), None, ["look"]),
    ],
)
def test_choices(write, choice, word, names):
    """A named tool is the only one that is declared."""
    body, report = write(asked(LOOK, NOW, tool_choice=choice))
    assert body.get("tool_choice") == word
    assert [tool["function"]["name"] for tool in body["tools"]] == names
    assert bool(report.drops) == (len(names) < 2)


def test_one_switch_for_all(write):
    """On for all of them, or not at all."""
    strict = FunctionTool("s", strict=True)
    body, report = write(asked(strict))
    assert body["strict_tools"] is True
    body, report = write(asked(strict, NOW))
    assert "strict_tools" not in body
    assert [drop.member for drop in report.drops] == ["tools[].function.strict"]


def test_what_it_cannot_promise(write):
    """One call at a time is a hint; a call that cannot be forced is a contract."""
    _, report = write(asked(LOOK, parallel_calls=False))
    assert [drop.member for drop in report.drops] == ["parallel_tool_calls"]
    with pytest.raises(Fault):
        write(asked(LOOK, tool_choice=ToolChoice(ChoiceMode.REQUIRED)), forced_calls=False)
