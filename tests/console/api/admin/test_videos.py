"""Anybody's videos over the API."""

import pytest

from console.account.test_videos import asked_for
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.resource import VideoError

PATH = "/api/admin/videos"
pytestmark = pytest.mark.asyncio


async def test_each_filter_finds_its_own(script):
    """Page by page, newest first."""
    failed = {"status": VideoStatus.FAILED, "error": VideoError(code="dark", message="No light.")}
    for number in range(3):
        more = failed if number == 2 else {}
        await asked_for(script.console, 7 + number % 2, number, 4 + number, **more)
    for query, wanted in {
        "": "012",
        "user=7": "02",
        "key=5": "1",
        "model=model-001": "1",
        "channel=main": "012",
        "channel=x": "",
        "status=failed": "2",
        "status=queued&user=7": "0",
        "from=2100-01-01": "",
    }.items():
        data = await script.done("GET", f"{PATH}?{query}")
        assert [*wanted] == [one["request_id"][4:] for one in data["videos"]], query
        assert data["before"] is None
    first = await script.done("GET", f"{PATH}?limit=2")
    rest = await script.done("GET", f"{PATH}?limit=2&before={first['before']}")
    assert ["req_2"] == [one["request_id"] for one in rest["videos"]]
    assert {"code": "dark", "message": "No light."} == rest["videos"][0]["error"]


async def test_one_video_is_shown_without_its_prompt(script):
    """With everything else of it."""
    await asked_for(script.console, 7, 1)
    one = await script.done("GET", f"{PATH}/video_{1:048x}")
    assert ("req_1", False, "main", "queued", None, None, None) == (
        one["request_id"],
        one["has_record"],
        one["channel"],
        one["status"],
        one["cost"],
        one["held"],
        one["error"],
    )
    assert "prompt" not in one
    for nobodys in ("video_1", f"video_{2:048x}"):
        assert 404 == (await script.refused("GET", f"{PATH}/{nobodys}"))[0]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("user=x", "user"),
        ("status=ready", "status"),
        ("from=soon", "from"),
        ("from=5&to=5", "to"),
        ("before=x", "before"),
        ("limit=0", "limit"),
        ("model=%00", "model"),
        ("state=failed", "state"),
    ],
)
async def test_what_cannot_be_meant_is_named(script, query, named):
    """With what would be right."""
    status, message = await script.refused("GET", f"{PATH}?{query}")
    assert 400 == status
    assert named in message
