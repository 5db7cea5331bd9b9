"""Deletes sessions, tickets and counts that are over, a few at a time and in nobody's way.

Nothing depends on it: whatever is over counts for nothing from its second on. It keeps the tables
small, and what is past out of the database.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock
from trivium.identity.accounts.tickets import KEPT_S
from trivium.storage.rounds import rounds

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 500
"""Rows a table and transaction."""
PAUSE_S: Final = 0.1
"""Between two batches."""
ROUND_S: Final = 900.0
"""Between two rounds."""

log = structlog.get_logger()


class Sweeper:
    """Keeps the tables of accounts small."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        *,
        idle_s: int,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._clock = clock
        self._idle_s = idle_s
        self._sleep = sleep

    async def run(self) -> None:
        """Sweep round after round; one log line when the database goes away."""
        await rounds("accounts", self.round, ROUND_S, self._sleep, db=self._db, clock=self._clock)

    async def round(self, now: float | None = None) -> int:
        """Delete everything that is over; how many rows that were. Raises the storage errors."""
        from trivium.identity.accounts import store

        swept = 0
        now = int(self._clock.now() if now is None else now)
        while True:
            async with self._db.write() as conn:
                done = await store.sweep(conn, now, self._idle_s, KEPT_S, BATCH)
            swept += done
            if not done:
                return swept
            await self._sleep(PAUSE_S)
