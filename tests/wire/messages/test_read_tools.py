"""Tools and the choice among them, read."""

import msgspec
import pytest

from trivium.conversation.attachments import sealed_shut
from trivium.conversation.parts import CacheMark, Native
from trivium.conversation.tools import (
    ChoiceMode,
    FunctionTool,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)
from trivium.faults import Fault
from trivium.wire.messages.read_content import Blocks
from trivium.wire.messages.read_tools import choice, tools


def read(*rows):
    """The tools of some rows."""
    return tools(msgspec.Raw(msgspec.json.encode(rows)), Blocks(sealed_shut, strict=False))


def test_a_tool_with_a_schema_is_the_callers_own():
    """Whatever its type says; members that no other shape has are kept."""
    row = {
        "name": "f",
        "description": "F.",
        "input_schema": {"type": "object"},
        "strict": True,
        "input_examples": [{"a": 1}],
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
    }
    expected = FunctionTool(
        "f",
        "F.",
        b'{"type":"object"}',
        True,
        cache=CacheMark("1h"),
        native=Native("messages", b'{"input_examples":[{"a":1}]}'),
    )
    assert (expected,) == read(row) == read({"type": "custom", **row})


def test_portable_server_tools_are_known_by_kind():
    """In any of their versions, with their restrictions."""
    row = {
        "type": "web_search_20260318",
        "name": "web_search",
        "allowed_domains": ["a.example"],
        "max_uses": 2,
        "user_location": {"type": "approximate", "city": "Ulm"},
    }
    assert (
        ServerTool(
            ServerKind.WEB_SEARCH,
            Native("messages", msgspec.json.encode(row)),
            "web_search",
            ("a.example",),
            (),
            2,
            b'{"type":"approximate","city":"Ulm"}',
        ),
    ) == read(row)


def test_any_other_tool_is_the_vendors_own():
    """Kept word for word under its type."""
    row = {"type": "computer_toolset_20260801", "configs": {}}
    expected = VendorTool("computer_toolset_20260801", Native("messages", msgspec.json.encode(row)))
    assert (expected,) == read(row)


def test_domains_are_allowed_or_blocked():
    """Both at once is refused by the vendor."""
    row = {"type": "web_search_20250305", "allowed_domains": ["a"], "blocked_domains": ["b"]}
    with pytest.raises(Fault) as caught:
        read(row)
    assert "tools.0" == caught.value.param


def test_a_choice_by_name_needs_the_name():
    """And a tool that has it: server tools count."""
    declared = read({"type": "web_search_20250305", "name": "web_search"})
    wanted = msgspec.Raw(b'{"type":"tool","name":"web_search"}')
    assert ("web_search",) == choice(wanted, declared)[0].names
    with pytest.raises(Fault) as caught:
        choice(msgspec.Raw(b'{"type":"tool"}'), declared)
    assert "tool_choice.name" == caught.value.param


@pytest.mark.parametrize(
    ("wanted", "expected", "parallel"),
    [
        (b'{"type":"auto"}', ToolChoice(ChoiceMode.AUTO), None),
        (b'{"type":"none"}', ToolChoice(ChoiceMode.NONE), None),
        (b'{"type":"any"}', ToolChoice(ChoiceMode.REQUIRED), None),
        (
            b'{"type":"tool","name":"f","disable_parallel_tool_use":true}',
            ToolChoice(ChoiceMode.NAMED, ("f",)),
            False,
        ),
    ],
)
def test_trap_16_every_choice_has_its_meaning(wanted, expected, parallel):
    """None included; what is not said of parallel calls stays unsaid."""
    declared = read({"name": "f", "input_schema": {"type": "object"}})
    assert (expected, parallel) == choice(msgspec.Raw(wanted), declared)
