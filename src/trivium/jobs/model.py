"""A job: a video that somebody asked for, wherever it is made."""

import re
from collections.abc import Mapping
from enum import Enum, unique
from typing import Final

import msgspec

from trivium.settings.section import JobsSettings
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import FINAL, VideoStatus
from trivium.wire.videos.resource import VideoError, VideoResource


@unique
class ArchiveState(Enum):
    """Whether our own store has a video's files."""

    NO = "no"
    WANTED = "wanted"
    YES = "yes"


class JobAccount(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job is made: follow-ups go there and nowhere else."""

    channel: str
    credential: str
    """Fingerprint of the key; empty where the channel has none."""
    operation: Operation
    """What the upstream is asked for, and so in which way."""
    model: str
    """The channel's own name."""


class JobOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, and for whom."""

    user_id: int
    key_id: int
    request_id: str
    """Of the request that asked; its hold's and its entry's too."""
    model: str
    """The public name asked for."""
    account: JobAccount
    """Where it is tried first, then where it is made."""
    size: str
    seconds: int
    prompt: str
    """Empty: it cannot be read any more."""
    remixed_from: str | None = None


class Job(JobOrder, frozen=True, kw_only=True):
    """One row. Times in seconds since the epoch."""

    id: str
    """Ours; callers see no other."""
    upstream_id: str | None = None
    """``None``: the upstream has not answered yet."""
    file: str = ""
    """Where the upstream has the file; empty: under the id."""
    status: VideoStatus = VideoStatus.QUEUED
    progress: int = 0
    error: VideoError | None = None
    created_at: int
    completed_at: int | None = None
    expires_at: int | None = None
    kept: ArchiveState = ArchiveState.NO
    assets: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Ids in our own store by variant."""
    looked_at: int = 0
    look_at: int | None = None

    @property
    def is_final(self) -> bool:
        """Whether the job has ended and will not change again."""
        return self.status in FINAL

    @property
    def resource(self) -> VideoResource:
        """Return the video as its owner reads it."""
        return VideoResource(
            id=self.id,
            model=self.model,
            status=self.status.value,
            progress=self.progress,
            created_at=self.created_at,
            completed_at=self.completed_at,
            expires_at=self.expires_at,
            prompt=self.prompt or None,
            size=self.size,
            seconds=str(self.seconds),
            remixed_from_video_id=self.remixed_from,
            error=self.error,
        )


ID_PREFIX: Final = "video_"
ID: Final = re.compile(r"video_[0-9a-f]{48}")
"""What an id of ours looks like: no database is asked for another."""
CLAIM_S: Final = 60
"""For how long a worker has a job to itself; its heartbeat says so again three times in that."""
BIRTH_S: Final = 1_800
"""A job whose upstream has not answered for so long never will: its worker was killed meanwhile.
Longer than any one request may take."""
LOST_S: Final = 120
"""A video that its upstream does not know so long after it took it is lost: until then the upstream
may not have told all of its own servers."""


POLL_MS: Final = 1_000
"""What the SDKs wait between two polls where nobody tells them otherwise."""
POLL_MS_MAX: Final = 10_000
FRESH_S: Final = 1
"""A video that was looked at a second ago is as it was: whoever asks more often gets that."""


def pause_s(age_s: float, limits: JobsSettings) -> int:
    """Seconds until the next look at a job that nobody asks about."""
    return max(1, round(min(limits.look_max_s, max(limits.look_s, age_s / 10))))


def poll_after_ms(age_s: float) -> int:
    """When its owner should ask again: soon for a young one, every ten seconds in the end."""
    return round(min(POLL_MS_MAX, max(POLL_MS, age_s * 50)))


def is_too_old(age_s: float, limits: JobsSettings) -> bool:
    """Whether the job is so old that it counts as failed."""
    return age_s >= limits.age_max_s
