"""Puts finished videos into our own store, so that they outlive what their upstream keeps.

The bytes go from one to the other as they come: no more than a few pieces are in memory at once.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Final, Protocol

import structlog

from trivium.assets.model import Asset
from trivium.faults import Fault, Kind
from trivium.jobs.model import Job
from trivium.jobs.service import Jobs
from trivium.jobs.source import Refused, Source, is_file
from trivium.upstream.call import Call
from trivium.wire.videos.resource import VIDEO

HIGH_BYTES: Final = 1_048_576
"""Waiting bytes above which the upstream is no longer read."""
TOTAL_S: Final = 1_800.0
"""One file."""
DAY_S: Final = 86_400

log = structlog.get_logger()


class Store(Protocol):
    """Keeps files; ``assets/service.py`` is the real one."""

    async def put(
        self,
        data: bytes | AsyncIterator[bytes],
        *,
        user_id: int,
        kind: str,
        content_type: str,
        lifetime_s: int,
    ) -> Asset:
        """Keep a file for so many seconds. Raises AssetError and the storage errors."""
        ...

    async def delete(self, asset_id: str) -> None:
        """Remove a file. Raises AssetError and the storage errors."""
        ...


class Keeping:
    """See the module."""

    def __init__(self, jobs: Jobs, source: Source, store: Store) -> None:
        self._jobs = jobs
        self._source = source
        self._store = store

    async def keep(self, job: Job) -> None:
        """Keep a finished video. Raises ``Fault``, AssetError and the storage errors."""
        lifetime_s = self._jobs.limits.keep_days * DAY_S
        async with asyncio.timeout(TOTAL_S):
            asset = await self._copied(job, lifetime_s)
        if await self._jobs.keep(job, {VIDEO: asset.id}, asset.expires_at):
            log.info("video_kept", job=job.id, size_bytes=asset.size_bytes)
        else:
            await self._store.delete(asset.id)  # it was deleted meanwhile

    async def _copied(self, job: Job, lifetime_s: int) -> Asset:
        pipe = Pipe(self._jobs.limits.keep_bytes_max)
        loop = asyncio.get_running_loop()

        def take(refused: Refused) -> Pipe:
            return pipe.again(refused)

        fetching = loop.create_task(self._source.fetch(job, VIDEO, take))
        fetching.add_done_callback(pipe.over)
        try:
            content_type = await pipe.begun()
            return await self._store.put(
                pipe.pieces(),
                user_id=job.user_id,
                kind=VIDEO,
                content_type=content_type,
                lifetime_s=lifetime_s,
            )
        finally:
            fetching.cancel()
            await asyncio.gather(fetching, return_exceptions=True)


class Pipe:
    """Takes one file from an upstream and gives it to a store, at the slower one's pace."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
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
        """Ready for one answer more: the last one only said where the file is."""
        self._refused = refused
        self._error = b""
        self.outcome = asyncio.get_running_loop().create_future()
        return self

    def attach(self, call: Call) -> None:
        """The call runs."""
        self._call = call

    def release(self) -> None:
        """Hang up."""
        call, self._call = self._call, None
        if call is not None:
            call.abort()

    def head(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Only a whole file is kept."""
        self._status = status
        self._headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in headers}
        self._is_file = status == 200 and is_file(status, self._headers)
        if self._is_file:
            self._news.set()

    def data(self, data: bytes) -> None:
        """A piece."""
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
        """The answer is whole."""
        if rest:
            self.data(rest)
        if self.outcome.done():
            return
        if self._is_file:
            self.outcome.set_result(None)
        else:
            assert self._refused is not None
            self.outcome.set_exception(self._refused(self._status, self._headers, self._error))

    def broke(self, fault: Fault) -> None:
        """It cannot go on."""
        if not self.outcome.done():
            self.outcome.set_exception(fault)

    def over(self, fetching: "asyncio.Task[None]") -> None:
        """Whoever fetched has ended."""
        self._is_over = True
        self._fault = asyncio.CancelledError() if fetching.cancelled() else fetching.exception()
        self._news.set()

    # --- the store's side -------------------------------------------------------------------------

    async def begun(self) -> str:
        """The content type, once the file has begun. Raises ``Fault``."""
        while not self._is_file and not self._is_over:
            self._news.clear()
            await self._news.wait()
        if self._fault is not None and not self._pieces:
            raise self._fault
        return self._headers.get("content-type", "").partition(";")[0].strip() or "video/mp4"

    async def pieces(self) -> AsyncIterator[bytes]:
        """The file. Raises ``Fault`` when it breaks off."""
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
