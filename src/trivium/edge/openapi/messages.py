"""The messages shape: its operations, and schemas of request, answer, stream events and counts.

Source: Anthropic's API reference and anthropic-sdk-python 2.11.0, read 2026-11-21.
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
    nullable,
    number,
    one_of,
    record,
    ref,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Conversations in the messages shape."

OPERATIONS: Final = (
    relayed(
        Operation.MESSAGES,
        name="messages_post",
        about="Answers a conversation.",
        request="CreateMessageParams",
        answer="Message",
        event="MessageStreamEvent",
        parameters=("vendorVersion", "vendorUserProfileId"),
    ),
    relayed(
        Operation.MESSAGES_COUNT,
        name="messages_count_tokens_post",
        about="Counts the tokens of a conversation.",
        request="CountMessageTokensParams",
        answer="MessageTokensCount",
        parameters=("vendorVersion", "vendorUserProfileId"),
    ),
)

_CACHE: Final = nullable(
    record(
        {
            "type": one_of("ephemeral"),
            "ttl": one_of("5m", "1h", about="How long the prefix is kept."),
        },
        ("type",),
    )
)

_TEXT: Final = record(
    {"type": one_of("text"), "text": text(), "cache_control": _CACHE}, ("type", "text")
)

_BLOCK: Final = either(
    _TEXT,
    record(
        {
            "type": one_of("image", "document"),
            "source": free("`base64`, `url`, `file`, `text` or `content`."),
            "cache_control": _CACHE,
        },
        ("type", "source"),
    ),
    record(
        {"type": one_of("thinking"), "thinking": text(), "signature": text("Opaque.")},
        ("type", "thinking", "signature"),
    ),
    record({"type": one_of("redacted_thinking"), "data": text("Opaque.")}, ("type", "data")),
    record(
        {
            "type": one_of("tool_use"),
            "id": text(pattern="^[a-zA-Z0-9_-]+$"),
            "name": text(),
            "input": free(),
            "cache_control": _CACHE,
        },
        ("type", "id", "name", "input"),
    ),
    record(
        {
            "type": one_of("tool_result"),
            "tool_use_id": text(),
            "content": either(text(), array(free())),
            "is_error": boolean(),
            "cache_control": _CACHE,
        },
        ("type", "tool_use_id"),
    ),
    record({"type": text()}, ("type",), "Any other block, as the vendor has it."),
)

_TOOL: Final = either(
    record(
        {
            "name": text(pattern="^[a-zA-Z0-9_-]{1,128}$"),
            "description": text(),
            "input_schema": free("JSON Schema 2020-12 with an object at its root."),
            "strict": boolean(),
            "cache_control": _CACHE,
        },
        ("name", "input_schema"),
    ),
    record({"type": text(), "name": text()}, ("type",), "A tool of the vendor's."),
)

_THINKING: Final = either(
    record(
        {
            "type": one_of("enabled"),
            "budget_tokens": integer("Less than `max_tokens`.", low=1024),
            "display": one_of("summarized", "omitted"),
        },
        ("type", "budget_tokens"),
    ),
    record({"type": one_of("adaptive", "disabled", "between_tools")}, ("type",)),
)

_ASKED: Final[dict[str, Schema]] = {
    "model": text("A model of this gateway: see `/v1/models`."),
    "messages": array(
        record(
            {
                "role": one_of("user", "assistant", "system"),
                "content": either(text(), array(_BLOCK)),
            },
            ("role", "content"),
        ),
        high=100_000,
    ),
    "system": either(text(), array(_TEXT)),
    "tools": array(_TOOL),
    "tool_choice": record(
        {
            "type": one_of("auto", "any", "tool", "none"),
            "name": text("With type `tool`."),
            "disable_parallel_tool_use": boolean(),
        },
        ("type",),
    ),
    "thinking": _THINKING,
    "cache_control": _CACHE,
    "output_config": record(
        {
            "effort": nullable(one_of("low", "medium", "high", "xhigh", "max")),
            "format": nullable(
                record({"type": one_of("json_schema"), "schema": free()}, ("type", "schema"))
            ),
        }
    ),
}
"""Members of a request that token counting takes too."""

_USAGE: Final = record(
    {
        "input_tokens": integer("Neither read from nor written to a cache."),
        "cache_read_input_tokens": nullable(integer()),
        "cache_creation_input_tokens": nullable(integer()),
        "cache_creation": nullable(
            record(
                {
                    "ephemeral_5m_input_tokens": integer(),
                    "ephemeral_1h_input_tokens": integer(),
                }
            )
        ),
        "output_tokens": integer("Thinking included."),
    },
    ("input_tokens", "output_tokens"),
)

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateMessageParams": record(
        {
            **_ASKED,
            "max_tokens": integer("Thinking included. 0 only fills the prompt cache.", low=0),
            "stream": boolean("Answer with server-sent events."),
            "stop_sequences": array(text()),
            "temperature": number("Version 2023-06-01 only.", low=0, high=1),
            "top_p": number("Version 2023-06-01 only.", low=0, high=1),
            "top_k": integer("Version 2023-06-01 only.", low=0),
            "metadata": record({"user_id": nullable(text(maxLength=256))}),
            "service_tier": one_of("auto", "standard_only"),
        },
        ("model", "messages", "max_tokens"),
    ),
    "Message": record(
        {
            "id": text(),
            "type": one_of("message"),
            "role": one_of("assistant"),
            "model": text(),
            "content": array(free("`text`, `thinking`, `tool_use` …")),
            "stop_reason": nullable(
                one_of(
                    "end_turn",
                    "max_tokens",
                    "stop_sequence",
                    "tool_use",
                    "pause_turn",
                    "refusal",
                    "model_context_window_exceeded",
                )
            ),
            "stop_sequence": nullable(text()),
            "usage": _USAGE,
        },
        ("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"),
    ),
    "MessageStreamEvent": record(
        {
            "type": one_of(
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop",
                "ping",
                "error",
                about="Equal to the `event:` line. Others may be added.",
            ),
            "index": integer(low=0),
            "message": ref("Message"),
            "delta": free(),
            "usage": free("Cumulative."),
        },
        ("type",),
        "One event. The last is `message_stop`, or `error`.",
    ),
    "CountMessageTokensParams": record(_ASKED, ("model", "messages")),
    "MessageTokensCount": record({"input_tokens": integer(low=0)}, ("input_tokens",)),
}
