"""Deletes answers whose day is over, and the oldest of users who keep too much."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.settings.model import IdempotencySettings
from trivium.storage.periodic import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 200
"""Answers a transaction; each has some pieces."""
SECONDS_MAX: Final = 60.0
"""Seconds a round."""
AGAIN_S: Final = 3600
"""Whoever had one made so long before a round is looked at again: clocks differ, and an answer has
its size when it ends.
"""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class AnswerSweeper(Sweeper):
    """Keeps answers within the hours, keys and bytes of the settings."""

    what = "answers"
    every_s = 300.0

    def __init__(
        self,
        db: "Database",
        limits: IdempotencySettings,
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._limits = limits
        self._since: int | None = None
        """Who had nothing made since then was seen; ``None``: everybody is to be looked at."""

    async def round(self, now: float | None = None) -> bool:
        """Delete what is too old or too much; ``False`` when the budget of seconds ended first."""
        from trivium.idempotency import store

        began = self._clock.monotonic()
        limits, swept = self._limits, 0
        now = self._second(now)
        rows = BATCH
        while rows == BATCH:
            async with self._db.write() as conn:
                rows = await store.delete_expired(conn, now, BATCH)
            swept += rows
            if self._clock.monotonic() - began >= SECONDS_MAX:
                return False
            await self._sleep(PAUSE_S)
        most = (limits.user_keys_max, limits.user_bytes_max)
        async with self._db.read() as conn:
            owners = await store.owners_above(conn, *most, self._since)
        finished = True
        for user_id in owners:
            rows = 1
            while rows and finished:
                async with self._db.write() as conn:
                    rows = await store.trim(conn, user_id, *most, BATCH)
                swept += rows
                finished = self._clock.monotonic() - began < SECONDS_MAX
                await self._sleep(PAUSE_S)
        if swept:
            log.info("answers_swept", answers=swept, users_above_limit=len(owners))
        if finished:
            self._since = now - AGAIN_S
        return finished
