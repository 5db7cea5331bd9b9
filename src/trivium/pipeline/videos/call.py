"""What requests about a video that exists have in common: whose it is, and which."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from trivium.faults import Fault
from trivium.jobs.model import Job, poll_after_ms
from trivium.jobs.studio import Studio
from trivium.pipeline.context import Exchange, Services
from trivium.wire.videos import resource

_POLL: Final = b"openai-poll-after-ms"


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """One request that makes nothing."""

    exchange: Exchange
    video_id: str
    query: Mapping[str, str]
    services: Services
    studio: Studio

    @classmethod
    def of(
        cls, exchange: Exchange, video_id: str, query: bytes, services: Services, studio: Studio
    ) -> "Visit":
        """With its query read."""
        named = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
        return cls(
            exchange=exchange, video_id=video_id, query=named, services=services, studio=studio
        )

    async def job(self) -> Job:
        """The caller's own video of this id. Raises ``Fault`` (NOT_FOUND) for any other."""
        return await found(self.exchange, self.video_id, self.studio)


async def found(exchange: Exchange, video_id: str, studio: Studio) -> Job:
    """A caller's video. Raises ``Fault``: NOT_FOUND, whoever else may have it."""
    caller = exchange.caller
    assert caller is not None
    job = await studio.jobs.find(caller.user_id, video_id)
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
