"""Deletes counters of budgets whose period is long over, so that they stay few."""

from typing import Final

import structlog

from trivium.settings.budget import WINDOWS, Period
from trivium.storage.periodic import PAUSE_S, Sweeper

KEPT_S: Final = 100 * 86_400
"""After a period began: a month, and a journal that is replayed late."""
BATCH: Final = 500
ROUND_MAX: Final = 100
"""Batches a round and period."""

log = structlog.get_logger()


class CounterSweeper(Sweeper):
    """Sweeps counters of calendar periods, and those of end users' windows that are empty."""

    what = "budget counters"
    every_s = 3600.0

    async def round(self, now: float | None = None) -> bool:
        """Delete what is over; ``False`` when there is more."""
        from trivium.ledger.budgets import store

        before = self._second(now) - KEPT_S
        swept, is_done = 0, True
        for period in (Period.DAY, Period.WEEK, Period.MONTH, *WINDOWS):
            for _ in range(ROUND_MAX):
                async with self._db.write() as conn:
                    if period in WINDOWS:
                        rows = await store.sweep_windows(conn, period.value, BATCH)
                    else:
                        rows = await store.sweep(conn, period.value, before, BATCH)
                swept += rows
                if rows < BATCH:
                    break
                await self._sleep(PAUSE_S)
            else:
                is_done = False
        if swept:
            log.info("swept", what=self.what, rows=swept)
        return is_done
