"""Schemas of the completions, embeddings and moderations shapes.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.chat import SAMPLING, STREAM
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
    "CreateEmbeddingRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "input": either(
                text(minLength=1),
                array(text(minLength=1), low=1, high=2048),
                array(integer(low=0), low=1, high=2048),
                array(_TOKENS, low=1, high=2048),
            ),
            "dimensions": integer(low=1),
            "encoding_format": one_of("float", "base64"),
            "user": text("End-user identifier for abuse monitoring."),
        },
        ("model", "input"),
    ),
    "CreateEmbeddingResponse": record(
        {
            "object": one_of("list"),
            "model": text(),
            "data": array(
                record(
                    {
                        "object": one_of("embedding"),
                        "index": integer(low=0),
                        "embedding": either(
                            array(number()), text("Base64 of little-endian 32-bit floats.")
                        ),
                    },
                    ("object", "index", "embedding"),
                )
            ),
            "usage": record(
                {"prompt_tokens": integer(), "total_tokens": integer()},
                ("prompt_tokens", "total_tokens"),
            ),
        },
        ("object", "model", "data", "usage"),
    ),
    "CreateModerationRequest": record(
        {
            "model": text("Left out: `omni-moderation-latest`."),
            "input": either(
                text(),
                array(text()),
                array(
                    either(
                        record({"type": one_of("text"), "text": text()}, ("type", "text")),
                        record(
                            {
                                "type": one_of("image_url"),
                                "image_url": record(
                                    {"url": text("An http(s) or data URL.")}, ("url",)
                                ),
                            },
                            ("type", "image_url"),
                        ),
                    )
                ),
            ),
        },
        ("input",),
    ),
    "CreateModerationResponse": record(
        {
            "id": text(),
            "model": text(),
            "results": array(
                record(
                    {
                        "flagged": boolean(),
                        "categories": mapping(nullable(boolean())),
                        "category_scores": mapping(number()),
                        "category_applied_input_types": mapping(array(one_of("text", "image"))),
                    },
                    ("flagged", "categories", "category_scores"),
                )
            ),
        },
        ("id", "model", "results"),
    ),
}
