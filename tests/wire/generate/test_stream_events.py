"""Chunks told as canonical events."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Citation, Reasoning, ReasoningForm, Text, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.generate import views
from trivium.wire.generate.stream_events import StreamEvents

TEXT, THOUGHT = Text(text=""), Reasoning(text="", form=ReasoningForm.SUMMARY)
STOP = Finish(Unified.STOP, "STOP")


def tell(wires, *chunks, fault=None, **context):
    """Events of chunks given as lists of parts, or as whole members."""
    telling = StreamEvents(AnswerContext(origin=wires.origin, model="gemini-x", **context))
    out = []
    for chunk in chunks:
        if not telling.over:
            telling.chunk(chunk if isinstance(chunk, bytes) else chunked(chunk), out)
    telling.end(fault, out)
    return out


def chunked(chunk, **candidate):
    if isinstance(chunk, list):
        chunk = {"candidates": [{"content": {"parts": chunk}, "index": 0, **candidate}]}
    return json.dumps(chunk).encode()


def last(*parts):
    return chunked(list(parts), finishReason="STOP")


def body(events):
    """Without the frame around the parts."""
    assert type(events[0]) is Start
    assert [Finished(STOP), Done()] == events[-2:]
    return events[1:-2]


def test_texts_of_one_kind_are_one_part(wires):
    """Thoughts, then words; both grow by deltas."""
    assert [
        PartStart(0, THOUGHT),
        Delta(0, "a"),
        Delta(0, "b"),
        PartEnd(0),
        PartStart(1, TEXT),
        Delta(1, "c"),
        Delta(1, "d"),
        PartEnd(1),
    ] == body(
        tell(
            wires,
            [{"text": "a", "thought": True}],
            [{"text": "b", "thought": True}, {"text": "c"}],
            [{"text": "d"}],
            last({"text": ""}),
        )
    )


def test_a_signature_on_an_empty_last_text_is_that_of_the_text_before(wires):
    """Who filters empty texts loses it."""
    assert [
        PartStart(0, TEXT),
        Delta(0, "a"),
        PartEnd(0, (wires.signature(),)),
    ] == body(tell(wires, [{"text": "a"}], last({"text": "", "thoughtSignature": "AAEC"})))


def test_a_signed_text_is_a_part_of_its_own(wires):
    """A signature belongs to the exact part it came on."""
    assert [
        PartStart(0, TEXT),
        Delta(0, "a"),
        PartEnd(0),
        PartStart(1, TEXT),
        Delta(1, "b"),
        PartEnd(1, (wires.signature(),)),
        PartStart(2, TEXT),
        Delta(2, "c"),
        PartEnd(2),
    ] == body(
        tell(
            wires,
            [{"text": "a"}],
            [{"text": "b", "thoughtSignature": "AAEC"}, {"text": "c"}],
            last(),
        )
    )


def test_a_signature_with_nothing_before_it_is_an_empty_part(wires):
    """It must go back, so it must be somewhere."""
    signed = {"thoughtSignature": "AAEC"}
    for part in ({"text": "", **signed}, signed):
        assert [PartStart(0, TEXT), PartEnd(0, (wires.signature(),))] == body(
            tell(wires, last(part))
        )


def test_a_call_comes_whole(wires):
    """Trap 3: one delta with all the arguments, at least ``{}``."""
    call = {"id": "1", "name": "f"}
    assert [
        PartStart(0, TEXT),
        Delta(0, "a"),
        PartEnd(0),
        PartStart(1, ToolCall(id="1", name="f")),
        Delta(1, '{"q":[1.0]}'),
        PartEnd(1, (wires.signature(),)),
        PartStart(2, ToolCall(id="1", name="f")),
        Delta(2, "{}"),
        PartEnd(2),
    ] == tell(
        wires,
        [{"text": "a"}],
        [{"functionCall": {**call, "args": {"q": [1.0]}}, "thoughtSignature": "AAEC"}],
        last({"functionCall": call}),
    )[1:-2]


@pytest.mark.parametrize("order", [["call", "stop"], ["call with stop"], ["call", "stop", "stop"]])
def test_a_stop_after_a_call_is_a_tool_call(wires, order):
    """Trap 86: a later chunk must not make a stop of it."""
    call = {"functionCall": {"name": "f"}}
    chunks = {"call": [call], "stop": last(), "call with stop": last(call)}
    events = tell(wires, *(chunks[name] for name in order))
    assert Finished(Finish(Unified.TOOL_CALLS, "STOP")) == events[-2]


def test_a_stop_in_every_chunk_is_one_end(wires):
    """Some upstreams say it from the first chunk on."""
    events = tell(wires, last({"text": "a"}), last({"text": "b"}))
    assert ["a", "b"] == [event.text for event in events if type(event) is Delta]
    assert 1 == sum(type(event) is Finished for event in events)


def test_a_blocked_prompt_is_a_filtered_answer(wires):
    """Trap 90: no candidates, but usage and an end."""
    events = tell(wires, wires.fixture("blocked.json"))
    assert [Start, Finished, UsageReport, Done] == [type(event) for event in events]
    assert (Unified.CONTENT_FILTER, "PROHIBITED_CONTENT") == (
        events[1].finish.unified,
        events[1].finish.raw,
    )
    assert 9 == events[2].usage.fresh


@pytest.mark.parametrize("before", [{"text": "Half a"}, {"text": ""}])
def test_an_answer_that_is_blocked_midway_is_a_filtered_one(wires, before):
    """The vendor's filter speaks late at times: the same chunk as of a blocked prompt, and the end
    of the stream. Nothing broke, and nobody is to be asked again.
    """
    counters = {"promptTokenCount": 9, "totalTokenCount": 9}
    block = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": counters}
    events = tell(wires, [before], block)
    assert [Finished, UsageReport, Done] == [type(event) for event in events[-3:]]
    assert (Unified.CONTENT_FILTER, "PROHIBITED_CONTENT", 0) == (
        events[-3].finish.unified,
        events[-3].finish.raw,
        events[-3].candidate,
    )


@pytest.mark.parametrize("beside", [{}, {"thoughtSignature": "AAEC"}, {"inlineData": None}])
def test_a_call_beside_an_empty_text_is_a_call(wires, beside):
    """Servers that print every member write it so."""
    part = {"text": "", "functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}, **beside}
    (candidate,) = wires.assembled(tell(wires, last(part))).candidates
    assert [("c1", '{"a":1}')] == [(one.id, one.arguments) for one in candidate.parts]
    assert Unified.TOOL_CALLS is candidate.finish.unified
    assert ("thoughtSignature" in beside) == bool(candidate.parts[0].opaque)


@pytest.mark.parametrize("beside", [{}, {"functionCall": None}, {"thought": False}])
def test_an_empty_text_alone_says_nothing(wires, beside):
    """As before."""
    (candidate,) = wires.assembled(tell(wires, last({"text": "", **beside}))).candidates
    assert () == candidate.parts


def test_sources_may_follow_the_signature_of_their_text(wires):
    """In a chunk of their own, with the end; what comes next closes the text."""
    web = {"groundingChunks": [{"web": {"uri": "https://a.example"}}], "groundingSupports": [
        {"segment": {"startIndex": 0, "endIndex": 2}, "groundingChunkIndices": [0]}]}  # fmt: skip
    end = {"index": 0, "finishReason": "STOP", "groundingMetadata": web}
    signed = {"text": "", "thoughtSignature": "AAEC"}
    told = tell(wires, [{"text": "Hi"}], [signed], {"candidates": [end]})
    (candidate,) = wires.assembled(told).candidates
    (text,) = (one for one in candidate.parts if type(one) is Text and one.text)
    assert (Citation("https://a.example", None, 0, 2),) == text.citations
    assert 1 == len(text.opaque)


def test_a_block_does_not_undo_an_end(wires):
    """What was complete stays so."""
    events = tell(wires, last({"text": "a"}), {"promptFeedback": {"blockReason": "OTHER"}})
    assert [STOP] == [event.finish for event in events if type(event) is Finished]


def test_an_answer_without_an_end_is_cut_short(wires):
    """A cut answer must not look complete; nor one without any candidate."""
    for chunks in ([[{"text": "a"}]], [{"usageMetadata": {"promptTokenCount": 1}}], []):
        events = tell(wires, *chunks)
        assert type(events[-1]) is Failed
        assert Kind.UPSTREAM_BROKE is events[-1].fault.kind


def test_a_candidate_that_never_ended_is_cut_short(wires):
    """All of them must have said why."""
    two = {"candidates": [{"index": 0, "finishReason": "STOP"}, {"index": 1, "content": {"parts": [{"text": "a"}]}}]}  # fmt: skip
    assert type(tell(wires, two)[-1]) is Failed


def test_candidates_take_turns(wires):
    """Part indexes run over all of them."""
    answer = wires.assembled(wires.events(wires.fixture("candidates.sse")))
    assert [
        [("Text", "Aa")],
        [("Text", "Bb"), ("ToolCall", "{}")],
    ] == [
        [(type(part).__name__, getattr(part, "text", None) or part.arguments) for part in one.parts]
        for one in answer.candidates
    ]
    assert [Unified.LENGTH, Unified.TOOL_CALLS] == [one.finish.unified for one in answer.candidates]


def test_grounding_cites_the_text_it_came_with(wires):
    """Byte offsets become code points, also when a signature ends the text in the same chunk."""
    text = {"text": "Köln", "thoughtSignature": "AAEC"}
    found = {
        "groundingChunks": [{"web": {"uri": "https://a.example"}}],
        "groundingSupports": [{"segment": {"endIndex": 5}, "groundingChunkIndices": [0]}],
    }
    chunk = chunked([text], finishReason="STOP", groundingMetadata=found)
    assert [
        PartStart(0, TEXT),
        Delta(0, "Köln"),
        Cited(0, Citation("https://a.example", None, 0, 4)),
        PartEnd(0, (wires.signature(),)),
    ] == body(tell(wires, chunk))


def test_probabilities_belong_to_the_text_of_their_chunk(wires):
    """One list a chunk."""
    result = {"chosenCandidates": [{"token": "a", "logProbability": -1}]}
    chunk = chunked([{"text": "a"}], finishReason="STOP", logprobsResult=result)
    assert Delta(0, "a", (TokenLogprob("a", -1.0),)) in tell(wires, chunk)


def test_the_first_chunk_tells_who_answers_and_what_is_known(wires):
    """Messages says the input at once."""
    chunk = {"candidates": [], "usageMetadata": {"promptTokenCount": 3}, "modelVersion": "g-1", "responseId": "r"}  # fmt: skip
    assert Start("r", "g-1", Usage(fresh=3)) == tell(wires, chunk)[0]


@pytest.mark.parametrize(
    "chunk",
    [
        b"",
        b"nope",
        b"[]",
        b'{"candidates":5}',
        b'{"candidates":[{"content":{"parts":"x"}}]}',
        b'{"candidates":[{"index":1000000000}]}',
        b'{"candidates":[{"index":-1}]}',
        b'{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}',
        b'{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}',
    ],
)
def test_nonsense_fails_and_never_raises(wires, chunk):
    """One failure, and nothing behind it."""
    events = tell(wires, [{"text": "a"}], chunk, last({"text": "b"}))
    assert [Failed] == [type(event) for event in events if type(event) in (Failed, Done)]
    assert Kind.UPSTREAM_BROKE is events[-1].fault.kind


@pytest.mark.parametrize(
    "chunk",
    [
        {"candidates": None},
        {"candidates": [None]},
        {"candidates": [{"content": None, "finishReason": None}]},
        {"candidates": [{"content": {"parts": [None, {}, {"text": None}, {"text": 5}]}, "index": "0"}]},
        {"error": None, "promptFeedback": {"safetyRatings": []}},
        {"usageMetadata": "x", "modelVersion": 5, "responseId": None},
    ],
)  # fmt: skip
def test_members_that_say_nothing_change_nothing(wires, chunk):
    """Read tolerantly: nulls, empty parts, other types where nobody looks."""
    assert ["a"] == [
        event.text for event in tell(wires, chunk, last({"text": "a"})) if type(event) is Delta
    ]


def test_what_an_error_means_is_told_from_outside(wires):
    """Vendors' errors are understood above the codecs."""
    seen = []

    def refused(error):
        seen.append(json.loads(error))
        return wires.refused({})

    events = tell(wires, {"error": {"code": 503}}, refused=refused)
    assert [{"code": 503}] == seen
    assert [Failed] == [type(event) for event in events]


