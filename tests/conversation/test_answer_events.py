"""A whole answer told as events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import Cited, Delta, Done, Finished, PartEnd, PartStart, Start
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.usage import Usage

SEALED = (Opaque(SIGNATURE, b"s"),)
WORDS = st.sampled_from(["", "a", "a b", "größe"])
OPAQUE = st.sampled_from([(), SEALED])
ARGUMENTS = st.sampled_from(["{}", '{"a":1}'])
PARTS = st.one_of(
    st.builds(
        Text,
        text=WORDS,
        citations=st.sampled_from([(), (Citation(url="u", start=0, end=1),)]),
        opaque=OPAQUE,
    ),
    st.just(Text("a", logprobs=(TokenLogprob("a", -0.5),))),
    st.builds(Reasoning, text=WORDS, form=st.sampled_from(ReasoningForm), opaque=OPAQUE),
    st.builds(Refusal, text=WORDS),
    st.builds(ToolCall, st.just("id"), st.just("size"), ARGUMENTS, opaque=OPAQUE),
    st.builds(ToolCall, st.just("id"), st.just("patch"), WORDS, st.just(CallKind.CUSTOM)),
    st.just(Image(Inline("image/png", "AAAA"), opaque=SEALED)),
    st.just(VendorPart(Native("messages", b"{}"), "server_tool_use")),
)
CANDIDATES = st.builds(
    Candidate,
    st.lists(PARTS, max_size=4).map(tuple),
    st.builds(Finish, st.sampled_from(Unified), st.sampled_from(["", "raw"])),
)
ANSWERS = st.builds(
    Answer,
    st.lists(CANDIDATES, min_size=1, max_size=3).map(tuple),
    st.sampled_from([None, Usage(fresh=3, output=4)]),
    st.just("id"),
    st.just("m"),
    st.sampled_from([None, "flex"]),
)


@given(ANSWERS)
def test_what_is_told_is_the_answer(answer):
    """Assembled, the events are the answer again, in every member."""
    assert answer == assembled(replayed(answer))


@given(ANSWERS)
def test_events_keep_the_legal_order(answer):
    """One start first, one end last, parts opened in order and closed, no empty delta."""
    events = replayed(answer)
    assert (Start, Done) == (type(events[0]), type(events[-1]))
    open_, opened, finished = None, 0, False
    for event in events[1:-1]:
        if isinstance(event, PartStart):
            assert (None, opened, False) == (open_, event.index, finished)
            open_, opened = event.index, opened + 1
        elif isinstance(event, Delta | Cited):
            assert open_ == event.index
            assert not isinstance(event, Delta) or event.text
        elif isinstance(event, PartEnd):
            assert open_ == event.index
            open_ = None
        elif isinstance(event, Finished):
            finished = True
    assert (None, True) == (open_, finished)


@pytest.mark.parametrize(("kind", "expected"), [(CallKind.FUNCTION, ["{}"]), (CallKind.CUSTOM, [])])
def test_a_function_call_without_arguments_says_so(kind, expected):
    """Readers of streams wait for at least one delta of a function call."""
    events = replayed(Answer((Candidate((ToolCall("id", "size", "", kind),)),)))
    assert expected == [event.text for event in events if isinstance(event, Delta)]
