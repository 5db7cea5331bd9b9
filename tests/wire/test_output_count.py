"""What a model wrote is counted once, however often a stream tells it, in bounded memory."""

import json
import random
import tracemalloc

import msgspec
import pytest

from trivium.wire.operation import Shape
from trivium.wire.output_count import BIG_BYTES, KEPT_BYTES, SAMPLE_BYTES, DeliveredOutput

CHAT, RESPONSES, MESSAGES, GENERATE = Shape.CHAT, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE


def sse(*objects):
    """A stream of objects."""
    return b"".join(b"data: %b\n\n" % msgspec.json.encode(each) for each in objects)


def delta(**members):
    return {"choices": [{"index": 0, "delta": members}]}


def found(shape, *pieces, whole=False):
    """What was written: text, reasoning, pictures, sound."""
    delivered = DeliveredOutput(shape, whole=whole)
    for piece in pieces:
        delivered.add(piece)
    told = delivered.written()
    return told.text, told.reasoning, told.pictures, told.sound


ITEM = {"type": "message", "content": [{"type": "output_text", "text": "abcdef"}]}
CALL = {"type": "function_call", "name": "f", "call_id": "c", "arguments": '{"a":1}'}
THOUGHT = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "hmm"}],
    "encrypted_content": "xxxx",
}
GROWN = {"type": "response.output_text.delta", "delta": "abcdef", "logprobs": [{"token": "abc"}]}
CLOSED = [
    {"type": "response.output_text.done", "text": "abcdef"},
    {"type": "response.content_part.done", "part": {"type": "output_text", "text": "abcdef"}},
    {"type": "response.output_item.done", "item": ITEM},
    {"type": "response.completed", "response": {"instructions": "long ago", "output": [ITEM]}},
]


