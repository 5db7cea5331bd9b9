"""The images shape: its operations and their schemas.

Source: the service specification, "Image generation request" and "response"; stream events from
openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    integer,
    nullable,
    one_of,
    record,
    ref,
    text,
    with_default,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Pictures."

OPERATIONS: Final = (
    relayed(
        Operation.IMAGES,
        name="createImage",
        about="Draws pictures.",
        request="CreateImageRequest",
        answer="ImagesResponse",
        event="ImageStreamEvent",
    ),
    relayed(
        Operation.IMAGES_EDIT,
        name="createImageEdit",
        about="Draws pictures out of others: as files of a form, or named in JSON.",
        request="EditImageRequest",
        form="EditImageForm",
        answer="ImagesResponse",
        event="ImageStreamEvent",
    ),
    relayed(
        Operation.IMAGES_VARY,
        name="createImageVariation",
        about="Draws variations of a picture.",
        form="VaryImageForm",
        answer="ImagesResponse",
    ),
)

_CLASSES: Final = "See docs/images.md for what each class of models takes."

_USAGE: Final = record(
    {
        "input_tokens": integer(),
        "output_tokens": integer(),
        "total_tokens": integer(),
        "input_tokens_details": record({"text_tokens": integer(), "image_tokens": integer()}),
        "output_tokens_details": record({"text_tokens": integer(), "image_tokens": integer()}),
    },
    ("input_tokens", "output_tokens", "total_tokens"),
)

_MADE: Final[dict[str, Schema]] = {
    "background": one_of("transparent", "opaque", "auto"),
    "output_format": one_of("png", "webp", "jpeg"),
    "size": text("`1024x1024`"),
    "quality": text("`low`, `medium` or `high`"),
}

_ASKED: Final[dict[str, Schema]] = {
    "model": nullable(
        text(
            "Left out: the operator's legacy image model, or its GPT image model where a member "
            "is used that those alone have."
        )
    ),
    "n": with_default(nullable(integer("1 only for legacy model B.", low=1, high=10)), 1),
    "size": with_default(
        nullable(
            text(
                "`auto` or one of the class's sizes; `WIDTHxHEIGHT` for GPT image models with "
                "arbitrary sizes."
            )
        ),
        "auto",
    ),
    "response_format": with_default(
        nullable(
            one_of("url", "b64_json", about="Legacy models. Addresses are valid for 60 minutes.")
        ),
        "url",
    ),
    "user": text("End-user identifier for abuse monitoring."),
}

_GPT: Final[dict[str, Schema]] = {
    "quality": with_default(
        nullable(one_of("standard", "hd", "low", "medium", "high", "auto", about=_CLASSES)), "auto"
    ),
    "output_format": with_default(nullable(one_of("png", "jpeg", "webp")), "png"),
    "output_compression": with_default(
        nullable(integer("With `output_format` jpeg or webp.", low=0, high=100)), 100
    ),
    "stream": with_default(nullable(boolean()), False),
    "partial_images": with_default(nullable(integer("With `stream`.", low=0, high=3)), 0),
    "background": with_default(nullable(one_of("transparent", "opaque", "auto")), "auto"),
}

_PROMPT: Final = text(
    "At most 32000 characters for GPT image models, 1000 for legacy model A, 4000 for legacy "
    "model B."
)
_FILE: Final = text(format="binary")
_FIDELITY: Final = nullable(one_of("high", "low", about="How close the input is followed."))
_REFERENCE: Final = record(
    {"image_url": text("An http(s) or data URL."), "file_id": text()},
    about="One of the two.",
)

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateImageRequest": record(
        {
            "prompt": _PROMPT,
            **_ASKED,
            **_GPT,
            "moderation": with_default(
                nullable(one_of("low", "auto", about="GPT image models.")), "auto"
            ),
            "style": with_default(
                nullable(one_of("vivid", "natural", about="Legacy model B.")), "vivid"
            ),
        },
        ("prompt",),
    ),
    "EditImageRequest": record(
        {
            "prompt": _PROMPT,
            "images": array(_REFERENCE, "GPT image models.", low=1, high=16),
            "mask": _REFERENCE,
            "input_fidelity": _FIDELITY,
            **_ASKED,
            **_GPT,
        },
        ("prompt", "images"),
    ),
    "EditImageForm": record(
        {
            "prompt": _PROMPT,
            "image": either(
                _FILE,
                array(_FILE, low=1, high=16),
                about="One for legacy model A; several as `image[]` for GPT image models.",
            ),
            "mask": text("A PNG whose transparent parts are drawn anew.", format="binary"),
            "input_fidelity": _FIDELITY,
            **_ASKED,
            **_GPT,
        },
        ("prompt", "image"),
    ),
    "VaryImageForm": record(
        {"image": _FILE, **_ASKED, "size": with_default(_ASKED["size"], "1024x1024")}, ("image",)
    ),
    "ImagesResponse": record(
        {
            "created": integer("Seconds since the epoch."),
            "data": array(
                record(
                    {
                        "b64_json": text("The picture in base64."),
                        "url": text("Where it is, for 60 minutes."),
                        "revised_prompt": text("Legacy model B: what was drawn."),
                    }
                )
            ),
            **_MADE,
            "usage": _USAGE,
        },
        ("created",),
    ),
    "ImageStreamEvent": either(ref("ImagePartialEvent"), ref("ImageCompletedEvent")),
    "ImagePartialEvent": record(
        {
            "type": one_of("image_generation.partial_image", "image_edit.partial_image"),
            "b64_json": text(),
            "partial_image_index": integer(low=0),
            "created_at": integer("Seconds since the epoch."),
            **_MADE,
        },
        ("type", "b64_json", "partial_image_index"),
    ),
    "ImageCompletedEvent": record(
        {
            "type": one_of("image_generation.completed", "image_edit.completed"),
            "b64_json": text(),
            "created_at": integer("Seconds since the epoch."),
            **_MADE,
            "usage": _USAGE,
        },
        ("type", "b64_json"),
    ),
}
