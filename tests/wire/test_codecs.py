"""Codecs, each whole; no code for pairs."""

import json

import pytest

from trivium.conversation.events import Failed
from trivium.conversation.opaque import StateOrigin
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext, Codec
from trivium.wire.codecs import CODECS
from trivium.wire.operation import CONVERSATION


def test_every_conversation_shape_has_its_codec():
    """And no other shape has one."""
    assert CONVERSATION == set(CODECS)


@pytest.mark.parametrize("shape", sorted(CONVERSATION, key=lambda shape: shape.value))
def test_a_codec_is_filed_under_its_own_shape(shape):
    """All six jobs are somebody's."""
    codec = CODECS[shape]
    assert isinstance(codec, Codec)
    assert shape is codec.shape
    jobs = (
        "read_request",
        "write_request",
        "read_answer",
        "write_answer",
        "read_stream",
        "write_stream",
    )
    assert all(callable(getattr(codec, job)) for job in jobs)


def chat(arguments):
    call = {
        "index": 0,
        "id": "x",
        "type": "function",
        "function": {"name": "", "arguments": arguments},
    }
    body = {"id": "c", "object": "chat.completion", "model": "up"}
    choice = {"index": 0, "finish_reason": "tool_calls"}
    return body | {
        "choices": [choice | {"message": {"role": "assistant", "tool_calls": [call]}}]
    }, [body | {"choices": [choice | {"delta": {"tool_calls": [call]}}]}]


def responses(arguments):
    item = {"type": "function_call", "id": "f", "call_id": "x", "name": "", "arguments": arguments}
    body = {"id": "r", "object": "response", "model": "up", "status": "completed", "output": [item]}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    return body, [done, {"type": "response.completed", "response": body}]


def messages(arguments):
    block = {"type": "tool_use", "id": "x", "name": "", "input": json.loads(arguments or "{}")}
    body = {"id": "m", "type": "message", "role": "assistant", "model": "up"}
    return body | {"content": [block], "stop_reason": "tool_use", "usage": {}}, [
        {"type": "message_start", "message": body | {"content": [], "usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]


def generate(arguments):
    part = {"functionCall": {"name": "", "args": json.loads(arguments or "{}")}}
    body = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    return body, [body]


def cohere(arguments):
    call = {"id": "x", "type": "function", "function": {"name": "", "arguments": arguments}}
    message = {"role": "assistant", "tool_calls": [call]}
    return {"id": "c", "message": message, "finish_reason": "TOOL_CALL"}, [
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": call}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]


@pytest.mark.parametrize("arguments", ["", "{}", '{"a":1}'])
@pytest.mark.parametrize(
    "told", [chat, responses, messages, generate, cohere], ids=lambda told: told.__name__
)
def test_a_call_that_nobody_can_run_is_no_answer(told, arguments):
    """Whole or streamed, in whatever shape a vendor leaves its name out."""
    codec = next(codec for shape, codec in CODECS.items() if shape.value == told.__name__)
    context = AnswerContext(origin=StateOrigin("x", "y", "z"), model="m")
    whole, rows = told(arguments)
    with pytest.raises(Fault) as raised:
        codec.read_answer(json.dumps(whole).encode(), context)
    reader = codec.read_stream(context)
    events = reader.feed(b"".join(b"data: %b\n\n" % json.dumps(row).encode() for row in rows))
    failed = [event for event in [*events, *reader.end(None)] if type(event) is Failed]
    faults = [raised.value, *(event.fault for event in failed)]
    assert [Kind.UPSTREAM_BROKE] * 2 == [fault.kind for fault in faults]
