"""Whole chat answers, read tolerantly."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    Refusal,
    Text,
    TokenLogprob,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import sse
from trivium.wire.chat import read_answer
from trivium.wire.chat.read_answer import ANSWER, read
from trivium.wire.chat.read_stream import Reader
from trivium.wire.codec import AnswerContext


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"index": 0, "message": {"role": "assistant", "content": "Hi"}}, []),
        ({"delta": {"tool_calls": [{"index": 0, "id": "1", "type": "function"}]}}, []),
        ({"delta": {"tool_calls": [{"index": 0, "shimmer": 1}]}}, [("shimmer", Loss.UNKNOWN)]),
        ({"message": {"content": "Hi", "shimmer": 1}}, [("shimmer", Loss.UNKNOWN)]),
        (
            {"native_finish_reason": "stop", "token_ids": None},
            [("native_finish_reason", Loss.NOTED)],
        ),
        ({"logprobs": {"content": None, "refusal": [1]}}, [("refusal", Loss.NOTED)]),
    ],
)
def test_members_of_a_choice_are_known(choice, told):
    """A message's and a delta's alike."""
    found = []
    ANSWER.look(
        msgspec.json.encode({"id": "c1", "choices": [choice]}),
        lambda name, loss: found.append((name, loss)),
    )
    assert told == found


CONTEXT = AnswerContext(origin=StateOrigin("chat", "openai", "a"), model="m2")
USAGE = Usage(fresh=12, cache_read=8, output=4, reasoning=3)
STOP = Finish(Unified.STOP, "stop")
CITATION = Citation(
    "https://example.com/",
    "Ex",
    4,
    8,
    native=Native(
        "chat",
        b'{"type":"url_citation","url_citation":{"start_index":4,"end_index":8,'
        b'"url":"https://example.com/","title":"Ex"}}',
    ),
)

ANSWERS = [
    ("text", (Text("Hello 👋"),), STOP),
    (
        "tools",
        (
            Text("Let me look."),
            ToolCall("call_1", "weather", '{"city": "Rome"}'),
            ToolCall("call_2", "now", "{}"),
        ),
        Finish(Unified.TOOL_CALLS, "tool_calls"),
    ),
    ("refusal", (Refusal("I cannot."),), STOP),
    ("reasoning", (Reasoning("Hm."), Text("Yes.")), STOP),
    ("length", (Text("Hel"),), Finish(Unified.LENGTH, "length")),
    ("safety", (), Finish(Unified.CONTENT_FILTER, "content_filter")),
    ("empty", (), STOP),
    ("annotations", (Text("See here.", (CITATION,)),), STOP),
    (
        "logprobs",
        (Text("Y", logprobs=(TokenLogprob("Y", -0.25, (TokenLogprob("x", -2.5),)),)),),
        STOP,
    ),
    (
        "audio",
        (Audio(Inline("audio/wav", "UklGRgAAAABXQVZF"), "Hello", "audio_1", 1795222800),),
        STOP,
    ),
]


@pytest.mark.parametrize(("name", "parts", "finish"), ANSWERS)
def test_an_answer_is_read(wire, name, parts, finish):
    """Its parts in order, why it ended, what it cost and who answered."""
    tier = "default" if name == "text" else None
    assert Answer(
        (Candidate(parts, finish),), USAGE, "chatcmpl-9", "gpt-5-2026-08-07", tier
    ) == read(wire(f"answer-{name}.json"), CONTEXT)


def test_choices_are_put_in_order_of_their_index():
    """And told apart."""
    body = {
        "choices": [
            {"index": 1, "message": {"content": "B"}, "finish_reason": "length"},
            {"index": 0, "message": {"content": "A"}, "finish_reason": "stop"},
        ]
    }
    answer = read(msgspec.json.encode(body), CONTEXT)
    assert (
        Candidate((Text("A"),), STOP),
        Candidate((Text("B"),), Finish(Unified.LENGTH, "length")),
    ) == answer.candidates
    assert answer.usage is None


def test_pictures_are_read_where_servers_put_them():
    """OpenRouter's ``images``."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    body = {"choices": [{"message": {"content": "Look", "images": [image, {"x": 1}]}}]}
    answer = read(msgspec.json.encode(body), CONTEXT)
    assert (Text("Look"), Image(Inline("image/png", "AAAA"))) == answer.candidates[0].parts


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices":[]}',
        b'{"choices":null}',
        b'{"choices":"x"}',
        b'{"error":{"message":"x"}}',
        b'{"choices":[{"message":{},"error":{"code":1}}]}',
        b'{"choices":[{"message":{},"finish_reason":"error"}]}',
    ],
)
def test_trap_104_what_is_no_answer_is_the_upstreams_failure(body):
    """Whatever its status said."""
    with pytest.raises(Fault) as caught:
        read(body, CONTEXT)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_calls_without_ids_are_calls_of_their_own():
    """Each stands whole in an answer; two of one id are told apart as well, or none is answered."""

    def calls(*ids):
        rows = [
            {"id": id_, "function": {"name": "look", "arguments": f'{{"at":{at}}}'}}
            for at, id_ in enumerate(ids)
        ]
        message = {"content": None, "tool_calls": rows}
        body = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
        return read(msgspec.json.encode(body), CONTEXT).candidates[0].parts

    for ids in ((None, None, None), ("", "", ""), ("a", "a", "a"), ("a", None, "a")):
        found = calls(*ids)
        assert ['{"at":0}', '{"at":1}', '{"at":2}'] == [call.arguments for call in found], ids
        assert 3 == len({call.id for call in found}), ids
        assert found == calls(*ids), "the same ids every time"


