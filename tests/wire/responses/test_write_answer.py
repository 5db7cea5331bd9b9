"""Whole answers as callers get them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import Reasoning, Text, TokenLogprob
from trivium.wire.responses import write_answer
from trivium.wire.responses.codec import CODEC
from trivium.wire.responses.write_stream import Writer
from wire.responses.streams import USAGE, context


def test_an_answer_is_one_object():
    """Parts become items with ids of their places; an end that is none says so."""
    answer = Answer(
        (Candidate((Text("Hi"), ToolCall("c", "f")), Finish(Unified.LENGTH)),), USAGE, "up", "m-2"
    )
    found = json.loads(CODEC.write_answer(answer, context()))
    assert ("resp_0a1B", "fast", "incomplete", {"reason": "max_output_tokens"}) == (
        found["id"],
        found["model"],
        found["status"],
        found["incomplete_details"],
    )
    assert [
        ("msg_0a1B_0", "message", "completed"),
        ("fc_0a1B_1", "function_call", "incomplete"),
    ] == [(item["id"], item["type"], item["status"]) for item in found["output"]]
    assert "{}" == found["output"][1]["arguments"]


def test_the_tier_that_served_it_is_told():
    """Before the one asked for."""
    answer = Answer((Candidate(()),), service_tier="flex")
    assert "flex" == json.loads(CODEC.write_answer(answer, context()))["service_tier"]


def test_the_same_answer_is_the_same_bytes():
    """No clock, no randomness."""
    answer = Answer((Candidate((Text("Hi"),), Finish(Unified.STOP)),), USAGE)
    assert CODEC.write_answer(answer, context()) == CODEC.write_answer(answer, context())


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (Text("Hi"),),
        (Text("Hi"), Text(" there"), ToolCall("c", "f")),
        (ToolCall("", "f", '{"a":1}'), Text("and"), ToolCall("d", "g", "x", CallKind.CUSTOM)),
        (Text(""), ToolCall("c", "f")),
        (Reasoning("hm"), Text("Hi")),
    ],
)
@pytest.mark.parametrize("end", [Unified.STOP, Unified.LENGTH])
def test_it_is_what_the_stream_of_the_answer_ends_with(parts, end):
    """Items, ids, statuses: whole and streamed answers differ in nothing."""
    answer = Answer((Candidate(parts, Finish(end)),), USAGE, service_tier="flex")
    stream = Writer(context())
    stream.feed(replayed(answer))
    assert stream.answer() == CODEC.write_answer(answer, context())


TOKENS = st.builds(
    TokenLogprob,
    st.sampled_from(["a", "é", "\u2028", '"', ""]),
    st.sampled_from([-0.5, -1e-9, 0.0]),
    st.lists(st.builds(TokenLogprob, st.just("b"), st.just(-2.0)), max_size=2).map(tuple),
    st.sampled_from([None, b"\xe2\x80"]),
)
TEXTS = st.builds(
    Text, st.sampled_from(["Hi", "é\u2028", " "]), logprobs=st.lists(TOKENS, max_size=3).map(tuple)
)
PARTS = st.one_of(TEXTS, st.just(ToolCall("c1", "t", '{"a":1}')))


@given(st.lists(PARTS, min_size=1, max_size=4), st.sampled_from([Unified.STOP, Unified.LENGTH]))
def test_a_plain_answer_is_what_its_stream_ends_with(parts, word):
    """Words with probabilities and calls are written without telling the stream."""
    answer = Answer((Candidate(tuple(parts), Finish(word)),), USAGE)
    told = CODEC.write_answer(answer, context())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_answer, "_plain", lambda part: False)
        assert CODEC.write_answer(answer, context()) == told
