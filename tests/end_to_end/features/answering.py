"""Whole answers in the words of each of the shapes, to be put together by ``telling.py``.

Sources: the vendors' references and SDK types, read on 2026-11-21, and for Amazon's and Cohere's
botocore 1.44's model of the service and cohere-python 7.3.1, read on 2026-11-28.
"""

from end_to_end.features.asking import SHAPES


def chat(message=None, finish="stop", *, choices=None, usage=None, **more):
    """A chat completion."""
    rows = choices or [message if isinstance(message, dict) else {"content": message}]
    return {
        "id": "chatcmpl-9",
        "object": "chat.completion",
        "created": 1795219200,
        "model": "m",
        "choices": [
            {
                "index": at,
                "message": {"role": "assistant", "content": None, "refusal": None} | row,
                "logprobs": more.get("logprobs"),
                "finish_reason": finish,
            }
            for at, row in enumerate(rows)
        ],
        "usage": usage or {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
    } | {name: value for name, value in more.items() if name != "logprobs"}


def responses(*output, status="completed", reason=None, usage=None, **more):
    """A response."""
    return {
        "id": "resp_9",
        "object": "response",
        "created_at": 1795219200,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": "m",
        "output": [
            {"id": f"{one['type'][:2]}_{at}", "status": status} | one
            for at, one in enumerate(output)
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage
        or {
            "input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 27,
        },
    } | more


def message(*content, **more):
    """The message item of a response."""
    rows = [
        {"type": "output_text", "text": one, "annotations": [], "logprobs": []} | more
        if isinstance(one, str)
        else one
        for one in content
    ]
    return {"type": "message", "role": "assistant", "content": rows}


def messages(*content, stop="end_turn", sequence=None, usage=None, **more):
    """A message."""
    return {
        "id": "msg_9",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": one} if isinstance(one, str) else one for one in content
        ],
        "stop_reason": stop,
        "stop_sequence": sequence,
        "usage": usage or {"input_tokens": 20, "output_tokens": 7},
    } | more


def generate(*parts, finish="STOP", candidates=None, usage=None, **more):
    """A generated answer."""
    rows = candidates or [parts]
    return {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": one} if isinstance(one, str) else one for one in row],
                },
                "finishReason": finish,
                "index": at,
            }
            | more
            for at, row in enumerate(rows)
        ],
        "usageMetadata": usage
        or {"promptTokenCount": 20, "candidatesTokenCount": 7, "totalTokenCount": 27},
        "modelVersion": "m",
        "responseId": "r9",
    }


def converse(*content, stop="end_turn", usage=None, **more):
    """An answer of Converse."""
    blocks = [{"text": one} if isinstance(one, str) else one for one in content]
    return {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": stop,
        "usage": usage or {"inputTokens": 20, "outputTokens": 7, "totalTokens": 27},
        "metrics": {"latencyMs": 700},
    } | more


def thought(text, signature=None):
    """A block of reasoning of Converse."""
    said = {"text": text} | ({"signature": signature} if signature else {})
    return {"reasoningContent": {"reasoningText": said}}


def cohere(*content, calls=(), plan=None, finish="COMPLETE", usage=None, logprobs=None, **more):
    """A chat of Cohere's."""
    message = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": one} if isinstance(one, str) else one for one in content
        ],
        "tool_plan": plan,
        "tool_calls": list(calls),
    }
    counts = {"input_tokens": 20, "output_tokens": 7}
    return {
        "id": "c9",
        "finish_reason": finish,
        "message": {name: value for name, value in message.items() if value} | more,
        "usage": usage or {"billed_units": counts, "tokens": counts},
    } | ({} if logprobs is None else {"logprobs": logprobs})


def function(call, name, text, found):
    """One function call a shape."""
    return {
        "chat": {
            "id": call,
            "type": "function",
            "function": {"name": name, "arguments": text},
        },
        "responses": {
            "type": "function_call",
            "call_id": call,
            "name": name,
            "arguments": text,
        },
        "messages": {"type": "tool_use", "id": call, "name": name, "input": found},
        "generate": {"functionCall": {"id": call, "name": name, "args": found}},
        "converse": {"toolUse": {"toolUseId": call, "name": name, "input": found}},
        "cohere": {"id": call, "type": "function", "function": {"name": name, "arguments": text}},
    }


def calling(*calls, text=None):
    """An answer of calls, after some words."""
    rows = [function(*call) for call in calls]
    own = {shape: [row[shape] for row in rows] for shape in SHAPES}
    words = [text] if text else []
    return {
        "chat": chat({"content": text, "tool_calls": own["chat"]}, "tool_calls"),
        "responses": responses(*(message(one) for one in words), *own["responses"]),
        "messages": messages(*words, *own["messages"], stop="tool_use"),
        "generate": generate(*words, *own["generate"]),
        "converse": converse(*words, *own["converse"], stop="tool_use"),
        "cohere": cohere(calls=own["cohere"], plan=text, finish="TOOL_CALL"),
    }
