"""The moderations shape: its operation and schemas.

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
    mapping,
    nullable,
    number,
    one_of,
    record,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Classification."

OPERATIONS: Final = (
    relayed(
        Operation.MODERATIONS,
        name="createModeration",
        about="Classifies text and images as potentially harmful.",
        request="CreateModerationRequest",
        answer="CreateModerationResponse",
    ),
)

SCHEMAS: Final[dict[str, Schema]] = {
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
