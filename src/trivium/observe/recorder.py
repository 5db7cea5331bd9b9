"""Takes request records off the hot path and writes them in batches.

``add`` never waits and never fails. A batch that could not be written stays first in line and is
tried again with growing pauses; storing it twice does no harm. What waits is bounded: when the
database stays away the oldest records go and are counted.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from trivium.clock import Clock, SystemClock
from trivium.observe.record import Record
from trivium.storage.errors import SchemaStale, StorageDown

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH_MAX: Final = 2000
"""Records a transaction when many wait: one has so many turns of the loop to wait for that a busy
worker would fall behind for ever with small ones.
"""
BATCH: Final = 500
"""Records a transaction: some 3 ms during which the event loop is slow to respond."""
PAUSE_S_MAX: Final = 30.0
"""Longest pause between two tries while the database is away."""
CLOSE_S: Final = 5.0
"""How long the end of a worker may wait for its last records."""
DROPPED_LOG_S: Final = 60.0
"""Dropped records are told at most this often."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class Limits(Protocol):
    """What the recorder reads of the ``[records]`` settings."""

    @property
    def flush_s(self) -> float:
        """Seconds between batches."""
        ...

    @property
    def queue_max(self) -> int:
        """Records that may wait."""
        ...


class Recorder:
    """Queue of request records in front of the database."""

    def __init__(
        self,
        db: "Database",
        limits: Limits,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._flush_s = limits.flush_s
        self._queue_max = limits.queue_max
        self._clock = clock
        self._sleep = sleep
        self._queue: deque[Record] = deque()
        self._batch: list[Record] = []
        self._task: asyncio.Task[None] | None = None
        self._is_down = False
        self._untold = 0
        self._told_at = float("-inf")
        self.dropped = 0
        """Records lost since the start."""

    @property
    def waiting(self) -> int:
        """Records that are not stored yet."""
        return len(self._queue) + len(self._batch)

    def add(self, record: Record) -> None:
        """Queue one record for the next batch; the oldest makes room when the queue is full."""
        queue = self._queue
        if len(queue) >= self._queue_max:
            queue.popleft()
            self._drop()
        queue.append(record)

    def start(self) -> None:
        """Begin to write batches in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self, limit_s: float = CLOSE_S) -> None:
        """Stop, and write what waits within the limit; what is lost then is told."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not await self.flush():
                    await self._sleep(0.1)
        self.dropped += self.waiting
        self._untold += self.waiting
        self._told_at = float("-inf")
        self._tell_dropped()

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self.waiting:
            if not self._batch:
                queue = self._queue
                self._batch = [queue.popleft() for _ in range(_next_batch(len(queue)))]
            if not await self._write_batch():
                return False
            await asyncio.sleep(0)
        return True

    async def _run(self) -> None:
        pause = self._flush_s
        while True:
            await self._sleep(pause)
            if await self.flush():
                pause = self._flush_s
            else:
                pause = min(2 * max(pause, self._flush_s), PAUSE_S_MAX)
            self._tell_dropped()

    async def _write_batch(self) -> bool:
        """Store the batch at hand; ``False`` when it has to be tried again."""
        try:
            await self._store(self._batch)
        except (StorageDown, SchemaStale) as error:
            return self._is_away(error)
        except Exception as error:  # noqa: BLE001 - one bad record must not hold up the others
            return await self._write_singly(error)
        self._batch = []
        self._is_back()
        return True

    async def _write_singly(self, reason: Exception) -> bool:
        """Store what can be stored of a batch that was refused as a whole, and drop the rest."""
        refused = []
        while self._batch:
            try:
                await self._store(self._batch[:1])
            except (StorageDown, SchemaStale) as error:
                return self._is_away(error)
            except Exception as error:  # noqa: BLE001 - as above: this is the bad one
                reason = error
                refused.append(self._batch[0].request_id)
                self._drop()
            del self._batch[0]
        log.error(
            "records_refused", records=len(refused), first=refused[:1], error=str(reason)[:500]
        )
        self._is_back()
        return True

    async def _store(self, records: list[Record]) -> None:
        from trivium.observe import store

        flag = int if self._db.is_sqlite else bool
        rows = [store.row_of(record, flag) for record in records]
        async with self._db.write() as conn:
            await store.insert(conn, rows)

    def _is_away(self, error: Exception) -> bool:
        if not self._is_down:
            log.warning("records_wait", error=str(error), waiting=self.waiting)
        self._is_down = True
        return False

    def _is_back(self) -> None:
        if self._is_down:
            log.info("records_flow_again", waiting=self.waiting)
        self._is_down = False

    def _drop(self) -> None:
        self.dropped += 1
        self._untold += 1

    def _tell_dropped(self) -> None:
        now = self._clock.monotonic()
        if self._untold and now - self._told_at >= DROPPED_LOG_S:
            log.error("records_dropped", records=self._untold, total=self.dropped)
            self._untold = 0
            self._told_at = now


def _next_batch(waiting: int) -> int:
    return min(waiting, max(BATCH, min(waiting // 2, BATCH_MAX)))
