"""What a request is written with, whatever the shape."""

import pytest

from trivium.conversation.losses import Drop, DropAction, Mend, Rank, Repair, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Native
from trivium.conversation.request import Conversation, Effort, Extension, ReasoningSettings
from trivium.conversation.target import target
from trivium.conversation.writer_base import WriterBase
from trivium.faults import Fault

ORIGIN = StateOrigin("generate", "gemini", "main")


def writing(**facts):
    report = Report("this model")
    conversation = Conversation(shape="messages", model="m")
    return WriterBase(conversation, target(ORIGIN, "gemini-x", **facts), report), report


def test_a_member_is_reported_under_the_callers_name():
    """The caller knows its own shape only."""
    found, report = writing()
    found.lacks(Concept.TOP_K, "not there")
    assert ["top_k"] == [drop.member for drop in report.drops]


def test_a_member_that_the_model_refuses_is_not_taken():
    """A contract is refused with it."""
    found, report = writing(refuses=frozenset({Concept.SEED, Concept.CANDIDATES}))
    assert found.takes(Concept.TEMPERATURE)
    assert not found.takes(Concept.SEED)
    assert 1 == len(report.drops)
    with pytest.raises(Fault):
        found.takes(Concept.CANDIDATES)


@pytest.mark.parametrize("name", ["1st", "a b", "a" * 65, "mcp.tool"])
def test_a_name_that_the_vendor_may_refuse_is_another_and_reported(name):
    """A letter or underscore first, at most 64 characters; the same in every turn."""
    found, report = writing()
    out = found.name(name)
    assert out != name
    assert len(out) <= 64
    assert out[0].isalpha() or out[0] == "_"
    assert out == found.name(name)
    assert [Repair(Mend.TOOL_NAME, name)] == report.repairs


def test_a_good_name_stays():
    """Byte for byte."""
    found, report = writing()
    assert ("look_up-2", []) == (found.name("look_up-2"), report.repairs)


def test_what_is_said_in_another_way_is_changed():
    """By its rank, or as a matter of quality alone."""
    found, report = writing()
    found.changes(Concept.TOP_K, "at most 5")
    found.rewords(Concept.FORMAT, "asked for in words")
    assert [
        Drop("top_k", "at most 5", DropAction.CHANGED),
        Drop("output_config.format", "asked for in words", DropAction.CHANGED),
    ] == report.drops


def test_members_of_a_shape_go_back_into_it_alone():
    """Those of another are reported, and none are no news."""
    found, report = writing()
    native = Native("generate", b'{"behavior":"x"}')
    assert native.data == found.own(native, "generate", Concept.TOOLS)
    assert found.own(None, "generate", Concept.TOOLS) is None
    assert [] == report.drops
    assert found.own(native, "messages", Concept.TOOLS) is None
    assert [Drop("tools", "only its own shape has behavior")] == report.drops


def test_what_only_the_callers_shape_has_is_left_out():
    """By the rank that its reader gave it."""
    found, report = writing()
    found.leaves_out(Extension("prediction", b"{}", Rank.HINT))
    assert ["prediction"] == [drop.member for drop in report.drops]


def test_a_namespace_is_part_of_the_name():
    """Only one shape has them."""
    found, _ = writing()
    assert "files__read" == found.target_name("read", "files")


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (ReasoningSettings(effort=Effort.HIGH), "output_config.effort"),
        (ReasoningSettings(effort=Effort.HIGH, shown=True), "thinking"),
    ],
)
def test_an_effort_alone_is_reported_as_one(asked, named):
    """By the member that the caller wrote, dropped or changed."""
    report = Report("this model")
    conversation = Conversation(shape="messages", model="m", reasoning=asked)
    found = WriterBase(conversation, target(ORIGIN, "gemini-x"), report)
    found.lacks(Concept.REASONING, "not there")
    found.changes(Concept.REASONING, "the nearest")
    found.lacks(Concept.TOP_K, "not there")
    assert [named, named, "top_k"] == [drop.member for drop in report.drops]