@pytest.mark.parametrize("count", [3, 700])
def test_counters_are_the_last_ones_reported(wires, count):
    """Replaced, never added; a cached count that is not repeated is kept."""
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11}
    chunks = [
        {"candidates": [{"content": {"parts": [{"text": "a"}]}, "index": 0}], "usageMetadata": one}
        for one in [{**usage, "cachedContentTokenCount": 4}, *[usage] * count]
    ]
    events = tell(wires, *chunks, last())
    assert UsageReport(Usage(fresh=6, cache_read=4, output=1)) == events[-2]


WORDS = st.sampled_from(["", "a", "é", "\\", '"', "null"])
ARGUMENTS = st.sampled_from([{}, None, {"a": [1, 2.5]}, {"b": "\\u00e9 é \n"}, [], "x"])
CALLS = st.fixed_dictionaries(
    {"name": st.sampled_from(["t", "", None, 7])},
    optional={
        "id": st.sampled_from(["c", "", None, 3]),
        "args": ARGUMENTS,
        "partialArgs": st.none(),
        "willContinue": st.booleans(),
        "x": st.just(1),
    },
)
PARTS = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.one_of(WORDS, st.none()),
            "thought": st.sampled_from([True, False, None]),
            "thoughtSignature": st.sampled_from(["AAAA", "", None]),
            "functionCall": st.one_of(CALLS, st.sampled_from([None, 1, []])),
            "inlineData": st.just({"mimeType": "image/png", "data": "AAAA"}),
            "videoMetadata": st.just({"fps": 1}),
        },
    ),
)
CHUNKS = st.fixed_dictionaries(
    {
        "candidates": st.lists(
            st.fixed_dictionaries(
                {"content": st.fixed_dictionaries({"parts": st.lists(PARTS, max_size=3)})},
                optional={
                    "index": st.integers(0, 1),
                    "finishReason": st.sampled_from(["STOP", "MAX_TOKENS"]),
                    "avgLogprobs": st.sampled_from([-0.5, None, 0]),
                    "safetyRatings": st.sampled_from([[], [{"category": "A"}]]),
                    "urlContextMetadata": st.just({"a": 1}),
                },
            ),
            max_size=2,
        )
    },
    optional={
        "responseId": st.sampled_from(["r", None, 5]),
        "modelVersion": st.just("gemini-y"),
        "usageMetadata": st.just({"promptTokenCount": 3, "candidatesTokenCount": 2}),
        "promptFeedback": st.just({"blockReason": "SAFETY"}),
        "error": st.sampled_from([None, {"code": 500}]),
        "y": st.sampled_from([1, None]),
    },
)


