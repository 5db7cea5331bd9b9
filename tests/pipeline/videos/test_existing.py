"""What requests about a video that exists have in common."""

from types import SimpleNamespace

import pytest

from trivium.faults import Fault
from trivium.jobs.model import Job
from trivium.pipeline.videos.existing import answer, found, unready
from trivium.wire.videos.answer import VideoStatus


def job(status=VideoStatus.QUEUED):
    return Job(
        id="video_1", user_id=3, key_id=1, request_id="r", model="m", account=None, status=status,
        size="720x1280", seconds=4, prompt="x", created_at=100,
    )  # fmt: skip


class Exchange:
    def __init__(self):
        self.caller = SimpleNamespace(user_id=3)
        self.extra = []

    def answer(self, status, body):
        self.sent = status, body


class Jobs:
    async def find(self, user_id, job_id):
        return job() if (user_id, job_id) == (3, "video_1") else None


@pytest.mark.asyncio
@pytest.mark.parametrize("video_id", ["video_2", "", "x" * 200])
async def test_another_id_is_unknown(video_id):
    """Too long a one is not even looked up."""
    video_services = SimpleNamespace(jobs=Jobs())
    assert "video_1" == (await found(Exchange(), "video_1", video_services)).id
    with pytest.raises(Fault) as caught:
        await found(Exchange(), video_id, video_services)
    assert "video_not_found" == caught.value.code


@pytest.mark.parametrize(
    ("status", "now", "expected"),
    [
        (VideoStatus.QUEUED, 100, [(b"openai-poll-after-ms", b"1000")]),
        (VideoStatus.IN_PROGRESS, 200, [(b"openai-poll-after-ms", b"5000")]),
        (VideoStatus.IN_PROGRESS, 90, [(b"openai-poll-after-ms", b"1000")]),
        (VideoStatus.COMPLETED, 200, []),
        (VideoStatus.FAILED, 200, []),
    ],
)
def test_a_video_that_is_being_made_says_when_to_ask_again(status, now, expected):
    """Later as it grows older."""
    exchange = Exchange()
    answer(exchange, job(status), now)
    assert (200, expected) == (exchange.sent[0], exchange.extra)


def test_a_wrong_state_is_named():
    """Both: the one it is in, and the one it takes."""
    assert "queued; this takes a completed one" in unready(job(), "a completed one").message
