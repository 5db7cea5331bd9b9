"""Readable reasoning reaches those who asked for it, and nothing else of an answer is touched."""

import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.events import Delta, Deltas, PartEnd, PartStart
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.conversation.request import Effort, ReasoningSettings, Thinking
from trivium.conversation.unrequested_reasoning import ReasoningRemover, muted, wants_thoughts

SEALED = (Opaque(SIGNATURE, b"s", StateOrigin("messages", "anthropic", "a"), "m"),)
ON, OFF = Thinking.ON, Thinking.OFF


@pytest.mark.parametrize(
    ("wanted", "messages", "generate"),
    [
        (None, False, False),
        (ReasoningSettings(), False, False),
        (ReasoningSettings(effort=Effort.HIGH), False, False),
        (ReasoningSettings(OFF), False, False),
        (ReasoningSettings(ON), True, False),
        (ReasoningSettings(Thinking.ADAPTIVE), True, False),
        (ReasoningSettings(ON, shown=False), False, False),
        (ReasoningSettings(shown=True), True, True),
        (ReasoningSettings(ON, shown=True), True, True),
    ],
)
def test_who_asked_for_thoughts_is_a_matter_of_the_shape(wanted, messages, generate):
    assert wants_thoughts(wanted, by_switch=True) is messages
    assert wants_thoughts(wanted, by_switch=False) is generate


def test_a_whole_answer_keeps_what_is_attached_and_everything_else():
    parts = (Reasoning("Hm.", opaque=SEALED), Text("Hi"), Reasoning("So."))
    end = Finish(Unified.STOP, "stop")
    (candidate,) = muted(Answer((Candidate(parts, end),))).candidates
    assert candidate == Candidate(
        (
            Reasoning("", ReasoningForm.HIDDEN, opaque=SEALED),
            Text("Hi"),
            Reasoning("", ReasoningForm.HIDDEN),
        ),
        end,
    )


def test_a_stream_loses_the_words_of_its_reasoning_alone_also_where_parts_overlap():
    mute = ReasoningRemover()
    first = mute.events([PartStart(0, Reasoning("Hm")), PartStart(1, Text("")), Delta(0, "m")])
    assert first == [PartStart(0, Reasoning("", ReasoningForm.HIDDEN)), PartStart(1, Text(""))]
    rest = [Delta(1, "Hi"), PartEnd(0, SEALED), Deltas(1, ["!", "?"]), PartEnd(1)]
    assert mute.events([Deltas(0, ["a", "b"]), *rest]) == rest
