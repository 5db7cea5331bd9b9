"""Deletes what has expired, in small transactions with pauses between them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.storage.rounds import rounds

if TYPE_CHECKING:
    from trivium.storage.database import Database

ROUND_S: Final = 300.0
"""Between two rounds."""
PAUSE_S: Final = 0.1
BATCH: Final = 500
"""Tokens of a kind a transaction."""
DAY_S: Final = 86_400
CODES_S: Final = DAY_S
"""How long an expired code is known, so that its second use is recognised."""
ENDED_S: Final = 90 * DAY_S
"""How long ended developer tokens, and families with what happened to them, can be looked at."""
REVOKED_S: Final = 400 * DAY_S
"""How long it is known that consent was taken back."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class Sweeper:
    """Keeps the tables of the OAuth service small."""

    def __init__(
        self,
        db: "Database",
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._clock = clock
        self._sleep = sleep

    async def run(self) -> None:
        """Sweep at intervals, without end. Logs one line when the database goes or comes back."""
        await rounds("oauth", self.round, ROUND_S, self._sleep, db=self._db, clock=self._clock)

    async def round(self, now: float | None = None) -> int:
        """Delete everything that is due; how many rows. Raises what ``Database.write`` raises."""
        from trivium.oauth.apps import store as apps
        from trivium.oauth.consent import store as consent
        from trivium.oauth.developer import store as developer
        from trivium.oauth.tokens import store as tokens

        now = int(self._clock.now() if now is None else now)
        async with self._db.write() as conn:
            swept = await apps.sweep_secrets(conn, now)
            swept += await developer.sweep(conn, now - ENDED_S)
            swept += await consent.sweep(conn, now, now - CODES_S, now - REVOKED_S)
        while True:
            async with self._db.write() as conn:
                rows = await tokens.sweep(conn, now, now - ENDED_S, BATCH)
            swept += rows
            if rows < BATCH:
                break
            await self._sleep(PAUSE_S)
        if swept:
            log.info("oauth_swept", rows=swept)
        return swept
