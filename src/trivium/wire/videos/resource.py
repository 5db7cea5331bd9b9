"""The video resource as callers read it: every member there, null where there is nothing.

Source: openai-python 3.52.0 (``types/video.py``), read 2026-11-21.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from trivium.faults import Fault, Kind

_encode: Final = msgspec.json.Encoder().encode

VIDEO: Final = "video"
THUMBNAIL: Final = "thumbnail"
SPRITESHEET: Final = "spritesheet"
PICTURES: Final = (THUMBNAIL, SPRITESHEET)
VARIANTS: Final = (VIDEO, *PICTURES)


class VideoError(msgspec.Struct, frozen=True, kw_only=True):
    """Why a video could not be made."""

    code: str
    message: str


class VideoResource(msgspec.Struct, frozen=True, kw_only=True):
    """One video, made or being made. Times in seconds since the epoch."""

    id: str
    object: Literal["video"] = "video"
    model: str
    status: str
    """``queued``, ``in_progress``, ``completed`` or ``failed``."""
    progress: int
    """Percent."""
    created_at: int
    completed_at: int | None = None
    expires_at: int | None = None
    """When its files go."""
    prompt: str | None = None
    size: str
    seconds: str
    """A number in quotes: the SDKs' type."""
    remixed_from_video_id: str | None = None
    error: VideoError | None = None


def video(body: VideoResource) -> bytes:
    """Encode a video as the resource that callers read."""
    return _encode(body)


def deleted(video_id: str) -> bytes:
    """The answer to a deletion."""
    return _encode({"id": video_id, "object": "video.deleted", "deleted": True})


def page(videos: Sequence[VideoResource], *, has_more: bool) -> bytes:
    """A page of a list."""
    return _encode(
        {
            "object": "list",
            "data": videos,
            "first_id": videos[0].id if videos else None,
            "last_id": videos[-1].id if videos else None,
            "has_more": has_more,
        }
    )


def unknown(video_id: str) -> Fault:
    """The 404 for a video that this user has not; whether anybody has it is not said."""
    return Fault(
        Kind.NOT_FOUND,
        f"There is no video `{video_id[:100]}`: it was never made here, or it was deleted.",
        param="video_id",
        code="video_not_found",
    )


def not_ready(video_id: str, status: str, wanted: str) -> Fault:
    """The 400 for a video in the wrong state. Not 409: the SDKs repeat one unasked."""
    return Fault(
        Kind.INVALID_VALUE,
        f"The video `{video_id}` is {status}; this takes {wanted}.",
        param="video_id",
        code="video_not_ready",
    )
