"""What the vendors do besides playing fixtures: answers that depend on the request, and trouble.

Bodies are `documented`, not recorded: OpenAI's, Anthropic's and Google's references, read on
2026-11-21.
"""

import base64
import itertools
import struct

from end_to_end.sdk.vendor import fixture, replay

VECTOR = (0.25, -0.5, 1.0)

CHAT_TOOLS = {
    "id": "chatcmpl-9",
    "object": "chat.completion",
    "created": 1795219200,
    "model": "tools",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city":"Köln"}'},
                    }
                ],
            },
            "logprobs": None,
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
}

MESSAGE = {
    "id": "msg_01Fixture",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5",
    "content": [{"type": "text", "text": "Grüße, 世界 👋"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 25, "output_tokens": 12},
}

GENERATED = {
    "candidates": [
        {
            "content": {"parts": [{"text": "Grüße, 世界 👋"}], "role": "model"},
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 6, "candidatesTokenCount": 5, "totalTokenCount": 11},
    "modelVersion": "gemini-3-flash",
    "responseId": "resp1",
}


def chat_text(asked, stage):
    """Says its usage only when it was asked to, as the vendor does."""
    if not asked.stream:
        stage.whole(fixture("chat", "text", "json"))
        return
    said = asked.body.get("stream_options", {}).get("include_usage")
    stage.begin()
    stage.piece(fixture("chat", "text-usage" if said else "text", "sse"))
    stage.end()


def completions_text(asked, stage):
    """The same for the older shape."""
    if not asked.stream:
        stage.whole(fixture("completions", "text", "json"))
        return
    said = asked.body.get("stream_options", {}).get("include_usage")
    stage.begin()
    stage.piece(fixture("completions", "usage" if said else "text", "sse"))
    stage.end()


def chat_engine(asked, stage):
    """As llama.cpp streams: its usage chunk has more than usage in it."""
    assert asked.body["stream_options"] == {"include_usage": True}
    stage.begin()
    stage.piece(fixture("providers/llamacpp", "chat_stream", "sse"))
    stage.end()


def chat_tools(asked, stage):
    """A call, whole or in fragments."""
    if not asked.stream:
        stage.whole(CHAT_TOOLS)
        return
    stage.begin()
    stage.piece(fixture("chat", "tools", "sse"))
    stage.end()


def chat_structured(asked, stage):
    """Text that fits the schema that came."""
    schema = asked.body["response_format"]["json_schema"]["schema"]
    assert schema["properties"].keys() == {"city", "people"}
    choice = {
        "index": 0,
        "message": {
            "role": "assistant",
            "content": '{"city":"Köln","people":1087000}',
            "refusal": None,
        },
        "logprobs": None,
        "finish_reason": "stop",
    }
    stage.whole(CHAT_TOOLS | {"choices": [choice]})


def responses_text(asked, stage):
    """A response, its stream, or the count of its input."""
    if asked.path.endswith("/input_tokens"):
        stage.whole({"object": "response.input_tokens", "input_tokens": 17})
    else:
        replay(asked, stage)


def embeddings(asked, stage):
    """Base64 when that was asked for, numbers else; one vector an input."""
    texts = asked.body["input"]
    texts = [texts] if isinstance(texts, str) else texts
    vector = list(VECTOR)
    if asked.body.get("encoding_format") == "base64":
        vector = base64.b64encode(struct.pack(f"<{len(VECTOR)}f", *VECTOR)).decode()
    data = [{"object": "embedding", "index": n, "embedding": vector} for n in range(len(texts))]
    usage = {"prompt_tokens": 8, "total_tokens": 8}
    stage.whole({"object": "list", "data": data, "model": "text", "usage": usage})


def messages_text(asked, stage):
    """A message, its stream, or the count of its tokens."""
    if asked.path.partition("?")[0].endswith("/count_tokens"):
        stage.whole({"input_tokens": 14})
    elif asked.stream:
        stage.begin()
        stage.piece(fixture("messages", "text", "sse"))
        stage.end()
    else:
        stage.whole(MESSAGE)


def generate_text(asked, stage):
    """Every method of a model."""
    method = asked.path.partition("?")[0].rpartition(":")[2]
    if method == "streamGenerateContent":
        stage.begin()
        stage.piece(fixture("generate", "text", "sse"))
        stage.end()
    elif method == "countTokens":
        stage.whole({"totalTokens": 31, "promptTokensDetails": [{"modality": "TEXT"}]})
    elif method == "batchEmbedContents":
        count = len(asked.body["requests"])
        stage.whole({"embeddings": [{"values": list(VECTOR)}] * count})
    elif method == "embedContent":
        stage.whole({"embedding": {"values": list(VECTOR)}})
    else:
        stage.whole(GENERATED)


def refusal(shape, status, kind, message, *, code=None, param=None):
    """An error as the vendor of this shape writes it."""
    if shape == "messages":
        error = {"type": kind, "message": message}
        return {"type": "error", "error": error, "request_id": "req_vendor0001"}
    if shape == "generate":
        return {"error": {"code": status, "message": message, "status": GOOGLE[status]}}
    if shape == "cohere":
        return {"id": "e9", "message": message}
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def refuses(status, kind, message, *, code=None, param=None, headers=None):
    """A scene that refuses."""

    def act(asked, stage):
        body = refusal(asked.shape, status, kind, message, code=code, param=param)
        stage.whole(body, status=status, headers=headers)

    return act


ENDLESS = {
    "chat": b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":'
    b'[{"index":0,"delta":{"content":"on "},"finish_reason":null}]}\n\n',
    "responses": b"event: response.output_text.delta\n"
    b'data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1",'
    b'"output_index":0,"content_index":0,"delta":"on ","logprobs":[]}\n\n',
    "messages": b"event: content_block_delta\n"
    b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"on "}}\n\n',
    "generate": b'data: {"candidates":[{"content":{"parts":[{"text":"on "}],"role":"model"},'
    b'"index":0}]}\r\n\r\n',
}


