"""Looks after jobs whether anybody asks about them or not: one look, and the poller's rounds.

A job belongs to whoever claimed its row, for a minute at a time; a heartbeat makes it last while a
look or a download takes longer. A poller that dies is simply late: another claims the row.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from trivium.faults import Fault, Kind
from trivium.jobs import model
from trivium.jobs.model import BIRTH_S, CLAIM_S, LOST_S, ArchiveState, Job
from trivium.jobs.service import Jobs
from trivium.jobs.video_client import VideoClient
from trivium.storage.errors import StorageError
from trivium.wire.videos.answer import FINAL

ROUND_S: Final = 1.0
SWEEP_S: Final = 600.0
"""Between two sweeps of what has ended long ago."""
LOOK_S: Final = 30.0
"""What one look may take."""

_NEVER: Final = frozenset({Kind.NOT_FOUND, Kind.UNREPRESENTABLE, Kind.BODY_TOO_LARGE})
"""What will be no better later."""

log = structlog.get_logger()

Keep = Callable[[Job], Awaitable[None]]
"""Puts a finished job's files into our own store. Raises ``Fault`` and what the stores raise."""


async def look(jobs: Jobs, video_client: VideoClient, job: Job) -> Job:
    """Look at a job that this worker claimed, and store the result. Raises the storage errors."""
    age = await jobs.certain_age_s(job)
    late = model.is_too_old(age, jobs.limits)
    try:
        async with asyncio.timeout(LOOK_S):
            seen = await video_client.look(job)
    except (Fault, TimeoutError) as error:
        kind = error.kind if isinstance(error, Fault) else Kind.UPSTREAM_TIMEOUT
        if kind is Kind.NOT_FOUND and age >= LOST_S:
            return await jobs.give_up(
                job, "lost", "The upstream does not have this video any more."
            )
        if late:
            return await _too_late(jobs, job)
        log.info("job_not_seen", job=job.id, channel=job.account.channel, fault=kind.value)
        await jobs.put_off(job)
        return job
    if late and seen.status not in FINAL:
        return await _too_late(jobs, job)
    return await jobs.see(job, seen)


async def _too_late(jobs: Jobs, job: Job) -> Job:
    log.warning("job_too_old", job=job.id, channel=job.account.channel)
    return await jobs.give_up(job, "timed_out", "The video was not made in time.")


class Poller:
    """Polls the jobs that this worker claims. Belongs to one event loop."""

    def __init__(
        self,
        jobs: Jobs,
        video_client: VideoClient,
        keep: Keep | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``keep``: ``None`` where files are not kept."""
        self._jobs = jobs
        self._asking = video_client
        self._keep = keep
        self._sleep = sleep
        self._running: dict[asyncio.Task[None], Job] = {}
        self._is_down = False
        self._beaten_at = float("-inf")
        self._sweep_at = float("-inf")

    async def run(self) -> None:
        """Poll at intervals, without end. Logs one line when the database goes or comes back."""
        while True:
            await self._sleep(ROUND_S)
            try:
                await self.round()
            except StorageError as error:
                if not self._is_down:
                    log.warning("jobs_wait", error=str(error))
                self._is_down = True
            else:
                if self._is_down:
                    log.info("jobs_flow_again")
                self._is_down = False

    async def round(self) -> None:
        """Start looks at due jobs, as far as there is room. Raises what the database raises."""
        now = self._jobs.monotonic()
        if self._running and now - self._beaten_at >= CLAIM_S / 3:
            self._beaten_at = now
            await self._jobs.extend(list(self._running.values()))
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_S
            if brought := await self._jobs.bring_back():
                log.warning("jobs_brought_back", jobs=brought)
            if swept := await self._jobs.sweep():
                log.info("jobs_swept", jobs=swept)
        room = self._jobs.limits.at_once - len(self._running)
        if room <= 0:
            return
        loop = asyncio.get_running_loop()
        for job in await self._jobs.due(room):
            task = loop.create_task(self._tend(job))
            self._running[task] = job
            task.add_done_callback(self._running.pop)

    async def settled(self) -> None:
        """Wait until the looks that were started have ended."""
        await asyncio.gather(*self._running, return_exceptions=True)

    async def close(self) -> None:
        """Cancel running looks; other workers claim their jobs later."""
        for task in list(self._running):
            task.cancel()
        await self.settled()

    async def _tend(self, job: Job) -> None:
        try:
            await self._do(job)
        except (Fault, StorageError) as error:
            log.warning("job_not_tended", job=job.id, error=str(error))
        except Exception:
            log.exception("job_crashed", job=job.id)

    async def _do(self, job: Job) -> None:
        if not job.is_final and job.upstream_id is None:
            if await self._jobs.certain_age_s(job) < BIRTH_S:
                return  # its birth goes on: the claim ends, and another look comes
            log.warning("job_lost", job=job.id, channel=job.account.channel)
            await self._jobs.lose(job)
        elif not job.is_final:
            await look(self._jobs, self._asking, job)
        elif job.kept is ArchiveState.WANTED and self._keep is not None:
            await self._keep_files(self._keep, job)
        else:
            await self._jobs.let_go(job)

    async def _keep_files(self, keep: Keep, job: Job) -> None:
        """Try until they are kept, or nobody will ever have them."""
        try:
            await keep(job)
        except Exception as error:
            never = isinstance(error, Fault) and error.kind in _NEVER
            age = await self._jobs.certain_age_s(job)
            if never or model.is_too_old(age, self._jobs.limits):
                await self._jobs.let_go(job)
            else:
                await self._jobs.put_off(job)
            raise
