"""Caps of consents, kept by all workers together.

A key's own budget may be exceeded by what other workers run: it is its owner's, on their own bill.
A cap is what a user told somebody else, who may send to every worker at once. So what a request
under a cap may cost is a row before it runs, placed under a lock of the cap, if it fits beside what
is booked and what other rows set aside. With its end the row has what it came to; it goes when the
entry is booked and every worker has had time to see it.

What is booked is known from memory (``admission/budget_tracker.py``), at most ``STALE_S`` old, or
nobody gets in. A row stays ``SEEN_S`` beyond its entry, so that whoever does not know the entry yet
finds the row, and whoever knows it leaves the row out: nothing counts twice or not at all. What a
killed worker had set aside counts until its entry is booked, and where there will be none,
``KEPT_S``.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.admission.budget_usage import KNOWN_S, BudgetUsage, Spent
from trivium.clock import Clock, Steady
from trivium.faults import Fault, Kind
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.admission import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.admission.store")

STALE_S: Final = 5.0
"""Entries booked longer ago must be known here."""
SEEN_S: Final = int(KNOWN_S)
"""How long a row outlasts its entry: longer than ``STALE_S``, and no longer than a usage remembers
whose entries it has seen."""
KEPT_S: Final = 3_600
LOOKS: Final = 40
LOOK_S: Final = 0.05
"""A consent whose first key has just come is summed up within a second."""
LIMIT_S: Final = 5.0
"""One turn with the database: an application waits for it."""
PAUSE_S: Final = 1.0
"""After a turn that failed."""
SWEEP_S: Final = 60.0

log = structlog.get_logger()


class Caps:
    """Holds amounts under the caps of consents in the database, and writes their outcome later."""

    def __init__(self, db: "Database", clock: Clock, age_s: Callable[[], float]) -> None:
        """``age_s`` returns the age, in seconds, of what is known about booked entries."""
        self._db = db
        self._clock = clock
        self._steady = Steady(clock)
        self._age_s = age_s
        self._settled: dict[str, int] = {}
        self._seen: set[str] = set()
        self._work = asyncio.Event()
        self._swept_at = float("-inf")
        self._is_down = False

    async def hold(
        self, grant_id: int, request_id: str, budget_usage: BudgetUsage, nanos: int
    ) -> Spent | None:
        """Set aside what a request may cost. Returns ``None`` when it fits, else the budget it does
        not fit into. Raises ``Fault`` (LEDGER_DOWN).
        """
        await self._current(budget_usage)
        now = self._clock.now()
        try:
            async with self._db.write(LIMIT_S) as conn:
                cap_nanos = await store.lock_cap(conn, grant_id)
                # by a clock that has jumped, what runs would look as if it were long over
                at = int(self._steady.now())
                rows = await store.cap_holds(conn, grant_id, at)
                more = nanos + sum(
                    row.nanos for row in rows if not budget_usage.knows(row.request_id)
                )
                spent = budget_usage.beyond(now, more)
                monthly = budget_usage.spent[0]
                # another cap may not be known here yet
                if cap_nanos is None or monthly.booked_nanos + more > cap_nanos:
                    spent = spent or monthly
                if spent is None:
                    until = at + KEPT_S
                    await store.place_cap_hold(conn, grant_id, request_id, nanos, until)
        except StorageError:
            self.settle(request_id, 0)  # nobody knows what became of it
            raise _down() from None
        except asyncio.CancelledError:
            self.settle(request_id, 0)
            raise
        return spent

    async def _current(self, budget_usage: BudgetUsage) -> None:
        """Wait until entries booked before this call are known. Raises ``Fault`` (LEDGER_DOWN)."""
        for _ in range(LOOKS):
            if budget_usage.is_whole and self._age_s() <= STALE_S:
                return
            await asyncio.sleep(LOOK_S)
        raise _down()

    def settle(self, request_id: str, cost_nanos: int) -> None:
        """Note what a request cost in the end. Never waits; ``flush`` writes it."""
        self._settled[request_id] = cost_nanos
        self._work.set()

    def seen(self, request_id: str) -> None:
        """Note that a request's entry is among the booked ones, so its hold may end."""
        self._seen.add(request_id)
        self._work.set()

    async def flush(self) -> None:
        """Write what ``settle`` and ``seen`` noted. Raises what ``Database.write`` raises; the
        notes are then kept for the next call.
        """
        settled, seen = dict(self._settled), list(self._seen)
        if not settled and not seen:
            return
        at = self._clock.monotonic()
        now = int(self._steady.now())
        async with self._db.write(LIMIT_S) as conn:
            await store.settle_cap_holds(conn, settled)
            if seen:
                await store.end_cap_holds(conn, seen, now + SEEN_S)
            if at - self._swept_at >= SWEEP_S:
                await store.sweep_cap_holds(conn, now)
                self._swept_at = at
        for request_id in settled:
            del self._settled[request_id]
        self._seen.difference_update(seen)

    async def run(self) -> None:
        """Write the notes when there are any, without end; one log line a change of state."""
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                await self.flush()
            except StorageError as error:
                if not self._is_down:
                    log.warning("caps_stale", error=str(error))
                self._is_down = True
                self._work.set()
                await asyncio.sleep(PAUSE_S)
            else:
                if self._is_down:
                    log.info("caps_current_again")
                self._is_down = False

    async def close(self) -> None:
        """Write the remaining notes once; a failure loses them."""
        try:
            await self.flush()
        except StorageError as error:
            log.warning("caps_stale", error=str(error))


def _down() -> Fault:
    return Fault(
        Kind.LEDGER_DOWN, "What this application has spent cannot be looked up now; try again."
    )
