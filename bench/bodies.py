"""Writes the canned answers that upstream.c serves: one JSON body and one stream for each shape.

usage: bodies.py DIR
"""

import json
import sys
from pathlib import Path
from typing import Any

DELTAS = 100
TEXT = "Hello there, gateway. " * 12
TOKENS = [f"tok{i} " for i in range(DELTAS)]

Event = tuple[str | None, Any]
"""Name of the ``event:`` line, or ``None``, and the data."""


def chat() -> tuple[Any, list[Event]]:
    """As OpenAI's chat completions answer."""
    usage = {
        "prompt_tokens": 119,
        "completion_tokens": DELTAS,
        "total_tokens": 119 + DELTAS,
        "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    base = {
        "id": "chatcmpl-bench0001",
        "created": 1790000000,
        "model": "bench-model",
        "system_fingerprint": "fp_bench",
    }
    message = {"role": "assistant", "content": TEXT, "refusal": None, "annotations": []}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}

    def chunk(delta: dict[str, str], finish: str | None = None) -> Event:
        piece = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return None, {**base, "object": "chat.completion.chunk", "choices": [piece]}

    return {**base, "object": "chat.completion", "choices": [choice], "usage": usage}, [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": token}) for token in TOKENS),
        chunk({}, "stop"),
        (None, {**base, "object": "chat.completion.chunk", "choices": [], "usage": usage}),
        (None, "[DONE]"),
    ]


def messages() -> tuple[Any, list[Event]]:
    """As Anthropic's messages answer."""
    usage = {
        "input_tokens": 55,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 0,
        "output_tokens": DELTAS,
    }
    base = {
        "id": "msg_bench0001",
        "type": "message",
        "role": "assistant",
        "model": "bench-model",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    block = {"type": "text", "text": ""}
    content = [{"type": "text", "text": TEXT}]
    data = [
        {"type": "message_start", "message": {**base, "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "ping"},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": token},
            }
            for token in TOKENS
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]
    answer = {**base, "content": content, "stop_reason": "end_turn", "usage": usage}
    return answer, [(str(event["type"]), event) for event in data]


def generate() -> tuple[Any, list[Event]]:
    """As Google's generate-content answers."""
    base = {
        "usageMetadata": {
            "promptTokenCount": 119,
            "cachedContentTokenCount": 64,
            "candidatesTokenCount": DELTAS,
            "totalTokenCount": 119 + DELTAS,
        },
        "modelVersion": "bench-model",
        "responseId": "resp-bench0001",
    }

    def piece(text: str, last: bool) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
        end = {"finishReason": "STOP"} if last else {}
        return {"candidates": [{**candidate, **end}], **base}

    stream = [(None, piece(token, i == DELTAS - 1)) for i, token in enumerate(TOKENS)]
    return piece(TEXT, last=True), list(stream)


def responses() -> tuple[Any, list[Event]]:
    """As OpenAI's responses answer."""
    usage = {
        "input_tokens": 119,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens": DELTAS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 119 + DELTAS,
    }
    base = {
        "id": "resp_bench0001",
        "object": "response",
        "created_at": 1790000000,
        "status": "in_progress",
        "model": "bench-model",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": None,
    }
    text = "".join(TOKENS)
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {
        "id": "msg_b1",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }
    done = {**base, "status": "completed", "output": [item], "usage": usage}
    place = {"item_id": "msg_b1", "output_index": 0, "content_index": 0}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": base}),
        ("response.in_progress", {"response": base}),
        (
            "response.output_item.added",
            {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}},
        ),
        ("response.content_part.added", {**place, "part": {**part, "text": ""}}),
        *(
            ("response.output_text.delta", {**place, "delta": token, "logprobs": []})
            for token in TOKENS
        ),
        ("response.output_text.done", {**place, "text": text, "logprobs": []}),
        ("response.content_part.done", {**place, "part": part}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": done}),
    ]
    return done, [
        (kind, {"type": kind, "sequence_number": i, **data})
        for i, (kind, data) in enumerate(events)
    ]


def embeddings() -> tuple[Any, list[Event]]:
    """As OpenAI's embeddings answer; they do not stream."""
    vector = [round(0.001 * i, 4) for i in range(1536)]
    return {
        "object": "list",
        "model": "bench-model",
        "data": [{"object": "embedding", "index": 0, "embedding": vector}],
        "usage": {"prompt_tokens": 8, "total_tokens": 8},
    }, []


def frame(name: str | None, data: Any) -> str:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {text}\n\n"


def write(folder: Path) -> None:
    """Write NAME.json and, where there is one, NAME.sse for every shape."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (chat, messages, responses, generate, embeddings):
        answer, events = make()
        name = make.__name__
        (folder / f"{name}.json").write_text(json.dumps(answer))
        if events:
            (folder / f"{name}.sse").write_text("".join(frame(*event) for event in events))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
