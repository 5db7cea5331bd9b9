"""Claims of one worker: all that wait go into one transaction, so that their number does not grow
with that of the requests, and a key is claimed once at a time.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from trivium.idempotency.model import Claimed, ClaimRequest
from trivium.storage.errors import StorageDown, StorageError
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.idempotency import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.idempotency.store")

BATCH: Final = 100
"""Claims a transaction."""
TURN_S: Final = 5.0
"""One transaction. Callers wait for it, so a frozen database is told soon."""
SILENT_S: Final = 10
"""After so long without a word from its worker an answer is begun anew by whoever asks."""


class Claims:
    """Gathers the claims of a worker, makes them, and tells each how it went."""

    def __init__(self, db: "Database", worker: str, keep_s: int) -> None:
        self._db = db
        self._worker = worker
        self._keep_s = keep_s
        self._waiting: list[tuple[ClaimRequest, asyncio.Future[Claimed]]] = []
        self._task: asyncio.Task[None] | None = None

    async def claim(self, asked: ClaimRequest) -> Claimed:
        """Have it answered here, unless it is answered. Raises what ``Database.write`` raises."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[Claimed] = loop.create_future()
        self._waiting.append((asked, told))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        return await told

    async def _run(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            batch.sort(key=lambda one: one[0].place)
            try:
                found = await self._together([asked for asked, _ in batch])
            except Exception as error:  # noqa: BLE001 - told to whoever waits
                _tell(batch, error)
                continue
            for (_, told), claimed in zip(batch, found, strict=True):
                if told.done():
                    continue
                if claimed is None:
                    told.set_exception(StorageDown("the key's row was forgotten meanwhile"))
                else:
                    told.set_result(claimed)

    async def _together(self, asked: list[ClaimRequest]) -> list[Claimed | None]:
        async with self._db.write(TURN_S) as conn:
            return [await self._one(conn, one) for one in asked]

    async def _one(self, conn: "Connection", asked: ClaimRequest) -> Claimed | None:
        for _ in range(3):
            found = await store.claim(conn, asked, self._worker, self._keep_s, SILENT_S)
            if found is not None:
                return found
        return None


def _tell(batch: list[tuple[ClaimRequest, "asyncio.Future[Claimed]"]], error: Exception) -> None:
    for _, told in batch:
        if not told.done():
            # one exception for many would gather the frames of all who raise it
            told.set_exception(
                StorageDown(str(error)) if isinstance(error, StorageError) else error
            )
