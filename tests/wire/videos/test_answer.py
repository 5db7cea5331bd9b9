"""What upstreams say of a video."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.videos.answer import SeenVideo, VideoStatus, read


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"status": "queued"}, SeenVideo(id="v", status=VideoStatus.QUEUED)),
        ({"status": "in_progress", "progress": 41.7}, SeenVideo(id="v", status=VideoStatus.IN_PROGRESS, progress=41)),
        ({"status": "in_progress", "progress": 100}, SeenVideo(id="v", status=VideoStatus.IN_PROGRESS, progress=99)),
        ({"status": "rendering", "progress": "half"}, SeenVideo(id="v", status=VideoStatus.IN_PROGRESS)),
        ({"status": "in_progress", "progress": -4}, SeenVideo(id="v", status=VideoStatus.IN_PROGRESS)),
        ({"status": "completed", "progress": 3, "expires_at": 99},
         SeenVideo(id="v", status=VideoStatus.COMPLETED, progress=100, expires_at=99)),
        ({"status": "failed", "error": {"code": "c", "message": "why"}},
         SeenVideo(id="v", status=VideoStatus.FAILED, error_code="c", error_message="why")),
        ({"status": "failed", "error": None}, SeenVideo(id="v", status=VideoStatus.FAILED)),
        ({"status": "failed", "error": {"code": 5}}, SeenVideo(id="v", status=VideoStatus.FAILED)),
        ({"status": "cancelled"}, SeenVideo(id="v", status=VideoStatus.FAILED)),
        ({"status": "succeeded"}, SeenVideo(id="v", status=VideoStatus.COMPLETED, progress=100)),
        ({"status": "expired"}, SeenVideo(id="v", status=VideoStatus.FAILED)),
        ({"status": "error", "error": "out of memory"},
         SeenVideo(id="v", status=VideoStatus.FAILED, error_message="out of memory")),
        ({"status": "failed", "error": ["a"]}, SeenVideo(id="v", status=VideoStatus.FAILED)),
        ({"status": None}, SeenVideo(id="v", status=VideoStatus.IN_PROGRESS)),
    ],
)  # fmt: skip
def test_a_resource_is_read(said, expected):
    """A status nobody knows is one of a video that is being made."""
    assert expected == read(msgspec.json.encode({"id": "v", **said}))


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{}", b'{"id": ""}', b'{"id": 5}', b"<html>"),
        *(b'{"id": "a\\u0000b"}', b'{"id": "a b"}', b'{"id": "%b"}' % (b"a" * 501)),
    ],
)
def test_what_is_no_video_is_a_break(body):
    """Never taken for a queued one."""
    with pytest.raises(Fault) as caught:
        read(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
