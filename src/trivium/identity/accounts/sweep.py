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
from trivium.storage.rounds import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 500
"""Rows a table and transaction."""

log = structlog.get_logger()


class AccountSweeper(Sweeper):
    """Keeps the tables of accounts small."""

    what = "accounts"
    every_s = 900.0

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        idle_s: int,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._idle_s = idle_s

    async def round(self, now: float | None = None) -> int:
        """Delete everything that is over; how many rows that were. Raises the storage errors."""
        from trivium.identity.accounts import store

        swept = 0
        now = self._second(now)
        while True:
            async with self._db.write() as conn:
                done = await store.sweep(conn, now, self._idle_s, KEPT_S, BATCH)
            swept += done
            if not done:
                return swept
            await self._sleep(PAUSE_S)
