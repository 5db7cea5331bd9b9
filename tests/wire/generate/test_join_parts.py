"""A streamed answer that comes back in pieces is one text again."""

import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Role, Turn
from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.wire.generate.join_parts import together

CALL = ToolCall("call_1", "look", "{}")
THOUGHT = Reasoning("Hm.")
STATE = (Opaque(SIGNATURE, b"s", StateOrigin("generate", "gemini", "a")),)
SIGNED = Text("", opaque=STATE)
KEPT = Reasoning("b", ReasoningForm.SUMMARY, opaque=STATE)


def model(*parts):
    return Turn(Role.ASSISTANT, tuple(Text(one) if isinstance(one, str) else one for one in parts))


def user(*texts):
    return Turn(Role.USER, tuple(map(Text, texts)))


def summary(text):
    return Reasoning(text, ReasoningForm.SUMMARY)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([model("Hel"), model("lo"), model(" you")], [model("Hello you")]),
        ([user("a"), model("b"), model("c"), user("d")], [user("a"), model("bc"), user("d")]),
        (
            [model("a"), model("b"), user("c"), model("d"), model("e")],
            [model("ab"), user("c"), model("de")],
        ),
        ([model(THOUGHT, "a"), model("b"), model(CALL)], [model(THOUGHT, "ab"), model(CALL)]),
        ([model("a"), model("b", CALL), model("c")], [model("ab", CALL), model("c")]),
        ([model("a"), model("b", "c"), model("d")], [model("ab", "cd")]),
        ([model(summary("Let ")), model(summary("me."))], [model(summary("Let me."))]),
        (
            [model(summary("Hm")), model(summary("m."), "a"), model("b"), model(CALL)],
            [model(summary("Hmm."), "ab"), model(CALL)],
        ),
        ([model(""), model(summary("H")), model(""), model(summary("m"))], [model(summary("Hm"))]),
        ([user("a"), model(CALL), model(""), user("b")], [user("a"), model(CALL), user("b")]),
        ([user("a"), model(""), model(""), user("b")], [user("a"), model(""), user("b")]),
    ],
)
def test_text_and_thoughts_go_on_in_the_next_content(turns, expected):
    """Word halves meet again, over a silence as well; whatever stands between keeps its place."""
    assert tuple(expected) == together(tuple(turns))


@pytest.mark.parametrize(
    "turns",
    [
        [],
        [user("a"), model("b"), user("c")],
        [user("a"), user("b")],
        [model("a", "b")],
        [model("a"), model(SIGNED)],
        [model(SIGNED), model("a")],
        [model(THOUGHT), model("a")],
        [model(summary("a")), model("b")],
        [model(summary("a")), model(KEPT)],
        [user("a"), model(""), user("b")],
        [model("a"), model(), model("b")],
    ],
)
def test_everything_else_is_left_alone(turns):
    """Parts of one content are the model's own, and a signature belongs to its exact part."""
    turns = tuple(turns)
    assert turns is together(turns)
