"""Runs periodic work, such as sweeping. It waits while the database is away, and logs that.

A wrong clock makes sessions, tokens and files look as if they had expired. Reads refuse them
meanwhile, and find them again when the clock is right; what was deleted is lost. So deleting by age
goes by the earliest of three: the clock, the clock without its jumps, and the database's own, which
may be another machine's.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar, Final

import structlog

from trivium.clock import APART_S, Clock, Steady, SystemClock
from trivium.storage.errors import StorageError

if TYPE_CHECKING:
    from trivium.storage.database import Database


class PurgeClock:
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


PAUSE_S: Final = 0.1
"""Between two batches of a sweep."""

_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class Sweeper:
    """Deletes what is over, round after round, in small transactions with pauses between them."""

    what: str
    """In the log."""
    every_s: ClassVar[float]
    """Between two rounds; a tenth of it when the last one ended with its budget."""
    away: ClassVar[tuple[type[Exception], ...]] = (StorageError,)
    """What a round raises while something that it needs is away."""

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
        """Sweep round after round; one log line a change of state."""
        await rounds(
            self.what,
            self.round,
            self.every_s,
            self._sleep,
            db=self._db,
            clock=self._clock,
            away=self.away,
        )

    @abstractmethod
    async def round(self, now: float | None = None) -> object:
        """Delete what is over by ``now``, or by the clock; ``False`` when there is more to do.

        Raises what ``Database.write`` raises; what was deleted until then stays deleted.
        """

    def _second(self, now: float | None) -> int:
        return int(self._clock.now() if now is None else now)


async def rounds(
    what: str,
    work: Callable[[float], Awaitable[object]],
    every_s: float,
    sleep: Callable[[float], Awaitable[None]],
    *,
    db: "Database",
    clock: Clock,
    away: tuple[type[Exception], ...] = (StorageError,),
) -> None:
    """Run ``work`` at intervals, without end; logs one line when it fails and when it works again.

    ``work`` takes the time that decides what has expired (``PurgeClock``). It returns ``False``
    when its budget ended before it was done: then the next round comes after a tenth of
    ``every_s``. ``away``: the exceptions it raises while something that it needs is away.
    """
    is_down = False
    doubt = PurgeClock(db, clock, what)
    while True:
        await sleep(every_s)
        finished = False
        while not finished:
            try:
                finished = await work(await doubt.now()) is not False
            except away as error:
                if not is_down:
                    log.warning("sweep_waits", what=what, error=str(error))
                is_down = finished = True
            else:
                is_down = False
                if not finished:
                    await sleep(every_s / 10)
