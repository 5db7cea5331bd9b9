"""The chat shape: its operations, and schemas of request, answer, stream.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    free,
    integer,
    mapping,
    nullable,
    number,
    one_of,
    record,
    ref,
    text,
)
from trivium.edge.openapi.shared import NAME
from trivium.wire.operation import Operation

ABOUT: Final = "Conversations in the chat shape."

OPERATIONS: Final = (
    relayed(
        Operation.CHAT,
        name="createChatCompletion",
        about="Answers a conversation.",
        request="CreateChatCompletionRequest",
        answer="CreateChatCompletionResponse",
        event="CreateChatCompletionStreamResponse",
    ),
)

SAMPLING: Final[dict[str, Schema]] = {
    "frequency_penalty": nullable(number(low=-2, high=2)),
    "presence_penalty": nullable(number(low=-2, high=2)),
    "logit_bias": nullable(mapping(integer(low=-100, high=100), "Token id to bias.")),
    "seed": nullable(integer()),
    "stop": either(text(), array(text(), low=1, high=4), {"type": "null"}, about="Where to stop."),
    "temperature": nullable(number(low=0, high=2)),
    "top_p": nullable(number(low=0, high=1)),
    "user": text("End-user identifier for abuse monitoring."),
}
"""Members that the chat and completions shapes share."""

STREAM: Final[dict[str, Schema]] = {
    "stream": nullable(boolean("Answer with server-sent events.")),
    "stream_options": nullable(
        record(
            {
                "include_usage": boolean("Send usage in a last event without choices."),
                "include_obfuscation": boolean(),
            }
        )
    ),
}

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
TIERS: Final = ("auto", "default", "flex", "scale", "priority", "fast")

_CALLS: Final = array(
    either(ref("ChatCompletionMessageToolCall"), ref("ChatCompletionMessageCustomToolCall"))
)

_PARTS: Final = array(
    either(
        record({"type": one_of("text"), "text": text()}, ("type", "text")),
        record(
            {
                "type": one_of("image_url"),
                "image_url": record(
                    {
                        "url": text("An http(s) or data URL."),
                        "detail": one_of("auto", "low", "high", "original"),
                    },
                    ("url",),
                ),
            },
            ("type", "image_url"),
        ),
        record(
            {
                "type": one_of("input_audio"),
                "input_audio": record(
                    {"data": text("Base64."), "format": one_of("wav", "mp3")}, ("data", "format")
                ),
            },
            ("type", "input_audio"),
        ),
        record(
            {
                "type": one_of("file"),
                "file": record({"file_data": text(), "file_id": text(), "filename": text()}),
            },
            ("type", "file"),
        ),
        record({"type": one_of("refusal"), "refusal": text()}, ("type", "refusal")),
    )
)

_USAGE: Final = record(
    {
        "prompt_tokens": integer("Cached tokens included."),
        "completion_tokens": integer("Reasoning tokens included."),
        "total_tokens": integer(),
        "prompt_tokens_details": record({"cached_tokens": integer(), "audio_tokens": integer()}),
        "completion_tokens_details": record(
            {"reasoning_tokens": integer(), "audio_tokens": integer()}
        ),
    },
    ("prompt_tokens", "completion_tokens", "total_tokens"),
)

_FINISH: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")

_MESSAGE: Final = record(
    {
        "role": one_of("developer", "system", "user", "assistant", "tool", "function"),
        "content": either(text(), _PARTS, {"type": "null"}),
        "name": text(),
        "refusal": nullable(text()),
        "tool_calls": _CALLS,
        "tool_call_id": text("With role `tool`: the call this answers."),
        "function_call": nullable(
            record({"name": text(), "arguments": text()}, ("name", "arguments"), deprecated=True)
        ),
    },
    ("role",),
)

_TOOL: Final = either(
    record({"type": one_of("function"), "function": ref("FunctionObject")}, ("type", "function")),
    record(
        {
            "type": one_of("custom"),
            "custom": record(
                {"name": text(pattern=NAME), "description": text(), "format": free()}, ("name",)
            ),
        },
        ("type", "custom"),
    ),
)

_CHOICE: Final = either(
    one_of("none", "auto", "required"),
    record(
        {
            "type": one_of("function"),
            "function": record({"name": text()}, ("name",)),
        },
        ("type", "function"),
    ),
    record(
        {"type": one_of("custom"), "custom": record({"name": text()}, ("name",))},
        ("type", "custom"),
    ),
    ref("ChatCompletionAllowedToolsChoice"),
    about="Without tools `none`, with tools `auto`.",
)

_FORMAT: Final = either(
    record({"type": one_of("text", "json_object")}, ("type",)),
    record(
        {
            "type": one_of("json_schema"),
            "json_schema": record(
                {
                    "name": text(pattern=NAME),
                    "description": text(),
                    "schema": free(),
                    "strict": nullable(boolean()),
                },
                ("name",),
            ),
        },
        ("type", "json_schema"),
    ),
)

SCHEMAS: Final[dict[str, Schema]] = {
    "CompletionUsage": _USAGE,
    "CreateChatCompletionRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "messages": array(_MESSAGE, low=1),
            **SAMPLING,
            **STREAM,
            "audio": nullable(free("With the modality `audio`: voice and format.")),
            "function_call": {
                **either(one_of("none", "auto"), ref("ChatCompletionFunctionCallOption")),
                "deprecated": True,
            },
            "functions": {
                **array(ref("ChatCompletionFunctions"), low=1, high=128),
                "deprecated": True,
            },
            "logprobs": nullable(boolean()),
            "top_logprobs": nullable(integer(low=0, high=20)),
            "max_completion_tokens": nullable(integer("Reasoning tokens included.", low=1)),
            "max_tokens": {**nullable(integer(low=1)), "deprecated": True},
            "metadata": nullable(ref("Metadata")),
            "modalities": nullable(array(one_of("text", "audio"))),
            "n": nullable(integer("How many choices.", low=1, high=128)),
            "parallel_tool_calls": boolean(),
            "prediction": nullable(free()),
            "prompt_cache_key": nullable(text()),
            "reasoning_effort": nullable(one_of(*EFFORTS)),
            "response_format": _FORMAT,
            "safety_identifier": nullable(text(maxLength=128)),
            "service_tier": nullable(one_of(*TIERS)),
            "store": nullable(boolean()),
            "tool_choice": _CHOICE,
            "tools": array(_TOOL),
            "verbosity": nullable(one_of("low", "medium", "high")),
            "web_search_options": free(),
        },
        ("model", "messages"),
    ),
    "CreateChatCompletionResponse": record(
        {
            "id": text(),
            "object": one_of("chat.completion"),
            "created": integer("Seconds since the epoch."),
            "model": text(),
            "choices": array(
                record(
                    {
                        "index": integer(),
                        "finish_reason": one_of(*_FINISH),
                        "logprobs": nullable(free()),
                        "message": record(
                            {
                                "role": one_of("assistant"),
                                "content": nullable(text()),
                                "refusal": nullable(text()),
                                "tool_calls": _CALLS,
                                "annotations": array(free()),
                                "audio": nullable(free()),
                            },
                            ("role", "content"),
                        ),
                    },
                    ("index", "finish_reason", "message"),
                )
            ),
            "usage": ref("CompletionUsage"),
            "service_tier": nullable(text()),
            "system_fingerprint": nullable(text()),
        },
        ("id", "object", "created", "model", "choices"),
    ),
    "CreateChatCompletionStreamResponse": record(
        {
            "id": text("The same in every chunk."),
            "object": one_of("chat.completion.chunk"),
            "created": integer("The same in every chunk."),
            "model": text(),
            "choices": array(
                record(
                    {
                        "index": integer(),
                        "delta": free("What is new of the message."),
                        "finish_reason": nullable(one_of(*_FINISH)),
                        "logprobs": nullable(free()),
                    },
                    ("index", "delta"),
                )
            ),
            "usage": nullable(ref("CompletionUsage")),
        },
        ("id", "object", "created", "model", "choices"),
        "One `data:` line of the stream, which ends with `data: [DONE]`.",
    ),
}
