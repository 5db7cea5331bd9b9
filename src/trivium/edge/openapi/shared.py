"""Components that belong to no shape: the error body, metadata, tool structures, model lists.

Source: the service's interface specification 3.5.0 for the tool structures; the error body is
decided in docs/decisions/0004-gateway-error.md.
"""

from typing import Final

from trivium.edge.openapi.schema import (
    Schema,
    array,
    either,
    free,
    integer,
    mapping,
    nullable,
    one_of,
    record,
    ref,
    text,
)
from trivium.wire.operation import EXPLAINED

NAME: Final = "^[A-Za-z0-9_-]{1,64}$"

SCHEMAS: Final[dict[str, Schema]] = {
    "GatewayError": record(
        {
            "error": record(
                {
                    "type": one_of(
                        "invalid_request_error",
                        "authentication_error",
                        "permission_error",
                        "not_found_error",
                        "request_too_large",
                        "rate_limit_error",
                        "api_error",
                        "overloaded_error",
                        "timeout_error",
                        about="The kind of failure.",
                    ),
                    "message": text("Readable alone. Says what is wrong and what would be right."),
                    "param": nullable(
                        text("Path of the offending request member, e.g. `messages[2].content`.")
                    ),
                    "code": either(
                        text(),
                        integer(),
                        {"type": "null"},
                        about="A symbolic name, e.g. `model_not_found`; the HTTP status on the "
                        "generate-content operations, where `details[].reason` has the name.",
                    ),
                    "status": text("Google's canonical name, e.g. `NOT_FOUND`."),
                    "details": either(
                        array(free()),
                        record({"error_code": text()}),
                        about="A list on the generate-content operations; on the messages "
                        "operations an object, where a symbolic name stands in it for SDKs.",
                    ),
                },
                ("type", "message", "param", "code", "status"),
            ),
            "type": one_of("error"),
            "request_id": text("The same as the `x-request-id` and `request-id` headers."),
        },
        ("error", "type", "request_id"),
        "Every failure of every operation. `error` is always printed first.",
    ),
    "Metadata": mapping(text(maxLength=512), "At most 16 pairs; names of at most 64 characters."),
    "FunctionParameters": free("A JSON Schema of the arguments. Left out: no arguments."),
    "ChatCompletionAllowedTools": record(
        {
            "mode": one_of(
                "auto",
                "required",
                about="`auto`: the model picks among these tools or answers with a message; "
                "`required`: it must call one or more of them.",
            ),
            "tools": array(free(), "Tool definitions, as in `tools`."),
        },
        ("mode", "tools"),
    ),
    "ChatCompletionAllowedToolsChoice": record(
        {"type": one_of("allowed_tools"), "allowed_tools": ref("ChatCompletionAllowedTools")},
        ("type", "allowed_tools"),
    ),
    "ChatCompletionFunctionCallOption": record(
        {"name": text("Naming a function forces the model to call it.")}, ("name",)
    ),
    "ChatCompletionFunctions": record(
        {
            "name": text("Letters, digits, underscores and dashes.", pattern=NAME, maxLength=64),
            "description": text("When and how the model should call it."),
            "parameters": ref("FunctionParameters"),
        },
        ("name",),
        "The older form of a function tool.",
        deprecated=True,
    ),
    "FunctionObject": record(
        {
            "name": text("Letters, digits, underscores and dashes.", pattern=NAME, maxLength=64),
            "description": text("When and how the model should call it."),
            "parameters": ref("FunctionParameters"),
            "strict": nullable({"type": "boolean"}),
        },
        ("name",),
    ),
    "ChatCompletionMessageToolCall": record(
        {
            "id": text(),
            "type": one_of("function"),
            "function": record(
                {"name": text(), "arguments": text("JSON, as the model wrote it.")},
                ("name", "arguments"),
            ),
        },
        ("id", "type", "function"),
    ),
    "ChatCompletionMessageCustomToolCall": record(
        {
            "id": text(),
            "type": one_of("custom"),
            "custom": record({"name": text(), "input": text()}, ("name", "input")),
        },
        ("id", "type", "custom"),
    ),
    "Model": record(
        {
            "id": text("The name to ask for."),
            "object": one_of("model"),
            "created": integer("Seconds since the epoch; 0 when unknown."),
            "owned_by": text(),
            "name": text("For people."),
        },
        ("id", "object", "created", "owned_by"),
    ),
    "ModelList": record(
        {"object": one_of("list"), "data": array(ref("Model"))}, ("object", "data")
    ),
    "MessagesModel": record(
        {
            "type": one_of("model"),
            "id": text("The name to ask for."),
            "display_name": text("For people."),
            "created_at": text(format="date-time"),
            "lifecycle": text(),
            "max_input_tokens": nullable(integer()),
            "max_tokens": nullable(integer()),
            "capabilities": nullable(free()),
        },
        ("type", "id", "display_name", "created_at", "lifecycle"),
    ),
    "MessagesModelList": record(
        {
            "data": array(ref("MessagesModel")),
            "first_id": nullable(text()),
            "last_id": nullable(text()),
            "has_more": {"type": "boolean"},
        },
        ("data", "first_id", "last_id", "has_more"),
    ),
    "GenerateModel": record(
        {
            "name": text("`models/` and the name to ask for."),
            "displayName": text("For people."),
            "supportedGenerationMethods": array(text()),
            "inputTokenLimit": integer(),
            "outputTokenLimit": integer(),
        },
        ("name", "displayName", "supportedGenerationMethods"),
    ),
    "GenerateModelList": record(
        {
            "models": array(ref("GenerateModel")),
            "nextPageToken": text("Absent on the last page."),
        },
        ("models",),
    ),
    "ExplainRequest": record(
        {
            "shape": one_of(
                *(operation.value for operation in EXPLAINED),
                about="Whose request it is; `chat` when left out.",
            ),
            "body": free(
                "The request as it would be posted; a form as an object of its fields, a file in "
                "it as `filename`, `content_type`, `size` and `seconds`."
            ),
            "model": text("Instead of the body's own; required with `generate`."),
            "stream": {"type": "boolean", "description": "With `generate`: whether it streams."},
            "strict": {"type": "boolean", "description": "As the header `trivium-strict: true`."},
        },
        ("body",),
    ),
    "Explanation": record(
        {
            "model": text(),
            "operation": text(),
            "stream": {"type": "boolean"},
            "strict": {"type": "boolean"},
            "steps": array(free("A channel that would be tried: why, path, body, losses.")),
            "skipped": array(free("A channel that was passed over, and why.")),
            "fallbacks": array(
                free("A model that may answer in its place: `model`, and its own plan as here.")
            ),
            "price": nullable(free("The most it can cost: `nanos`, and `usd` as a decimal.")),
            "refused": nullable(
                free("What the caller would be told: `status`, `code`, `message`, `param`.")
            ),
        },
        (
            "model",
            "operation",
            "stream",
            "strict",
            "steps",
            "skipped",
            "fallbacks",
            "price",
            "refused",
        ),
    ),
    "Health": record({"status": one_of("ok")}, ("status",)),
    "Readiness": record(
        {
            "status": one_of("ok", "degraded", "unavailable"),
            "parts": mapping({"type": "boolean"}, "What requests use, and whether it is there."),
        },
        ("status", "parts"),
    ),
}