@pytest.mark.parametrize(
    ("shape", "data", "expected"),
    [
        (CHAT, sse(delta(content="abcd"), delta(content="ef")), (6, 0)),
        (CHAT, sse(delta(role="assistant", content=None), delta(refusal="no")), (2, 0)),
        (CHAT, sse(delta(reasoning_content="abcd", reasoning="abcd")), (0, 4)),
        (CHAT, sse(delta(reasoning="ab", reasoning_details=[{"type": "reasoning.text", "text": "ab", "signature": "x"}])), (0, 2)),
        (CHAT, sse(delta(tool_calls=[{"id": "x", "function": {"name": "f", "arguments": '{"a":1}'}}])), (7, 0)),
        (CHAT, sse(delta(tool_calls=[{"id": "x", "function": {"name": "f", "arguments": {"a": 1}}}])), (7, 0)),
        (CHAT, sse(delta(tool_calls=[{"id": "x", "function": {"name": "now", "arguments": ""}}])), (2, 0)),
        (CHAT, sse(delta(function_call={"arguments": "{}"}), delta(tool_calls=[{"custom": {"input": "abc"}}])), (5, 0)),
        (CHAT, sse(delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "abc"}])), (3, 2)),
        # the last chunk of some vendors repeats all of it as a message
        (CHAT, sse(delta(content="abcd"), {"choices": [{"delta": {}, "message": {"content": "abcd"}}]}), (4, 0)),
        (CHAT, sse({"choices": [{"message": {"content": "abcd"}}]}, {"choices": [{"message": {"content": "abcdef"}}]}), (6, 0)),
        (CHAT, b'{"choices":[{"message":{"role":"assistant","content":"abcdefgh","id":"never"}}]}', (8, 0)),
        (CHAT, b'{"choices":[{"message":{"content":"abc"}},{"message":{"content":"def"}}]}', (6, 0)),
        (CHAT, 'data: {"choices":[{"delta":{"content":"\u00e4\u20ac"}}]}\n\n'.encode(), (5, 0)),
        (CHAT, b'data: {"choices":[{"delta":{"content":"\\u6674"}}]}\n\n', (3, 0)),
        (CHAT, b'data: {"choices":[{"delta":{"content":"a\xff"}}]}\n\n', (4, 0)),
        (CHAT, b": heartbeat\n\ndata: [DONE]\n\ndata: {broken\n\n", (0, 0)),
        (CHAT, b"", (0, 0)),
        (CHAT, b'{"choices":' + b"[" * 500 + b"]" * 500 + b"}", (0, 0)),
        (CHAT, sse({"choices": [5, {"delta": 7}, {"delta": {"content": {"a": 1}, "tool_calls": "x", "audio": []}}]}, 5, None, []), (0, 0)),
        (Shape.COMPLETIONS, sse({"choices": [{"text": "abcd"}]}, {"choices": [{"text": "ef"}]}), (6, 0)),
        (RESPONSES, sse(GROWN, *CLOSED), (6, 0)),
        (RESPONSES, sse(*CLOSED), (6, 0)),
        (RESPONSES, sse(*CLOSED[:1]), (6, 0)),
        (RESPONSES, sse(*CLOSED[2:3]), (6, 0)),
        (RESPONSES, sse(*CLOSED[3:]), (6, 0)),
        (RESPONSES, sse({"type": "response.reasoning_summary_text.delta", "delta": "hm"}, {"type": "response.function_call_arguments.delta", "delta": "{}"}), (2, 2)),
        (RESPONSES, msgspec.json.encode({"tools": [{"parameters": {"properties": {"input": {"type": "string"}}}}], "output": [THOUGHT, ITEM, CALL]}), (13, 3)),
        (MESSAGES, b"event: content_block_delta\n" + sse({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "abcde"}}), (5, 0)),
        (MESSAGES, sse({"delta": {"type": "thinking_delta", "thinking": "abc"}}, {"delta": {"type": "signature_delta", "signature": "xxxx"}}), (0, 3)),
        (MESSAGES, sse({"delta": {"type": "input_json_delta", "partial_json": '{"a"'}}), (4, 0)),
        (MESSAGES, sse({"type": "content_block_start", "content_block": {"type": "tool_use", "name": "f", "input": {"a": 1}}}), (7, 0)),
        (MESSAGES, sse({"type": "content_block_start", "content_block": {"type": "web_search_tool_result", "content": "found"}}), (0, 0)),
        (MESSAGES, b'{"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}},{"type":"text","text":"xyz"},{"type":"thinking","thinking":"h"}]}', (10, 1)),
        (GENERATE, sse({"candidates": [{"content": {"parts": [{"text": "abcdef"}, {"text": "hm", "thought": True}]}}]}), (6, 2)),
        (GENERATE, sse({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}, {"executableCode": {"code": "1+1"}}]}}]}), (10, 0)),
        (GENERATE, sse({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]}), (2, 0)),
        (GENERATE, b'[{"candidates":[{"content":{"parts":[{"text":"abc"}]}}]}', (3, 0)),
        (GENERATE, b',\r\n{"candidates":[{"content":{"parts":[{"text":"abcd"}]}}]}]', (4, 0)),
        (Shape.IMAGES, sse({"b64_json": "xxxx"}), (0, 0)),
        (Shape.EMBEDDINGS, b'{"data":[{"embedding":[0.5]}]}', (0, 0)),
    ],
)  # fmt: skip
def test_each_shape_tells_what_was_written(shape, data, expected):
    """Streamed or not; names, ids, signatures and what a vendor's tool found are not counted."""
    assert expected == found(shape, data)[:2]


