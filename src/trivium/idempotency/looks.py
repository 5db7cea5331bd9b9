"""Looks of one worker at what others store: all that are due go into one transaction, so that
their number does not grow with that of the answers that are waited for.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from trivium.idempotency.model import LookRequest, StoredAnswer
from trivium.storage.errors import StorageDown, StorageError
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.idempotency import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.idempotency.store")

BATCH: Final = 100
"""Answers a transaction."""
LEAST_S: Final = 1 / 32
"""First pause between two looks at an answer that another worker makes."""
MOST_S: Final = 0.5
"""Longest, while nothing comes of it."""


def pause_until(now: float, pause: float) -> float:
    """How long to wait for the next moment at which everybody with such a pause looks."""
    return pause - now % pause


class Looks:
    """Gathers the looks of a worker, and hands out what was found."""

    def __init__(self, db: "Database") -> None:
        self._db = db
        self._waiting: list[tuple[LookRequest, asyncio.Future[StoredAnswer | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def look(self, asked: LookRequest) -> StoredAnswer | None:
        """What is new of an answer; ``None``: nothing is known of it. Raises what ``Database.read``
        raises.
        """
        loop = asyncio.get_running_loop()
        told: asyncio.Future[StoredAnswer | None] = loop.create_future()
        self._waiting.append((asked, told))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        return await told

    async def _run(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                async with self._db.read() as conn:
                    found = await store.read(conn, [asked for asked, _ in batch])
            except Exception as error:  # noqa: BLE001 - told to whoever waits
                for _, told in batch:
                    if not told.done():
                        # one exception for many would gather the frames of all who raise it
                        is_down = isinstance(error, StorageError)
                        told.set_exception(StorageDown(str(error)) if is_down else error)
                continue
            for (_, told), one in zip(batch, found, strict=True):
                if not told.done():
                    told.set_result(one)
