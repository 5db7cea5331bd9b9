"""Puts finished videos into our own store, so that they outlive what their upstream keeps.

The bytes go from one to the other as they come: no more than a few pieces are in memory at once.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Final

import msgspec
import structlog

from trivium.assets.model import Asset
from trivium.assets.service import Assets
from trivium.faults import Fault, Kind
from trivium.jobs.model import ArchiveState as Keep
from trivium.jobs.model import Job
from trivium.jobs.service import Jobs
from trivium.jobs.video_download import Moved, Refused, VideoDownloader, is_file, type_of
from trivium.upstream.call import Call, HeaderLines
from trivium.wire.videos.resource import VARIANTS, VIDEO

HIGH_BYTES: Final = 1_048_576
"""Waiting bytes above which the upstream is no longer read."""
TOTAL_S: Final = 1_800.0
"""One file."""
DAY_S: Final = 86_400
PICTURES_S: Final = 3_600
"""For how long after a video is made its pictures are tried for: they are not worth more."""

log = structlog.get_logger()


class VideoArchive:
    """Copies the files of finished videos from their upstream to our own store."""

    def __init__(self, jobs: Jobs, source: VideoDownloader, store: Assets) -> None:
        self._jobs = jobs
        self._source = source
        self._store = store

    async def keep(self, job: Job) -> None:
        """Keep a finished video, then its pictures. Raises ``Fault``, AssetError and the storage
        errors; what was kept until then stays, and is not fetched again.
        """
        for variant in VARIANTS:
            if variant in job.assets:
                continue
            try:
                async with asyncio.timeout(TOTAL_S):
                    asset = await self._copied(job, variant)
            except (Fault, TimeoutError) as error:
                if variant == VIDEO or not self._is_without(job, error):
                    raise
                log.info("picture_not_kept", job=job.id, variant=variant, why=str(error))
                continue
            job = msgspec.structs.replace(
                job,
                assets={**job.assets, variant: asset.id},
                expires_at=asset.expires_at if variant == VIDEO else job.expires_at,
            )
            if not await self._jobs.keep(job, Keep.WANTED):
                await self._store.delete(asset.id)  # it was deleted meanwhile
                return
            log.info("video_kept", job=job.id, variant=variant, size_bytes=asset.size_bytes)
        await self._jobs.keep(job, Keep.YES)

    def _is_without(self, job: Job, error: Fault | TimeoutError) -> bool:
        """Whether the job goes without this picture: there is none, or it cannot be fetched."""
        age_s = self._jobs.now() - (job.completed_at or 0)
        lasting = isinstance(error, Fault) and not error.row.fallback
        return lasting or age_s >= PICTURES_S

    async def _copied(self, job: Job, variant: str) -> Asset:
        pipe = Pipe(self._jobs.limits.keep_bytes_max, variant)
        loop = asyncio.get_running_loop()

        def take(refused: Refused) -> Pipe:
            return pipe.again(refused)

        fetching = loop.create_task(self._source.fetch(job, variant, take))
        fetching.add_done_callback(pipe.over)
        try:
            content_type = await pipe.begun()
            return await self._store.put(
                pipe.pieces(),
                user_id=job.user_id,
                kind=VIDEO,
                content_type=content_type,
                lifetime_s=self._lifetime_s(job, variant),
            )
        finally:
            fetching.cancel()
            await asyncio.gather(fetching, return_exceptions=True)

    def _lifetime_s(self, job: Job, variant: str) -> int:
        """Return the seconds for which a file is kept. Pictures end together with their video."""
        if variant == VIDEO or job.expires_at is None:
            return self._jobs.limits.keep_days * DAY_S
        return max(1, job.expires_at - int(self._jobs.now()))


class Pipe:
    """Takes one file from an upstream and gives it to a store, at the pace of the slower one."""

    def __init__(self, bytes_max: int, variant: str = VIDEO) -> None:
        self._bytes_max = bytes_max
        self._variant = variant
        self._call: Call | None = None
        self._error = b""
        self._pieces: deque[bytes] = deque()
        self._refused: Refused | None = None
        self._size = self._waiting = self._status = 0
        self._headers: Mapping[str, str] = {}
        self._is_file = False
        self._paused = False
        self._news = asyncio.Event()
        self._is_over = False
        self._fault: BaseException | None = None
        self.outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # --- the source's side ------------------------------------------------------------------------

    def again(self, refused: Refused) -> "Pipe":
        """Return the pipe ready for one more answer, after one that only said where the file is."""
        self._refused = refused
        self._error = b""
        self.outcome = asyncio.get_running_loop().create_future()
        return self

    def attach(self, call: Call) -> None:
        """Keep the running call, so that it can be paused and aborted."""
        self._call = call

    def release(self) -> None:
        """Abort the call, if it is still running."""
        call, self._call = self._call, None
        if call is not None:
            call.abort()

    def head(self, status: int, headers: HeaderLines) -> None:
        """Note the status and type of the answer; only a complete file is kept."""
        self._status = status
        self._headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in headers}
        self._is_file = status == 200 and is_file(status, self._headers)
        if self._is_file and self._is_other():
            self.release()
            self.broke(_none())
        elif self._is_file:
            self._news.set()

    def data(self, data: bytes) -> None:
        """Take the next piece of the answer: of the file, or of an error."""
        if self.outcome.done():
            return
        if not self._is_file:
            self._error = (self._error + data)[:65_536]
            return
        self._size += len(data)
        if self._size > self._bytes_max:
            self.release()
            self.broke(Fault(Kind.BODY_TOO_LARGE, "The video is larger than what is kept."))
            return
        self._pieces.append(data)
        self._waiting += len(data)
        self._news.set()
        if self._waiting > HIGH_BYTES and self._call is not None and not self._paused:
            self._paused = True
            self._call.pause()

    def done(self, rest: bytes = b"") -> None:
        """End the file, or fail it with the fault that the answer means."""
        if rest:
            self.data(rest)
        if self.outcome.done():
            return
        if self._is_file:
            self.outcome.set_result(None)
        else:
            assert self._refused is not None
            fault = self._refused(self._status, self._headers, self._error)
            is_none = self._variant != VIDEO and 200 <= self._status < 300
            self.outcome.set_exception(
                _none() if is_none and not isinstance(fault, Moved) else fault
            )

    def broke(self, fault: Fault) -> None:
        """Fail the file with this fault."""
        if not self.outcome.done():
            self.outcome.set_exception(fault)

    def over(self, fetching: "asyncio.Task[None]") -> None:
        """Note that the task that fetches the file has ended, and with which exception."""
        self._is_over = True
        self._fault = asyncio.CancelledError() if fetching.cancelled() else fetching.exception()
        self._news.set()

    def _is_other(self) -> bool:
        """Whether the video came in place of a picture: some servers ignore the variant."""
        kind = type_of(self._headers.get("content-type", ""), VIDEO)
        return self._variant != VIDEO and not kind.startswith("image/")

    # --- the store's side -------------------------------------------------------------------------

    async def begun(self) -> str:
        """Wait for the start of the file and return its content type. Raises ``Fault``."""
        while not self._is_file and not self._is_over:
            self._news.clear()
            await self._news.wait()
        if self._fault is not None and not self._pieces:
            raise self._fault
        return type_of(self._headers.get("content-type", ""), self._variant)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file. Raises ``Fault`` when it breaks off."""
        while True:
            while self._pieces:
                piece = self._pieces.popleft()
                self._waiting -= len(piece)
                if self._paused and self._waiting <= HIGH_BYTES // 2 and self._call is not None:
                    self._paused = False
                    self._call.resume()
                yield piece
            if self._is_over:
                if self._fault is not None:
                    raise self._fault
                return
            self._news.clear()
            await self._news.wait()


def _none() -> Fault:
    return Fault(Kind.NOT_FOUND, "The upstream has no such picture.")
