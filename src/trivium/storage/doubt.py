"""The time by which something is deleted for good.

A wrong clock makes sessions, tokens and files look as if they had expired. Reads refuse them
meanwhile, and find them again when the clock is right; what was deleted is lost. So deleting by age
goes by the earliest of three: the clock, the clock without its jumps, and the database's own, which
may be another machine's.
"""

from typing import TYPE_CHECKING

import structlog

from trivium.clock import APART_S, Clock, Steady

if TYPE_CHECKING:
    from trivium.storage.database import Database

log = structlog.get_logger()


class Doubt:
    """How far the clock can be trusted, for one sweeper."""

    def __init__(self, db: "Database", clock: Clock, what: str) -> None:
        """``what``: the name, in the log, of what is swept."""
        self._db = db
        self._clock = clock
        self._steady = Steady(clock)
        self._what = what
        self._doubts = False

    async def now(self) -> float:
        """Return the seconds since the epoch that have certainly passed. Logs once when the clock
        is ahead of them. Raises what ``Database.read`` raises.
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
