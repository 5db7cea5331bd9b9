"""What the parts of one request are written with."""

import pytest

from trivium.conversation.losses import Mend, Repair, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault
from trivium.wire.generate.part_context import PartContext


def writing(wires, *tools, strict=False, **facts):
    report = Report("this model", strict=strict)
    return PartContext(wires.request(tools=tools), wires.facts(**facts), report), report


def test_a_member_is_reported_under_the_callers_name(wires):
    """The caller knows its own shape only."""
    found, report = writing(wires)
    found.lacks(Concept.TOP_K, "not there")
    assert ["top_k"] == [drop.member for drop in report.drops]


def test_a_member_that_the_model_refuses_is_not_taken(wires):
    """A contract is refused with it."""
    found, report = writing(wires, refuses=frozenset({Concept.SEED, Concept.CANDIDATES}))
    assert found.takes(Concept.TEMPERATURE)
    assert not found.takes(Concept.SEED)
    assert 1 == len(report.drops)
    with pytest.raises(Fault):
        found.takes(Concept.CANDIDATES)


@pytest.mark.parametrize("name", ["1st", "a b", "a" * 65, "mcp.tool"])
def test_a_name_that_the_vendor_may_refuse_is_another_and_reported(wires, name):
    """A letter or underscore first, at most 64 characters; the same in every turn."""
    found, report = writing(wires, FunctionTool(name))
    out = found.name(name)
    assert out != name
    assert len(out) <= 64
    assert out[0].isalpha() or out[0] == "_"
    assert out == found.name(name)
    assert [Repair(Mend.TOOL_NAME, name)] == report.repairs


def test_a_good_name_stays(wires):
    """Byte for byte."""
    found, report = writing(wires, FunctionTool("look_up-2"))
    assert ("look_up-2", []) == (found.name("look_up-2"), report.repairs)
