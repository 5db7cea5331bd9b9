"""Deltas told together mean what they mean one by one, to everybody who is given events."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.custom_tools import Customs
from trivium.conversation.events import (
    Delta,
    Deltas,
    Done,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    spelled,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.parts import Reasoning, Text, TokenLogprob
from trivium.conversation.request import Conversation
from trivium.conversation.sequential_parts import SequentialParts
from trivium.conversation.stop_sequences import Cutter
from trivium.conversation.tools import CustomTool, FunctionTool
from trivium.pipeline.continuation import Rounds
from trivium.response_store.signatures.tracer import Tracer
from trivium.wire.codec import WriteContext
from trivium.wire.codecs import CODECS
from trivium.wire.completions.codec import CODEC as COMPLETIONS
from trivium.wire.operation import Shape

TOOLS = (CustomTool("draw"), FunctionTool("f"))
KINDS = (
    Text(""),
    Reasoning(""),
    ToolCall("call_a", "f"),
    ToolCall("call_b", "draw"),
)
LIKELY = TokenLogprob("a", -0.5)
WRITERS = [*CODECS.values(), COMPLETIONS]
SPOKEN = Conversation(shape="chat", model="m", turns=(Turn(Role.USER, (Text("Hi"),)),), tools=TOOLS)


@st.composite
def answers(draw):
    """Reads of one answer: parts that may overlap, pieces alone and together."""
    events, open_ = [Start()], []
    pieces = st.lists(
        st.sampled_from(["a", "{", '{"input":"', "END", '"}', "é\n", "E"]), min_size=1
    )
    for kind in draw(st.lists(st.sampled_from(KINDS), max_size=4, unique_by=id)):
        open_.append(sum(type(one) is PartStart for one in events))
        events.append(PartStart(open_[-1], kind))
        for _ in range(draw(st.integers(0, 4))):
            index = draw(st.sampled_from(open_))
            choice = draw(st.integers(0, 5))
            if choice == 0:
                is_text = any(PartStart(index, Text("")) == one for one in events)
                events.append(Delta(index, "a", (LIKELY,) if is_text else ()))
            elif choice == 1:
                events.append(Delta(index, draw(pieces)[0]))
            else:
                events.append(Deltas(index, draw(pieces)))
        if draw(st.booleans()):
            events.append(PartEnd(open_.pop(draw(st.integers(0, len(open_) - 1)))))
        if draw(st.booleans()):
            events.append(KeepAlive())
    events += [PartEnd(index) for index in open_]
    events += [Finished(Finish(Unified.STOP)), Done()]
    reads, at = [], 0
    while at < len(events):
        size = draw(st.integers(1, 6))
        reads.append(events[at : at + size])
        at += size
    return reads


def test_spelled_out_they_are_deltas():
    """In their place, and in their order."""
    assert [Start(), Delta(1, "a"), Delta(1, "b"), PartEnd(1)] == spelled(
        [Start(), Deltas(1, ["a", "b"]), PartEnd(1)]
    )


@given(answers())
def test_an_answer_is_put_together_from_both(reads):
    """By whoever remembers it."""
    events = [event for read in reads for event in read]
    assert assembled(spelled(events)) == assembled(events)


@pytest.mark.parametrize(
    "filtering",
    [
        lambda: Customs(TOOLS).events,
        lambda: Cutter(("END",), 9).events,
        lambda: SequentialParts().feed,
        lambda: Rounds(SPOKEN, Shape.GENERATE, lambda _: b"{}").events,
        lambda: Rounds(SPOKEN, Shape.MESSAGES, lambda _: b"{}").events,
        lambda: Tracer("req_1", {}.__setitem__).events,
    ],
    ids=["customs", "cutter", "serial", "rounds", "resent", "tracer"],
)
@given(reads=answers())
def test_filters_make_the_same_of_both(filtering, reads):
    """Names, ends, order, rounds and traces."""
    one, other = filtering(), filtering()
    for read in reads:
        assert one(spelled(read)) == spelled(other(read))


@pytest.mark.parametrize("codec", WRITERS, ids=lambda codec: codec.shape.value)
@given(reads=answers())
def test_the_same_is_missed_in_both(codec, reads):
    """Probabilities, reasoning, and calls that were cut."""
    told = []
    for spell in (spelled, list):
        report = Report("the chat shape of m")
        places = msgspec.structs.replace(codec.places, cut_calls=frozenset({Unified.STOP}))
        placing = LossReporter(places, report)
        for read in reads:
            placing.events(spell(read))
        told.append(report.drops)
    assert told[0] == told[1]


@pytest.mark.parametrize("codec", WRITERS, ids=lambda codec: codec.shape.value)
@given(reads=answers())
def test_writers_write_the_same_bytes_for_both(codec, reads):
    """Each delta its own frame, with its own number."""
    context = WriteContext(request=SPOKEN, id="0a", created=0, model="m", request_id="req_1")
    one, other = codec.write_stream(context), codec.write_stream(context)
    for read in reads:
        assert one.feed(spelled(read)) == other.feed(read)
