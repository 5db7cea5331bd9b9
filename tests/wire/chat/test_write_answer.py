"""Canonical answers as whole chat completions."""

import msgspec
import pytest
from openai.types.chat import ChatCompletion

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
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
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.wire.chat.read_answer import read
from trivium.wire.chat.write_answer import write
from trivium.wire.codec import AnswerContext

STOP = Finish(Unified.STOP, "stop")
CALLED = Finish(Unified.TOOL_CALLS, "tool_calls")
OPAQUE = (Opaque("signature", b"sig", StateOrigin("messages", "anthropic", "a")),)


@pytest.fixture
def choice(writing):
    """The only choice of an answer of these parts."""

    def run(*parts, finish=STOP, members=None, **context):
        body = write(Answer((Candidate(parts, finish),)), writing(members, **context))
        ChatCompletion.model_validate_json(body)
        return msgspec.json.decode(body)["choices"][0]

    return run


def test_a_plain_answer(writing):
    """Every required member, in the gateway's own names."""
    answer = Answer(
        (Candidate((Text("Hi"),), STOP),),
        Usage(fresh=12, cache_read=5, cache_write_short=2, cache_write_long=1, output=4),
        "chatcmpl-upstream",
        "secret-model",
        "flex",
    )
    assert {
        "id": "chatcmpl-abc",
        "object": "chat.completion",
        "created": 1795219200,
        "model": "public",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hi", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 4,
            "total_tokens": 24,
            "prompt_tokens_details": {
                "cached_tokens": 5,
                "audio_tokens": 0,
                "cache_write_tokens": 3,
            },
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "flex",
    } == msgspec.json.decode(write(answer, writing()))


MESSAGES = [
    pytest.param((Text("a"), Text("b")), {"content": "ab"}, id="texts"),
    pytest.param((), {"content": ""}, id="trap-090-nothing"),
    pytest.param((Refusal("No."),), {"content": None, "refusal": "No."}, id="refusal"),
    pytest.param(
        (Reasoning("A"), Reasoning("B"), Text("c")),
        {"content": "c", "reasoning_content": "A\n\nB"},
        id="reasoning",
    ),
    pytest.param(
        (ToolCall("a", "f", ""),),
        {
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        id="trap-001-call",
    ),
    pytest.param(
        (Text("x"), ToolCall("a", "p", "raw", CallKind.CUSTOM)),
        {
            "content": "x",
            "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "p", "input": "raw"}}],
        },
        id="trap-019-text-and-custom-call",
    ),
    pytest.param(
        (Audio(Inline("audio/wav", "AAAA"), "Hi", "audio_1", 9),),
        {
            "content": None,
            "audio": {"id": "audio_1", "data": "AAAA", "transcript": "Hi", "expires_at": 9},
        },
        id="audio",
    ),
    pytest.param(
        (Image(Inline("image/png", "AAAA")),),
        {
            "content": "",
            "images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
        },
        id="image",
    ),
    pytest.param(
        (Text("a"), VendorPart(Native("generate", b"{}"), "x", text="b")),
        {"content": "a"},
        id="vendor",
    ),
    pytest.param(
        (
            Text("👋 "),
            Text("See here.", (Citation("https://e.com/", "E", 4, 8), Citation(title="book"))),
        ),
        {
            "content": "👋 See here.",
            "annotations": [
                {
                    "type": "url_citation",
                    "url_citation": {
                        "start_index": 6,
                        "end_index": 10,
                        "url": "https://e.com/",
                        "title": "E",
                    },
                }
            ],
        },
        id="trap-022-citations",
    ),
]


@pytest.mark.parametrize(("parts", "message"), MESSAGES)
def test_a_message_is_written(choice, parts, message):
    """Content is null only beside something else that was said."""
    assert {"role": "assistant", "refusal": None, **message} == choice(*parts)["message"]


def test_attachments_ride_beside_what_they_belong_to(choice):
    """Sealed, with where the thought stands in the reasoning."""
    message = choice(
        Reasoning("One."),
        Reasoning("Two.", opaque=OPAQUE),
        ToolCall("a", "f", "{}", opaque=OPAQUE),
        finish=CALLED,
        seal=lambda opaque: opaque[0].data.decode(),
    )["message"]
    assert [{"type": "reasoning.encrypted", "data": "sig", "start": 6, "length": 4}] == message[
        "reasoning_details"
    ]
    assert {"google": {"thought_signature": "sig"}} == message["tool_calls"][0]["extra_content"]


def test_callers_with_functions_get_a_function_call(choice):
    """The deprecated request is answered in its own words."""
    found = choice(ToolCall("a", "f", "{}"), finish=CALLED, members={"functions": b"[]"})
    assert {"name": "f", "arguments": "{}"} == found["message"]["function_call"]
    assert "tool_calls" not in found["message"]
    assert "function_call" == found["finish_reason"]


def test_callers_with_functions_get_one_call(choice):
    """There is no room for a second one; a ``tools`` that declares none asks for none."""
    calls = (ToolCall("a", "f", '{"a":1}'), ToolCall("b", "g", "{}"))
    for nothing in ({}, {"tools": b"null"}, {"tools": b"[]"}):
        found = choice(*calls, finish=CALLED, members={"functions": b"[{}]", **nothing})
        assert {"name": "f", "arguments": '{"a":1}'} == found["message"]["function_call"]
    found = choice(*calls, finish=CALLED, members={"functions": b"null"})
    assert ["a", "b"] == [call["id"] for call in found["message"]["tool_calls"]]


def test_probabilities_are_written(choice):
    """Bytes as the vendor gave them, or those of the token."""
    found = choice(Text("é", logprobs=(TokenLogprob("é", -0.5, data=b"\xc3"),)))
    assert {
        "content": [{"token": "é", "logprob": -0.5, "bytes": [195], "top_logprobs": []}],
        "refusal": None,
    } == found["logprobs"]


@pytest.mark.parametrize(
    "name",
    [
        "text",
        "tools",
        "refusal",
        "reasoning",
        "length",
        "safety",
        "annotations",
        "logprobs",
        "audio",
    ],
)
def test_what_was_read_is_written_alike(wire, writing, name):
    """Reading and writing a vendor's answer keeps what its message says."""
    before = msgspec.json.decode(wire(f"answer-{name}.json"))
    context = AnswerContext(origin=StateOrigin("chat", "openai", "a"))
    after = msgspec.json.decode(write(read(wire(f"answer-{name}.json"), context), writing()))
    if name == "tools":
        before["choices"][0]["message"]["tool_calls"][1]["function"]["arguments"] = "{}"
    assert before["choices"] == after["choices"]
