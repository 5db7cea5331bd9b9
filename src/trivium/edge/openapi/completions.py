"""The completions shape: its operation and schemas.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.chat import SAMPLING, STREAM
from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    free,
    integer,
    nullable,
    one_of,
    record,
    ref,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Texts to be continued."

OPERATIONS: Final = (
    relayed(
        Operation.COMPLETIONS,
        name="createCompletion",
        about="Continues a text.",
        request="CreateCompletionRequest",
        answer="CreateCompletionResponse",
        event="CreateCompletionResponse",
    ),
)

_TOKENS: Final = array(integer(low=0), low=1)

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateCompletionRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "prompt": either(text(), array(text()), _TOKENS, array(_TOKENS), {"type": "null"}),
            **SAMPLING,
            **STREAM,
            "best_of": nullable(integer("At least `n`; not with `stream`.", low=0, high=20)),
            "echo": nullable(boolean()),
            "logprobs": nullable(integer(low=0, high=5)),
            "max_tokens": nullable(integer("Left out: 16.", low=0)),
            "n": nullable(integer("Choices per prompt.", low=1, high=128)),
            "suffix": nullable(text()),
        },
        ("model", "prompt"),
    ),
    "CreateCompletionResponse": record(
        {
            "id": text(),
            "object": one_of("text_completion"),
            "created": integer("Seconds since the epoch."),
            "model": text(),
            "choices": array(
                record(
                    {
                        "index": integer(),
                        "text": text(),
                        "logprobs": nullable(free()),
                        "finish_reason": nullable(one_of("stop", "length", "content_filter")),
                    },
                    ("index", "text", "finish_reason"),
                )
            ),
            "usage": nullable(ref("CompletionUsage")),
        },
        ("id", "object", "created", "model", "choices"),
        "A whole answer, or one `data:` line of a stream, which ends with `data: [DONE]`.",
    ),
}
