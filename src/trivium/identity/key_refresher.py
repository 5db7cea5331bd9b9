"""Looks for keys before the next poll is due.

There are three reasons to: this process has just changed a key; a key is presented that there is
and that is not in memory; or a well-formed key is presented that nobody knows, which may have been
made a moment ago by another worker or at the command line.

Keys that there are, are read as they are asked for, many by one query and one query at a time.
Anybody can invent well-formed keys, so looks for unknown ones are as far apart as ``PAUSE_S``, and
all who wait share one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

import structlog

from trivium.identity.model import Caller

PAUSE_S: Final = 0.2
"""From the end of one look to the beginning of the next: at most five small queries a second."""
PATIENCE_S: Final = 1.0
"""How long a look is waited for. A frozen database must not hold up who waits."""
BATCH: Final = 200
"""Keys that one query reads; their rows take some 3 ms of the event loop."""


log = structlog.get_logger()


class Keys(Protocol):
    """The snapshot, as far as it is looked at here."""

    get: Callable[[bytes], Caller | None]
    """The caller of a digest, if it is in memory."""

    async def refresh(self) -> None:
        """Read what has changed."""
        ...

    def exists(self, digest: bytes) -> bool:
        """Whether there is a key of this digest, in memory or not."""
        ...

    async def read(self, digests: Sequence[bytes]) -> None:
        """Read these keys into memory."""
        ...


class KeyRefresher:
    """Refreshes the snapshot of keys early. One for each worker."""

    def __init__(
        self,
        keys: Keys,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``now``: seconds of a clock that never goes back."""
        self._keys = keys
        self._now = now
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        """The look that has not begun."""
        self._running: set[asyncio.Task[None]] = set()
        self._earliest = 0.0
        self._wanted: dict[bytes, asyncio.Future[bool]] = {}
        """Digests that the next query reads, at most as many as there are keys."""
        self._reading: asyncio.Task[None] | None = None
        self._is_failing = False
        """Whether the last query for keys failed."""

    async def find(self, digest: bytes) -> bool:
        """Look for a key that is not in memory, and have it there if it exists.

        Returns ``False`` where there is one and the database did not answer in time. Raises
        nothing: what a look could not find out, the next poll will.
        """
        if not self._keys.exists(digest):
            await self.refresh_keys()
        if self._keys.get(digest) is not None or not self._keys.exists(digest):
            return True
        wanted = self._want(digest)
        done, _ = await asyncio.wait([wanted], timeout=PATIENCE_S)
        return wanted in done and wanted.result()

    async def refresh_keys(self) -> None:
        """Return once a look that began after this call is over, or ``PATIENCE_S`` have passed.

        Raises nothing: what a look could not find out, the next poll will.
        """
        if self._next is None:
            self._next = self._started(self._look())
        await asyncio.wait([self._next], timeout=PATIENCE_S)

    async def close(self) -> None:
        """Cancel a look that is running."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _look(self) -> None:
        async with self._turn:
            wait_s = self._earliest - self._now()
            if wait_s > 0:
                await self._sleep(wait_s)
            # whoever comes from here on may know of what this look does not see
            self._next = None
            try:
                await self._keys.refresh()
            except Exception:  # noqa: BLE001, S110 - the watch meets the same and tells it
                pass
            finally:
                self._earliest = self._now() + PAUSE_S

    def _want(self, digest: bytes) -> asyncio.Future[bool]:
        wanted = self._wanted.get(digest)
        if wanted is None:
            wanted = self._wanted[digest] = asyncio.get_running_loop().create_future()
        if self._reading is None:
            self._reading = self._started(self._read_wanted())
        return wanted

    async def _read_wanted(self) -> None:
        """Read what is wanted until nothing is."""
        try:
            while self._wanted:
                waiting, self._wanted = list(self._wanted.items()), {}
                for begun in range(0, len(waiting), BATCH):
                    await self._read(waiting[begun : begun + BATCH])
        finally:
            self._reading = None

    async def _read(self, batch: Sequence[tuple[bytes, asyncio.Future[bool]]]) -> None:
        is_read = False
        try:
            await self._keys.read([digest for digest, _ in batch])
            is_read = True
        except Exception as error:  # noqa: BLE001 - whoever waits is told to try again
            # the watch reads something else, and may meet nothing of it; once, as each key asks
            if not self._is_failing:
                log.warning("keys_unread", error=str(error), keys=len(batch))
        finally:
            if is_read and self._is_failing:
                log.info("keys_read_again")
            self._is_failing = not is_read
            for _, wanted in batch:
                if not wanted.done():
                    wanted.set_result(is_read)

    def _started(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task