FUNCTIONS = st.fixed_dictionaries(
    {"name": st.sampled_from(["t", None])},
    optional={"arguments": st.sampled_from(["{}", {"a": 1}, None]), "x": st.just(1)},
)
CALLS = st.fixed_dictionaries(
    {"function": FUNCTIONS},
    optional={
        "index": st.integers(0, 1),
        "id": st.sampled_from(["c", "d", None]),
        "type": st.just("function"),
        "extra_content": st.just({"a": 1}),
        "shimmer": st.sampled_from([1, None]),
    },
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant"),
        "content": st.sampled_from(["Hi", "", None, [{"type": "text", "text": "a"}]]),
        "reasoning_content": st.sampled_from(["hm", None]),
        "tool_calls": st.lists(CALLS, max_size=2),
        "annotations": st.just([]),
        "shimmer": st.sampled_from([1, None]),
    },
)
LIKELY = st.fixed_dictionaries(
    {"content": st.sampled_from([None, [{"token": "Hi", "logprob": -1, "top_logprobs": []}]])},
    optional={"refusal": st.sampled_from([None, []])},
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 1),
        "message": SAID,
        "delta": SAID,
        "finish_reason": st.sampled_from(["stop", "tool_calls", "length", None]),
        "logprobs": st.one_of(st.none(), LIKELY),
        "usage": st.sampled_from([None, {"prompt_tokens": 1, "completion_tokens": 2}]),
        "native_finish_reason": st.sampled_from(["stop", None]),
    },
)
OBJECTS = st.fixed_dictionaries(
    {"id": st.sampled_from(["c1", None, 5]), "choices": st.lists(CHOICES, max_size=2)},
    optional={
        "model": st.just("m"),
        "object": st.just("chat.completion"),
        "created": st.just(1),
        "usage": st.sampled_from([None, {"prompt_tokens": 3, "completion_tokens": 4}]),
        "service_tier": st.sampled_from(["flex", None]),
        "error": st.sampled_from([None, {"message": "no"}]),
        "timings": st.just({"a": 1}),
        "x_groq": st.sampled_from([None, {"usage": {"prompt_tokens": 1}}]),
        "shimmer": st.sampled_from([1, None]),
    },
)


def told(reads):
    """What a reader gives, and tells that it does not know; or its fault."""
    unread = []
    context = AnswerContext(
        origin=StateOrigin("chat", "c", "m"),
        model="m",
        seed="s",
        unread=lambda *one: unread.append(one),
    )
    try:
        return repr(reads(context)), unread
    except Fault as fault:
        return str(fault)


@given(OBJECTS)
def test_a_long_answer_is_read_as_a_short_one(said):
    """In one decode where that tells all, and what it lacks is told all the same."""
    body = msgspec.json.encode(said)
    short = told(lambda context: read(body, context))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_answer, "LONG", 0)
        assert short == told(lambda context: read(body, context))


@given(st.lists(OBJECTS, max_size=3))
def test_a_long_frame_is_read_as_a_short_one(chunks):
    """Each by itself."""
    frames = [sse.frame(msgspec.json.encode(chunk)) for chunk in chunks]

    def events(context):
        reader = Reader(context)
        return [reader.feed(frame) for frame in frames], reader.end(None), reader.usage

    short = told(events)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sse, "LONG", 0)
        assert short == told(events)
