"""Deletes old request records and old acts without disturbing requests.

Small transactions with pauses between them, and a budget of rows and seconds a round: a table that
was never swept shrinks over hours, not in one hour of saturated disk. SQLite reuses the freed
pages, so its file stays as large as it has ever been.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.storage.late import LateModule
from trivium.storage.periodic import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.observe import store
    from trivium.storage.database import Connection, Database

    Delete = Callable[[Connection, int, int], Awaitable[int]]
else:
    store = LateModule("trivium.observe.store")

BATCH: Final = 500
"""Rows a transaction: SQLite's other writers wait some 10 ms for it."""
ROWS_MAX: Final = 100_000
"""Rows a round."""
SECONDS_MAX: Final = 60.0
"""Seconds a round."""
DAY_S: Final = 86_400

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class RecordSweeper(Sweeper):
    """Keeps records no longer than so many days; 0 keeps them for ever.

    ``delete``: deletes a batch of something else, given a transaction, a moment in milliseconds and
    a number of rows. ``name``: of that, for the log.
    """

    every_s = 600.0

    def __init__(
        self,
        db: "Database",
        retention_days: int,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        name: str = "records",
        delete: "Delete | None" = None,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._retention_days = retention_days
        self.what = name
        self._delete = delete

    async def run(self) -> None:
        """Sweep at intervals, unless nothing is ever deleted."""
        if self._retention_days:
            await super().run()

    async def round(self, now: float | None = None) -> bool:
        """Delete what is too old; ``False`` when the budgets ended first."""
        delete = self._delete or store.delete_before
        began = self._clock.monotonic()
        if now is None:
            now = self._clock.now()
        before_ms = int((now - self._retention_days * DAY_S) * 1000)
        rows = 0
        while rows < ROWS_MAX and self._clock.monotonic() - began < SECONDS_MAX:
            async with self._db.write() as conn:
                deleted = await delete(conn, before_ms, BATCH)
            rows += deleted
            if deleted < BATCH:
                if rows:
                    log.info("swept", what=self.what, rows=rows)
                return True
            await self._sleep(PAUSE_S)
        log.info("swept", what=self.what, rows=rows, more=True)
        return False
