"""Takes request records off the hot path and writes them in batches, with what they add up to.

``add`` never waits and never fails. A batch that could not be written stays first in line and is
tried again with growing pauses; storing it twice does no harm, and what was there already is not
added to the sums again. What waits is bounded: when the database stays away the oldest records go
and are counted.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from trivium.clock import Clock, SystemClock
from trivium.observe.record import Record
from trivium.storage.errors import SchemaStale, StorageDown
from trivium.storage.write_behind import WriteBehind

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH_MAX: Final = 4000
"""Records a transaction. One costs some 0.3 ms, and so many turns of the loop to wait for that a
busy worker would fall behind for ever with small ones.
"""
SLICE: Final = 500
"""Records made into rows, and handed to the database, at a time: some 0.5 ms of the event loop."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class RecorderLimits(Protocol):
    """What the recorder reads of the ``[records]`` settings."""

    @property
    def flush_s(self) -> float:
        """How often records are written, in seconds."""
        ...

    @property
    def queue_max(self) -> int:
        """The number of records that may wait."""
        ...


def _anything(_: str) -> bool:
    """Take every model for one that there is."""
    return True


class Recorder(WriteBehind):
    """Queue of request records in front of the database."""

    def __init__(
        self,
        db: "Database",
        limits: RecorderLimits,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__("records", pause_s=limits.flush_s, clock=clock, sleep=sleep)
        self._db = db
        self._queue_max = limits.queue_max
        self._queue: deque[Record] = deque()
        self._batch: list[Record] = []
        self._is_repeated = False
        """Whether some of the batch may be stored already."""
        self.knows: Callable[[str], bool] = _anything
        """Says which models are summed up by name: callers may ask for any, and as many rows there
        would be."""

    @property
    def waiting(self) -> int:
        """Records that are not stored yet."""
        return len(self._queue) + len(self._batch)

    def add(self, record: Record) -> None:
        """Queue one record for the next batch; the oldest makes room when the queue is full."""
        queue = self._queue
        if len(queue) >= self._queue_max:
            queue.popleft()
            self.drop()
        queue.append(record)

    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""
        while self.waiting:
            if not self._batch:
                queue = self._queue
                if len(queue) <= BATCH_MAX:
                    self._batch = list(queue)
                    queue.clear()
                else:
                    self._batch = [queue.popleft() for _ in range(BATCH_MAX)]
            if not await self._write_batch():
                return False
            await asyncio.sleep(0)
        return True

    async def _write_batch(self) -> bool:
        """Store the current batch; returns ``False`` when it has to be tried again."""
        try:
            await self._store(self._batch)
        except (StorageDown, SchemaStale) as error:
            return self.away(error)
        except Exception as error:  # noqa: BLE001 - one bad record must not hold up the others
            return await self._write_singly(error)
        self._batch = []
        self._is_repeated = False
        return self.back()

    async def _write_singly(self, reason: Exception) -> bool:
        """Store the records of a refused batch one by one, and drop those that are refused."""
        refused = []
        while self._batch:
            try:
                await self._store(self._batch[:1])
            except (StorageDown, SchemaStale) as error:
                return self.away(error)
            except Exception as error:  # noqa: BLE001 - as above: this is the bad one
                reason = error
                refused.append(self._batch[0].request_id)
                self.drop()
            del self._batch[0]
        self._is_repeated = False
        log.error(
            "records_refused", records=len(refused), first=refused[:1], error=str(reason)[:500]
        )
        return self.back()

    async def _store(self, records: list[Record]) -> None:
        from trivium.observe import store
        from trivium.observe.traffic import store as sums
        from trivium.observe.traffic.model import TrafficBatch

        flag: store.Flag = int if self._db.is_sqlite else bool
        row_of = store.row_of
        repeated, self._is_repeated = self._is_repeated, True
        added = TrafficBatch(self.knows)
        async with self._db.write() as conn:
            for start in range(0, len(records), SLICE):
                rows = [row_of(record, flag) for record in records[start : start + SLICE]]
                if repeated:
                    rows = await store.insert_again(conn, rows)
                else:
                    await store.insert(conn, rows)
                added.add(rows, plain=store.PLAIN)
            # last: whoever else adds to the same rows waits for the end of this transaction
            await sums.add(conn, added)
