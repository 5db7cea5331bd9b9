"""Makes rows of hours out of those of minutes, and rows of days out of those: tables stay small.

How far back an hour or five minutes can still be told apart is in ``FOLDS``. Small transactions
with pauses between them; a round that is broken off leaves nothing undone but the rest.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.observe.traffic.model import DAY_S, HOUR_S, SPAN_S
from trivium.storage.late import LateModule
from trivium.storage.periodic import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.observe.traffic import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.observe.traffic.store")

BATCH: Final = 500
"""Rows a transaction."""
ROWS_MAX: Final = 200_000
"""Rows a round: more than 10,000 keys that are all in use add in a quarter of an hour."""
SECONDS_MAX: Final = 60.0

FOLDS: Final = (
    ("traffic", SPAN_S, (HOUR_S,), 26 * HOUR_S),
    ("traffic", HOUR_S, (DAY_S,), 9 * DAY_S),
    ("traffic_keys", SPAN_S, (HOUR_S, DAY_S), 2 * HOUR_S),
    ("traffic_keys", HOUR_S, (), 2 * DAY_S),
)
"""Table, span, the longer ones, and at what age in seconds a row goes over: into none where it is
in all of them since before."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class TrafficFolder(Sweeper):
    """Folds rows of sums into longer spans."""

    what = "traffic"
    every_s = 900.0

    def __init__(
        self,
        db: "Database",
        clock: Clock = _SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(db, clock, sleep)

    async def round(self, now: float | None = None) -> bool:
        """Fold what is old enough; ``False`` when the budgets ended first."""
        second, began, rows = self._second(now), self._clock.monotonic(), 0
        for name, span_s, to, age_s in FOLDS:
            to_s = min(to, default=DAY_S)
            # whole spans only: none is partly in one row and partly in many for longer than a round
            before = (second - age_s) // to_s * to_s
            folded = BATCH
            while folded == BATCH:
                if rows >= ROWS_MAX or self._clock.monotonic() - began >= SECONDS_MAX:
                    log.info("folded", what=self.what, rows=rows, more=True)
                    return False
                async with self._db.write() as conn:
                    folded = await store.fold(conn, name, span_s, to, before, BATCH)
                rows += folded
                if folded == BATCH:
                    await self._sleep(PAUSE_S)
        if rows:
            log.info("folded", what=self.what, rows=rows)
        return True