@pytest.mark.parametrize(
    ("shape", "data", "expected"),
    [
        (CHAT, sse(delta(audio={"data": "QUJD", "transcript": "abc"})), (3, 0, 0, 4)),
        (CHAT, sse(delta(images=[{"type": "image_url", "image_url": {"url": "data:"}}])), (0, 0, 1, 0)),
        (GENERATE, sse({"candidates": [{"content": {"parts": [
            {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
            {"inlineData": {"mimeType": "audio/L16", "data": "QUJD"}},
        ]}}]}), (0, 0, 1, 4)),
        (RESPONSES, sse(
            {"type": "response.output_item.done", "item": {"type": "image_generation_call", "result": "QUJD"}},
            {"type": "response.completed", "response": {"output": [{"type": "image_generation_call", "result": "QUJD"}]}},
        ), (0, 0, 1, 0)),
    ],
)  # fmt: skip
def test_pictures_and_sound_are_told_apart(shape, data, expected):
    """Pictures by the piece, sound by the length of its base64."""
    assert expected == found(shape, data)


def pieces(shape, texts):
    """One event for each text."""
    if shape is CHAT:
        return [sse(delta(content=text)) for text in texts]
    if shape is RESPONSES:
        return [sse(GROWN | {"delta": text}) for text in texts]
    if shape is MESSAGES:
        return [sse({"delta": {"type": "text_delta", "text": text}}, {"type": "ping"}) for text in texts]  # fmt: skip
    return [sse({"candidates": [{"content": {"parts": [{"text": text}]}}]}) for text in texts]


@pytest.mark.parametrize("shape", [CHAT, RESPONSES, MESSAGES, GENERATE])
@pytest.mark.parametrize("together", [1, 2, 60, 100_000])
def test_a_long_stream_is_sampled(shape, together):
    """Within a tenth, however many events come in one piece and whatever repeats the text."""
    dice = random.Random(7)
    texts = ["x" * dice.choice((1, 2, 4, 5, 9, 30)) for _ in range(6000)]
    blocks = pieces(shape, texts)
    if shape is RESPONSES:
        text = "".join(texts)
        item = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        blocks += [sse({"type": "response.output_text.done", "text": text})]
        blocks += [sse({"type": "response.output_item.done", "item": item})]
        blocks += [sse({"type": "response.completed", "response": {"output": [item]}})]
    runs = [b"".join(blocks[at : at + together]) for at in range(0, len(blocks), together)]
    text = found(shape, *runs)[0]
    assert 0.9 <= text / len("".join(texts)) <= 1.1


def test_a_long_array_is_read_as_it_comes():
    """The other form of generate-content: nothing of it is sampled."""
    row = b'{"candidates":[{"content":{"parts":[{"text":"abcd"}]}}]}'
    assert 4 * 5001 == found(GENERATE, b"[" + row, *[b",\r\n" + row] * 5000, b"]")[0]


def test_what_is_kept_is_bounded():
    """Megabytes of events and of large ones go through; some ten thousand bytes stay."""
    delivered = DeliveredOutput(CHAT)
    tracemalloc.start()
    try:
        for number in range(20_000):
            delivered.add(sse(delta(content=f"{number} and more")))
            if not number % 100:
                delivered.add(sse(delta(content="x" * 5 * BIG_BYTES)))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 3 * (KEPT_BYTES + SAMPLE_BYTES)
    assert delivered.written().text >= 200 * 5 * BIG_BYTES


def test_a_whole_answer_is_kept_and_not_read():
    """It is counted where its vendor did not, and only then."""
    body = msgspec.json.encode({"choices": [{"message": {"content": "x" * 2 * KEPT_BYTES}}]})
    assert 2 * KEPT_BYTES == found(CHAT, body, whole=True)[0]


def test_coheres_words_are_counted_once():
    """Whole and streamed: texts, the plan, thinking and what a call is given."""
    call = {"id": "c", "function": {"name": "f", "arguments": '{"a":1}'}}
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Grüße"}]
    message = {"content": content, "tool_plan": "plan", "tool_calls": [call]}
    whole = found(Shape.COHERE, msgspec.json.encode({"id": "c", "message": message}), whole=True)
    assert (18, 3) == whole[:2]
    told = [
        {"type": "content-delta", "delta": {"message": {"content": content[0]}}},
        {"type": "content-delta", "delta": {"message": {"content": {"text": "Grüße"}}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "plan"}}},
        {
            "type": "tool-call-delta",
            "delta": {"message": {"tool_calls": {"function": {"arguments": '{"a":1}'}}}},
        },
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]
    streamed = found(Shape.COHERE, sse(*told))
    assert (18, 3) == streamed[:2]


@pytest.mark.parametrize("text", ["x" * 300_000, "é" * 200_000, "a\\r\\n\\r\\nb" * 40_000])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n"])
@pytest.mark.parametrize("more", [0, 1])
def test_a_long_event_counts_alike_however_its_lines_end(text, end, more):
    """Alone in its piece, or with another one behind it."""
    row = {"candidates": [{"content": {"parts": [{"text": text}]}}]}
    data = b"data: " + json.dumps(row, ensure_ascii=False).encode() + end
    delivered = DeliveredOutput(Shape.GENERATE)
    delivered.add(data * (1 + more))
    assert delivered.catch_up()
    assert len(text.encode()) * (1 + more) == delivered.written().text
