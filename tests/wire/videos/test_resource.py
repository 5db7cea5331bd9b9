"""The resource has every member, and the SDK's own type takes it."""

import msgspec
from openai.types import Video as Theirs

from trivium.faults import Kind
from trivium.wire.videos.resource import (
    VideoError,
    VideoResource,
    deleted,
    not_ready,
    page,
    unknown,
    video,
)

BARE = VideoResource(
    id="video_1", model="m", status="queued", progress=0, created_at=5, size="720x1280", seconds="4"
)


def test_every_member_is_there():
    """Null where there is nothing."""
    found = msgspec.json.decode(video(BARE))
    assert {
        "id": "video_1", "object": "video", "model": "m", "status": "queued", "progress": 0,
        "created_at": 5, "completed_at": None, "expires_at": None, "prompt": None,
        "size": "720x1280", "seconds": "4", "remixed_from_video_id": None, "error": None,
    } == found  # fmt: skip
    assert set(Theirs.model_fields) == set(found)


def test_the_sdk_reads_it():
    """Strictly, also when it failed."""
    failed = msgspec.structs.replace(
        BARE, status="failed", error=VideoError(code="c", message="why"), prompt="p"
    )
    theirs = Theirs.model_validate_json(video(failed), strict=True)
    assert ("c", "why") == (theirs.error.code, theirs.error.message)


def test_a_page_names_its_ends():
    """Null where it is empty."""
    other = msgspec.structs.replace(BARE, id="video_2")
    found = msgspec.json.decode(page([BARE, other], has_more=True))
    assert ("list", "video_1", "video_2", True) == (
        found["object"], found["first_id"], found["last_id"], found["has_more"],
    )  # fmt: skip
    empty = msgspec.json.decode(page([], has_more=False))
    assert ([], None, None, False) == (
        empty["data"], empty["first_id"], empty["last_id"], empty["has_more"],
    )  # fmt: skip


def test_a_deletion_is_told_by_id():
    """As the SDK's type has it."""
    expected = {"id": "video_1", "object": "video.deleted", "deleted": True}
    assert expected == msgspec.json.decode(deleted("video_1"))


def test_a_wrong_state_is_a_400_and_an_unknown_id_a_404():
    """409 would be repeated by the SDKs."""
    fault = not_ready("video_1", "queued", "a completed one")
    assert (400, "video_not_ready", "video_id") == (fault.status, fault.code, fault.param)
    assert (Kind.NOT_FOUND, 404) == (unknown("x").kind, unknown("x").status)
