"""Deletes responses that have expired, and the oldest of users who keep too much.

Small transactions with pauses, and a budget of seconds a round: a store that was never swept
shrinks over hours and is in nobody's way.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.settings.model import ResponsesSettings
from trivium.storage.periodic import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 200
"""Responses a transaction; each has some items."""
SECONDS_MAX: Final = 60.0
"""Seconds a round."""
AGAIN_S: Final = 3600
"""Whoever had one made so long before a round is looked at again: clocks differ, and an answer has
its size when it ends.
"""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class ResponseSweeper(Sweeper):
    """Keeps stored responses within the days and bytes of the settings."""

    what = "responses"
    every_s = 300.0

    def __init__(
        self,
        db: "Database",
        limits: ResponsesSettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._limits = limits
        self._since: int | None = None
        """Who had nothing made since then was seen; ``None``: everybody is to be looked at."""

    async def round(self, now: float | None = None) -> bool:
        """Delete what is too old or too much; ``False`` when the budget of seconds ended first."""
        from trivium.response_store import store

        began = self._clock.monotonic()
        swept = 0
        now = self._second(now)
        while True:
            async with self._db.write() as conn:
                rows = await store.delete_expired(conn, now, BATCH)
            swept += rows
            if rows < BATCH:
                break
            if self._clock.monotonic() - began >= SECONDS_MAX:
                return False
            await self._sleep(PAUSE_S)
        async with self._db.read() as conn:
            owners = await store.owners_above(conn, self._limits.user_bytes_max, self._since)
        finished = True
        for user_id in owners:
            rows = excess = 1
            while rows and excess and finished:
                async with self._db.write() as conn:
                    rows, excess = await store.delete_oldest(
                        conn, user_id, self._limits.user_bytes_max, BATCH
                    )
                swept += rows
                finished = self._clock.monotonic() - began < SECONDS_MAX
                await self._sleep(PAUSE_S)
        if swept:
            log.info("responses_swept", responses=swept, users_above_limit=len(owners))
        if finished:
            self._since = now - AGAIN_S
        return finished
