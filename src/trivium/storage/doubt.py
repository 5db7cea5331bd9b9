"""The time by which something is deleted for good.

A wrong clock makes sessions, tokens and files look as if they were over. Whoever asks for one is
told so, and has it again when the clock is right; what was deleted is gone. So whatever deletes by
age takes the earliest of three: the clock, the same without its jumps, and the database's own,
which may be another machine's.
"""

from typing import TYPE_CHECKING

import structlog

from trivium.clock import APART_S, Clock, Steady

if TYPE_CHECKING:
    from trivium.storage.database import Database

log = structlog.get_logger()


class Doubt:
    """What one sweeper knows of the clock since it began."""

    def __init__(self, db: "Database", clock: Clock, what: str) -> None:
        """``what``: is swept, for the log."""
        self._db = db
        self._clock = clock
        self._steady = Steady(clock)
        self._what = what
        self._doubts = False

    async def now(self) -> float:
        """Seconds since the epoch that have certainly passed. Raises what ``Database.read`` raises.

        Says so once when the clock is ahead of them.
        """
        theirs = await self._db.now()
        now, earliest = self._clock.now(), self._steady.earliest()
        if theirs is not None and theirs < now - APART_S:
            earliest = min(earliest, theirs)
        doubts = earliest < now
        if doubts and not self._doubts:
            log.warning("clock_ahead", what=self._what, seconds=round(now - earliest))
        self._doubts = doubts
        return earliest
