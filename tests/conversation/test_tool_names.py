"""A tool that had to be renamed for the model is called by its own name again."""

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Delta, PartStart
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.conversation.tool_names import restored, restored_events, shortened
from trivium.conversation.tools import FunctionTool

LONG = "mcp__plugin_chrome-devtools-mcp_chrome-devtools__get_console_message"
ASKED = Conversation(
    shape="messages",
    model="m",
    tools=(FunctionTool(LONG), FunctionTool("look"), FunctionTool("a.b")),
)
FACTS = target(StateOrigin("chat", "openai", "main"), "m")


def test_trap_018_only_names_that_were_changed_are_remembered():
    """Too long, or of characters the target does not take; never two of one."""
    names = shortened(ASKED, FACTS)
    assert {LONG, "a.b"} == set(names.values())
    assert all(len(name) <= 64 for name in names)


def test_an_answer_has_the_callers_names_again():
    """Whole and streamed; everything else is as it was."""
    names = shortened(ASKED, FACTS)
    (short_,) = [name for name, own in names.items() if own == LONG]
    call, other, said = ToolCall("1", short_, "{}"), ToolCall("2", "look", "{}"), Text(text="x")
    (candidate,) = restored(Answer((Candidate((said, call, other)),)), names).candidates
    assert ("x", LONG, "look") == (
        candidate.parts[0].text, candidate.parts[1].name, candidate.parts[2].name,
    )  # fmt: skip
    events = [PartStart(0, call), Delta(0, "{}"), PartStart(1, ToolCall("3", "made_up"))]
    back = restored_events(events, names)
    assert [LONG, "made_up"] == [e.part.name for e in back if type(e) is PartStart]
    assert events[1] is back[1]
