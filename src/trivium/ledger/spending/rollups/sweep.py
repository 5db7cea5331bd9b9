"""Makes the sums of days that are closed, a part of a window a transaction.

Days are closed in their order, and a day when all windows that end on it are made. What is broken
off is made again. Whoever deletes all rows of ``spend_closed`` has everything made anew.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import structlog

from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rollups.model import OPEN_DAYS, RollupWindow, windows_ending
from trivium.storage.late import LateModule
from trivium.storage.periodic import PAUSE_S, Sweeper

if TYPE_CHECKING:
    from trivium.ledger.spending.rollups import store
else:
    store = LateModule("trivium.ledger.spending.rollups.store")

ROWS: Final = 5_000
"""Rows added up in a transaction: SQLite's other writers wait some 30 ms for it."""
LATE: Final = 50
"""Late days of accounts a transaction."""
SECONDS_MAX: Final = 120.0
"""A round."""

log = structlog.get_logger()


class RollupSweeper(Sweeper):
    """Makes windows of sums, and those anew that had late ones."""

    what = "rollups"
    every_s = 900.0

    async def round(self, now: float | None = None) -> bool:
        """Close every day that is over for long enough; ``False`` when the time ended first."""
        until = self._second(now) // DAY_S - OPEN_DAYS - 1
        end = self._clock.monotonic() + SECONDS_MAX
        late, days = await self._mend(until, end), 0
        while self._clock.monotonic() < end:
            async with self._db.read() as conn:
                closed = await store.last_closed(conn)
                day = await store.next_day(conn, closed, until)
            if day is None:
                if days or late:
                    log.info("rolled_up", days=days, late=late)
                return True
            after = day - 1 if closed == store.NEVER else closed
            if not await self._close(day, windows_ending(after, day), end):
                break
            days += 1
        log.info("rolled_up", days=days, late=late, more=True)
        return False

    async def _mend(self, until: int, end: float) -> int:
        """Make anew what has late sums; of how many days of accounts."""
        mended, some = 0, LATE
        while some == LATE and self._clock.monotonic() < end:
            async with self._db.write() as conn:
                some = await store.take_late(conn, until, LATE) if await store.is_alone(conn) else 0
            mended += some
            if some == LATE:
                await self._sleep(PAUSE_S)
        return mended

    async def _close(self, day: int, windows: list[RollupWindow], end: float) -> bool:
        """Make what ends on a day or since the one before; ``False`` where it was broken off."""
        for window in windows:
            async with self._db.read() as conn:
                rows, first, last = await store.payers_of(conn, window)
            for payers in _parts(rows, first, last):
                if self._clock.monotonic() >= end:
                    return False
                async with self._db.write() as conn:
                    if not await store.is_alone(conn):
                        return False
                    await store.make(conn, window, payers)
                await self._sleep(PAUSE_S)
        async with self._db.write() as conn:
            await store.close(conn, day)
        return True


def _parts(rows: int, first: int, last: int) -> Iterator[range]:
    """Accounts in parts that have about ``ROWS`` rows each, if rows are spread evenly."""
    if not rows:
        return
    count = -(-rows // ROWS)
    width = -(-(last - first + 1) // count)
    for start in range(first, last + 1, width):
        yield range(start, start + width)