def opening(shape):
    """The frames of the text fixture up to its first words."""
    wire = fixture(shape, "text", "sse").replace(b"\r\n", b"\n")
    frames = wire.split(b"\n\n")
    count = {"chat": 1, "responses": 4, "messages": 2, "generate": 1}[shape]
    return b"\n\n".join(frames[:count]) + b"\n\n"


def endless(asked, stage):
    """A stream that ends only when nobody listens; fifty frames a second."""
    stage.begin()
    stage.piece(opening(asked.shape))
    for _ in itertools.count():
        if asked.left.wait(0.02):
            return
        stage.piece(ENDLESS[asked.shape])


def silent(asked, stage):
    """Takes the request and says nothing."""
    handler = stage._handler
    handler.connection.settimeout(30)
    if handler.rfile.read(1) == b"":
        asked.left.set()
    handler.close_connection = True


SCENES = {
    ("chat", "text"): chat_text,
    ("chat", "tools"): chat_tools,
    ("chat", "engine"): chat_engine,
    ("chat", "structured"): chat_structured,
    ("completions", "text"): completions_text,
    ("responses", "text"): responses_text,
    ("embeddings", "text"): embeddings,
    ("messages", "text"): messages_text,
    ("generate", "text"): generate_text,
    "busy": refuses(
        429,
        "rate_limit_error",
        "Rate limit reached for requests.",
        code="rate_limit_exceeded",
        headers={"retry-after-ms": "20"},
    ),
    "busy-long": refuses(
        429,
        "rate_limit_error",
        "Rate limit reached for requests.",
        code="rate_limit_exceeded",
        headers={"retry-after": "300"},
    ),
    "broke": refuses(
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        code="insufficient_quota",
    ),
    "broken": refuses(
        500, "api_error", "The server had an error.", headers={"retry-after-ms": "20"}
    ),
    "denied": refuses(401, "authentication_error", "Incorrect API key provided: sk-vendor-1."),
    "refused": refuses(
        400,
        "invalid_request_error",
        "Invalid 'temperature': must be at most 2.",
        code="invalid_value",
        param="temperature",
    ),
    "endless": endless,
    "silent": silent,
}
