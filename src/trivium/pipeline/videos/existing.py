"""What requests about a video that exists have in common: whose it is, and which."""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.faults import Fault
from trivium.jobs.model import Job, poll_after_ms
from trivium.jobs.video_services import VideoServices
from trivium.pipeline.services import Exchange, Services
from trivium.wire.videos import resource

_POLL: Final = b"openai-poll-after-ms"


class VideoVisit(msgspec.Struct, frozen=True, kw_only=True):
    """One request that makes nothing."""

    exchange: Exchange
    video_id: str
    query: Mapping[str, str]
    services: Services
    video_services: VideoServices

    async def job(self) -> Job:
        """The caller's own video of this id. Raises ``Fault`` (NOT_FOUND) for any other."""
        return await found(self.exchange, self.video_id, self.video_services)


async def found(exchange: Exchange, video_id: str, video_services: VideoServices) -> Job:
    """A caller's video. Raises ``Fault``: NOT_FOUND, whoever else may have it."""
    caller = exchange.caller
    assert caller is not None
    job = await video_services.jobs.find(caller.user_id, video_id)
    if job is None:
        raise resource.unknown(video_id)
    return job


def answer(exchange: Exchange, job: Job, now: float) -> None:
    """Send a video as it stands, with when to ask again."""
    if not job.is_final:
        after = poll_after_ms(max(0.0, now - job.created_at))
        exchange.extra.append((_POLL, b"%d" % after))
    exchange.answer(200, resource.video(job.resource))


def unready(job: Job, wanted: str) -> Fault:
    """The refusal of a video in the wrong state."""
    return resource.not_ready(job.id, job.status.value, wanted)