@given(st.lists(CHUNKS, min_size=1, max_size=3))
def test_a_long_object_tells_what_a_short_one_does(chunks):
    """It is read in one decode where that tells all, and reports what it lacks all the same."""

    def told():
        unread = []
        context = AnswerContext(
            origin=StateOrigin("gemini", "generate", "gemini-x"),
            model="gemini-x",
            seed="s",
            unread=lambda *one: unread.append(one),
        )
        telling, out = StreamEvents(context), []
        for chunk in chunks:
            if not telling.over:
                telling.chunk(json.dumps(chunk).encode(), out)
        telling.end(None, out)
        return [repr(event) for event in out], sorted(map(repr, unread)), repr(telling.usage)

    short = told()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "MENDED_BYTES_MAX", 0)
        assert short == told()


def test_a_long_call_is_read_in_one_decode(wires, monkeypatch):
    """A call of megabytes is gone over for its members once."""
    args = {"a": "long " * 500_000}
    data = last({"functionCall": {"id": "c", "name": "t", "args": args}})
    monkeypatch.delattr(views, "head")
    monkeypatch.delattr(views, "_loose")
    monkeypatch.delattr(views, "chunk")
    _, call, delta, end, *_ = tell(wires, data)
    assert ToolCall("c", "t") == call.part
    assert args == json.loads(delta.text)
    assert PartEnd(0) == end
