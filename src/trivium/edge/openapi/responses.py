"""The responses shape: its operations, and schemas of request, answer, stream events.

Source: OpenAI's API reference and openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.chat import EFFORTS, TIERS
from trivium.edge.openapi.row import BEARER, Row, relayed
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
from trivium.edge.openapi.shared import NAME
from trivium.wire.operation import Operation

ABOUT: Final = "Conversations in the responses shape."

_STORED: Final = "/v1/responses/{response_id}"

OPERATIONS: Final = (
    relayed(
        Operation.RESPONSES,
        name="createResponse",
        about="Answers a list of items.",
        request="CreateResponseRequest",
        answer="ResponseObject",
        event="ResponseStreamEvent",
    ),
    relayed(
        Operation.RESPONSES_COUNT,
        name="countResponseInputTokens",
        about="Counts the input tokens of a list of items.",
        request="CountResponseInputTokensRequest",
        answer="ResponseInputTokens",
    ),
    Row(
        method="GET",
        path=_STORED,
        name="getResponse",
        tag="responses",
        about="Reads a stored response.",
        answer="ResponseObject",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="DELETE",
        path=_STORED,
        name="deleteResponse",
        tag="responses",
        about="Deletes a stored response.",
        answer="DeletedResponse",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="POST",
        path=f"{_STORED}/cancel",
        name="cancelResponse",
        tag="responses",
        about="Cancels a response that runs in the background; none does here yet.",
        answer="ResponseObject",
        keys=BEARER,
        parameters=("response_id",),
    ),
    Row(
        method="GET",
        path=f"{_STORED}/input_items",
        name="listInputItems",
        tag="responses",
        about="Lists what a stored response was given as input, its history included.",
        answer="ResponseItemList",
        keys=BEARER,
        parameters=("response_id", "limit", "order", "after"),
    ),
)

_PARTS: Final = array(
    either(
        record({"type": one_of("input_text"), "text": text()}, ("type", "text")),
        record(
            {
                "type": one_of("input_image"),
                "image_url": nullable(text("An http(s) or data URL.")),
                "file_id": nullable(text()),
                "detail": one_of("low", "high", "auto", "original"),
            },
            ("type",),
        ),
        record(
            {
                "type": one_of("input_file"),
                "file_data": text(),
                "file_id": nullable(text()),
                "file_url": text(),
                "filename": text(),
            },
            ("type",),
        ),
        record({"type": one_of("output_text"), "text": text()}, ("type", "text")),
        record({"type": one_of("refusal"), "refusal": text()}, ("type", "refusal")),
    )
)

_ITEM: Final = either(
    record(
        {
            "type": one_of("message", about="May be left out."),
            "role": one_of("user", "assistant", "system", "developer"),
            "content": either(text(), _PARTS),
        },
        ("role", "content"),
    ),
    record(
        {
            "type": one_of("function_call"),
            "call_id": text(),
            "name": text(),
            "arguments": text("JSON, as the model wrote it."),
        },
        ("type", "call_id", "name", "arguments"),
    ),
    record(
        {
            "type": one_of("function_call_output"),
            "call_id": text(),
            "output": either(text(), array(free())),
        },
        ("type", "call_id", "output"),
    ),
    record(
        {
            "type": one_of("reasoning"),
            "id": text(),
            "summary": array(free()),
            "encrypted_content": nullable(text("Opaque; send it back unchanged.")),
        },
        ("type", "summary"),
    ),
    record({"type": text()}, ("type",), "Any other item, as the vendor has it."),
)

_TOOL: Final = either(
    record(
        {
            "type": one_of("function"),
            "name": text(maxLength=128),
            "description": nullable(text()),
            "parameters": nullable(ref("FunctionParameters")),
            "strict": nullable(boolean()),
        },
        ("type", "name"),
    ),
    record(
        {
            "type": one_of("custom"),
            "name": text(maxLength=128),
            "description": text(),
            "format": free(),
        },
        ("type", "name"),
    ),
    record({"type": text()}, ("type",), "A tool that the vendor runs."),
)

_CHOICE: Final = either(
    one_of("none", "auto", "required"),
    record(
        {
            "type": one_of("allowed_tools"),
            "mode": one_of("auto", "required"),
            "tools": array(free()),
        },
        ("type", "mode", "tools"),
    ),
    record({"type": text(), "name": text()}, ("type",), "Forces this tool."),
)

_FORMAT: Final = record(
    {
        "format": either(
            record({"type": one_of("text", "json_object")}, ("type",)),
            record(
                {
                    "type": one_of("json_schema"),
                    "name": text(pattern=NAME),
                    "description": text(),
                    "schema": free(),
                    "strict": nullable(boolean()),
                },
                ("type", "name", "schema"),
            ),
        ),
        "verbosity": nullable(one_of("low", "medium", "high")),
    }
)

_USAGE: Final = record(
    {
        "input_tokens": integer("Cached tokens included."),
        "input_tokens_details": record({"cached_tokens": integer()}),
        "output_tokens": integer("Reasoning tokens included."),
        "output_tokens_details": record({"reasoning_tokens": integer()}),
        "total_tokens": integer(),
    },
    ("input_tokens", "output_tokens", "total_tokens"),
)

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateResponseRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "input": either(text(), array(_ITEM)),
            "instructions": nullable(text()),
            "background": nullable(boolean("Must be false: use `stream`.")),
            "conversation": either(text(), free(), {"type": "null"}),
            "previous_response_id": nullable(text("Excludes `conversation`.")),
            "include": nullable(array(text())),
            "max_output_tokens": nullable(integer("Reasoning tokens included.", low=1)),
            "max_tool_calls": nullable(integer()),
            "metadata": nullable(ref("Metadata")),
            "parallel_tool_calls": nullable(boolean()),
            "prompt": nullable(free()),
            "prompt_cache_key": nullable(text()),
            "reasoning": nullable(
                record(
                    {
                        "effort": nullable(one_of(*EFFORTS)),
                        "summary": nullable(one_of("auto", "concise", "detailed")),
                    }
                )
            ),
            "safety_identifier": nullable(text(maxLength=128)),
            "service_tier": nullable(one_of(*TIERS, "ultrafast")),
            "store": nullable(boolean("Whether later requests may refer to it; true if absent.")),
            "stream": nullable(boolean("Answer with server-sent events.")),
            "stream_options": nullable(record({"include_obfuscation": boolean()})),
            "temperature": nullable(number(low=0, high=2)),
            "text": _FORMAT,
            "tool_choice": _CHOICE,
            "tools": array(_TOOL),
            "top_logprobs": nullable(integer(low=0, high=20)),
            "top_p": nullable(number(low=0, high=1)),
            "truncation": nullable(one_of("auto", "disabled")),
            "user": text("End-user identifier for abuse monitoring."),
        },
        ("model",),
        "Needs `input`, unless `prompt`, `previous_response_id` or `conversation` supplies it.",
    ),
    "ResponseObject": record(
        {
            "id": text(),
            "object": one_of("response"),
            "created_at": number("Seconds since the epoch."),
            "model": text(),
            "status": one_of(
                "queued", "in_progress", "completed", "failed", "cancelled", "incomplete"
            ),
            "error": nullable(record({"code": text(), "message": text()}, ("code", "message"))),
            "incomplete_details": nullable(record({"reason": text()})),
            "output": array(free("`message`, `function_call`, `custom_tool_call`, `reasoning` …")),
            "usage": nullable(_USAGE),
        },
        ("id", "object", "created_at", "model", "output"),
    ),
    "DeletedResponse": record(
        {"id": text(), "object": one_of("response"), "deleted": boolean()},
        ("id", "object", "deleted"),
    ),
    "ResponseItemList": record(
        {
            "object": one_of("list"),
            "data": array(free("Items as in `input`, each with an `id`.")),
            "first_id": nullable(text()),
            "last_id": nullable(text()),
            "has_more": boolean(),
        },
        ("object", "data", "has_more"),
    ),
    "CountResponseInputTokensRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "input": either(text(), array(free())),
            "instructions": nullable(text()),
            "tools": array(_TOOL),
            "tool_choice": _CHOICE,
            "text": _FORMAT,
            "reasoning": free(),
        },
        ("model",),
        "A responses request, of which only what the model reads is looked at.",
    ),
    "ResponseInputTokens": record(
        {"object": one_of("response.input_tokens"), "input_tokens": integer(low=0)},
        ("object", "input_tokens"),
    ),
    "ResponseStreamEvent": record(
        {
            "type": text("Equal to the `event:` line, e.g. `response.output_text.delta`."),
            "sequence_number": integer("From 0, one more in each event.", low=0),
            "response": ref("ResponseObject"),
            "output_index": integer(low=0),
            "content_index": integer(low=0),
            "item_id": text(),
            "delta": text(),
        },
        ("type", "sequence_number"),
        "One event. The last is `response.completed`, `response.incomplete` or `response.failed`.",
    ),
}
