"""The embeddings shape: its operation and schemas.

Source: OpenAI's API reference and openai-python 3.52.0, limits from OpenAI's OpenAPI document of
2026-08-21; read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    either,
    integer,
    number,
    one_of,
    record,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Vectors."

OPERATIONS: Final = (
    relayed(
        Operation.EMBEDDINGS,
        name="createEmbedding",
        about="Turns texts into vectors.",
        request="CreateEmbeddingRequest",
        answer="CreateEmbeddingResponse",
    ),
)

_TOKENS: Final = array(integer(low=0), low=1)

SCHEMAS: Final[dict[str, Schema]] = {
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
}
