"""The videos shape: its operations and their schemas.

Source: openai-python 3.52.0 and OpenAI's OpenAPI document of 2026-08-21, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import BEARER, Row, relayed
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
)
from trivium.wire.operation import Operation
from trivium.wire.videos.request import MODEL, PROMPT_MAX, SECONDS, SIZES, URL_MAX

ABOUT: Final = "Films, made while nobody waits."

_VIDEO: Final = "/v1/videos/{video_id}"

OPERATIONS: Final = (
    relayed(
        Operation.VIDEOS,
        name="createVideo",
        about="Begins a video; it is made while nobody waits.",
        request="CreateVideoRequest",
        form="CreateVideoForm",
        answer="Video",
    ),
    Row(
        method="GET",
        path="/v1/videos",
        name="listVideos",
        tag="videos",
        about="Lists the caller's videos, newest first.",
        answer="VideoList",
        keys=BEARER,
        parameters=("limit", "order", "after"),
    ),
    Row(
        method="GET",
        path=_VIDEO,
        name="GetVideo",
        tag="videos",
        about="Says how a video stands.",
        answer="Video",
        keys=BEARER,
        parameters=("video_id",),
    ),
    Row(
        method="DELETE",
        path=_VIDEO,
        name="DeleteVideo",
        tag="videos",
        about="Permanently deletes a completed or failed video and its stored files.",
        answer="DeletedVideo",
        keys=BEARER,
        parameters=("video_id",),
    ),
    Row(
        method="GET",
        path=f"{_VIDEO}/content",
        name="RetrieveVideoContent",
        tag="videos",
        about="Sends a file of a completed video; takes a range.",
        files=("video/mp4", "image/webp", "application/json"),
        ranges=True,
        keys=BEARER,
        parameters=("video_id", "variant", "range"),
    ),
    Row(
        method="GET",
        path="/assets/{asset_id}",
        name="retrieveAsset",
        tag="gateway",
        about="Sends a generated file by the signed address that an answer gave; takes a range.",
        files=("image/png", "image/jpeg", "image/webp"),
        failures=("403", "404", "429", "5XX"),
        ranges=True,
        known=True,
        parameters=("asset_id", "exp", "sig", "range"),
    ),
    Row(
        method="POST",
        path=f"{_VIDEO}/remix",
        name="CreateVideoRemix",
        tag="videos",
        about="Begins another version of a completed video.",
        request="RemixVideoRequest",
        form="RemixVideoRequest",
        answer="Video",
        keys=BEARER,
        parameters=("video_id",),
    ),
)

_PROMPT: Final = text("What is to be seen.", minLength=1, maxLength=PROMPT_MAX)
_ASKED: Final[dict[str, Schema]] = {
    "model": nullable(text(f"A model of this gateway. Left out: {MODEL}.")),
    "prompt": _PROMPT,
    "seconds": nullable(
        either(
            one_of(*map(str, SECONDS), about=f"Left out: {SECONDS[0]}."),
            integer(low=SECONDS[0], high=SECONDS[-1]),
        )
    ),
    "size": nullable(
        text(f"{', '.join(SIZES)}, or a size that the model has a price for. Left out: {SIZES[0]}.")
    ),
}
_REFERENCE: Final = record(
    {
        "image_url": text("An address, or a picture in base64.", maxLength=URL_MAX),
        "file_id": text("Refused: files belong to accounts that all callers share."),
    }
)

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateVideoRequest": record(
        {**_ASKED, "input_reference": nullable(_REFERENCE)},
        ("prompt",),
    ),
    "CreateVideoForm": record(
        {
            **_ASKED,
            "input_reference": either(text("A picture or clip.", format="binary"), _REFERENCE),
        },
        ("prompt",),
    ),
    "RemixVideoRequest": record({"prompt": _PROMPT}, ("prompt",)),
    "Video": record(
        {
            "id": text(),
            "object": one_of("video"),
            "model": text("As it was asked for."),
            "status": one_of("queued", "in_progress", "completed", "failed"),
            "progress": integer("Percent.", low=0, high=100),
            "created_at": integer("Seconds since the epoch."),
            "completed_at": nullable(integer()),
            "expires_at": nullable(integer("When its files go.")),
            "prompt": nullable(text()),
            "size": text(),
            "seconds": text("A number in quotes."),
            "remixed_from_video_id": nullable(text()),
            "error": nullable(record({"code": text(), "message": text()}, ("code", "message"))),
        },
        (
            "id", "object", "model", "status", "progress", "created_at", "completed_at",
            "expires_at", "prompt", "size", "seconds", "remixed_from_video_id", "error",
        ),
    ),
    "VideoList": record(
        {
            "object": one_of("list"),
            "data": array(ref("Video")),
            "first_id": nullable(text()),
            "last_id": nullable(text()),
            "has_more": boolean(),
        },
        ("object", "data", "has_more"),
    ),
    "DeletedVideo": record(
        {"id": text(), "object": one_of("video.deleted"), "deleted": boolean()},
        ("id", "object", "deleted"),
    ),
}  # fmt: skip
