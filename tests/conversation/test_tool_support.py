"""Which tools a target can be offered, and as what."""

import pytest

from trivium.conversation.losses import DropAction, Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Native
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.conversation.tool_support import offered
from trivium.conversation.tools import FunctionTool, ServerKind, ServerTool, VendorTool
from trivium.faults import Fault

LOOK = FunctionTool("look")
BASH = VendorTool("bash_20250124", Native("messages", b"{}"), "bash")
SEARCH = ServerTool(ServerKind.WEB_SEARCH, Native("messages", b"{}"))
ODD = VendorTool("odd", Native("messages", b"{}"), "odd")


def what(*tools, shape="chat", **known):
    """What a target of a shape is offered, and what is reported."""
    facts = target(StateOrigin(shape, "vendor", "main"), "m", **known)
    report = Report(facts.title)
    spoken = Conversation(shape="messages", model="m", turns=(), tools=tools)
    return offered(spoken, facts, report), [(drop.member, drop.act) for drop in report.drops]


def test_functions_are_offered_to_everybody():
    """And a vendor's own to itself, as they came."""
    assert ((LOOK,), []) == what(LOOK)
    assert ((LOOK, BASH, ODD), []) == what(LOOK, BASH, ODD, shape="messages")


def test_what_the_caller_runs_is_a_function():
    """Which is told."""
    (found,), told = what(BASH)
    assert ("bash", True) == (found.name, isinstance(found, FunctionTool))
    assert [DropAction.CHANGED] == [act for _, act in told]


def test_a_search_beside_functions_is_spared():
    """Where the target has none; it is merely offered."""
    tools, told = what(LOOK, SEARCH)
    assert ((LOOK,), [DropAction.DROPPED]) == (tools, [act for _, act in told])


def test_any_other_is_refused():
    """Unless the operator says that it may be left out."""
    with pytest.raises(Fault, match="drop_tools"):
        what(LOOK, ODD)
    assert (LOOK,) == what(LOOK, ODD, drop_tools=frozenset({"odd"}))[0]
