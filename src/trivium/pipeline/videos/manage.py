"""Reading, listing and deleting videos."""

from collections.abc import Mapping
from typing import Final

import structlog

from trivium.assets.model import AssetError
from trivium.faults import Fault, Kind
from trivium.jobs import poll
from trivium.jobs.model import Job
from trivium.jobs.service import away
from trivium.pipeline.videos.existing import VideoVisit, answer, unready
from trivium.storage.errors import StorageError
from trivium.wire.checks import wrong
from trivium.wire.videos import resource

LIMIT: Final = 20
"""Videos on a page where nobody says."""
LIMIT_MAX: Final = 100

log = structlog.get_logger()


async def retrieve(visit: VideoVisit) -> None:
    """How a video stands: by its row, or by a fresh look if the last was over a second ago."""
    job = await visit.job()
    video_services = visit.video_services
    if not job.is_final and job.upstream_id is not None:
        video_services.video_client.locate(job.account)
        try:
            if await video_services.jobs.is_mine(job):
                job = await poll.look(video_services.jobs, video_services.video_client, job)
        except StorageError as error:
            raise away(error) from error
    answer(visit.exchange, job, video_services.jobs.now())


async def list_(visit: VideoVisit) -> None:
    """The caller's videos, newest first unless it asks otherwise."""
    query, caller = visit.query, visit.exchange.caller
    assert caller is not None
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise wrong("order", "be asc or desc")
    after = query.get("after") or None
    page = await visit.video_services.jobs.page(
        caller.user_id, after, _limit(query.get("limit")), newest_first=order == "desc"
    )
    if page is None:
        raise resource.unknown(after or "")
    jobs, has_more = page
    body = resource.page([job.resource for job in jobs], has_more=has_more)
    visit.exchange.answer(200, body)


def _limit(text: str | None) -> int:
    if not text:
        return LIMIT
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= LIMIT_MAX:
        return int(text)
    raise wrong("limit", f"be a number from 1 to {LIMIT_MAX}")


async def delete(visit: VideoVisit) -> None:
    """Delete a video that is made or has failed: at its upstream, in our store, and its row.

    In this order: what fails in the middle is told, leaves the row, and can be asked for again.
    """
    job = await visit.job()
    if not job.is_final:
        raise unready(job, "a completed or failed one")
    try:
        if not await visit.video_services.video_client.delete(job):
            log.warning("video_left_upstream", job=job.id, channel=job.account.channel)
    except Fault as fault:
        log.warning(
            "video_not_deleted", job=job.id, channel=job.account.channel, fault=fault.kind.value
        )
        raise Fault(
            Kind.UPSTREAM_BROKE,
            "The upstream did not delete the video, so it is still there. Try again.",
            param="video_id",
        ) from None
    await _delete_kept(visit, job, job.assets)
    left = await visit.video_services.jobs.forget(job)
    if left is None:
        raise resource.unknown(job.id)
    # what the poller has kept while the upstream was asked
    await _delete_kept(visit, job, {k: v for k, v in left.items() if k not in job.assets})
    visit.exchange.answer(200, resource.deleted(job.id))


async def _delete_kept(visit: VideoVisit, job: Job, kept: Mapping[str, str]) -> None:
    assets = visit.services.assets
    if assets is None:
        return
    try:
        for asset_id in kept.values():
            await assets.delete(asset_id)
    except (AssetError, StorageError) as error:
        log.warning("video_not_deleted", job=job.id, error=str(error))
        raise Fault(
            Kind.INTERNAL, "The stored files could not be deleted; try again.", param="video_id"
        ) from None
