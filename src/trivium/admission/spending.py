"""Every budget's purse, kept up with the ledger's entries in the background.

At start the sums of the past are read, from then on every entry once: entries are append-only and
numbered. A lower number may be seen after a higher one (two workers book at once, a key is known to
one worker before another), so the last numbers are read again and those seen are left out. A key
without budgets costs nothing here, and without any such key nothing is read at all.

Requests that other workers run or have not booked yet are not seen: several workers together may
exceed a budget by what they spend within the second or two until it is.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from trivium.admission.purse import Purse
from trivium.clock import Clock
from trivium.identity.model import Caller

if TYPE_CHECKING:
    from trivium.storage.database import Database

REFRESH_S: Final = 1.0
PAGE: Final = 1_000
"""Entries a query."""
OVERLAP: Final = 2_000
"""Numbers among which an entry may appear late."""
LIMIT_S: Final = 5.0
SUM_S: Final = 300.0
"""Sums of the past of every user with a budget."""


class _Bill(msgspec.Struct):
    key: int = 0


_bill: Final = msgspec.json.Decoder(_Bill).decode

log = structlog.get_logger()


class Spending:
    """See the module. ``purse`` is the hot path."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        callers: Callable[[], Iterable[Caller]],
        revision: Callable[[], int],
    ) -> None:
        """``callers``: everybody; ``revision``: another number when any of them has changed."""
        self._db = db
        self._clock = clock
        self._callers = callers
        self._revision = revision
        self._looked_at: int | None = None
        self._purses: dict[int, Purse] = {}
        self._owners: dict[int, int] = {}
        self._position = 0
        self._seen: set[int] = set()
        self._is_down = False

    def purse(self, caller: Caller, now: float) -> Purse:
        """The caller's. Of a key made a moment ago, from nothing: it cannot have spent any."""
        purse = self._purses.get(caller.key_id)
        if purse is None:
            purse = self._purses[caller.key_id] = Purse(caller.budgets, now)
        return purse

    async def load(self) -> None:
        """Sum up the past of every key with budgets. Raises what ``Database.read`` raises."""
        now = self._clock.now()
        budgeted = [caller for caller in self._callers() if caller.budgets and not caller.disabled]
        self._looked_at = self._revision()
        purses = {caller.key_id: Purse(caller.budgets, now) for caller in budgeted}
        owners = {caller.key_id: caller.user_id for caller in budgeted}
        if purses:
            await self._sum_up(purses, owners)
        self._purses, self._owners = purses, owners

    async def refresh(self) -> None:
        """Read what has been booked since. Raises what ``Database.read`` raises."""
        if self._revision() != self._looked_at:
            self._look_again()
        if not self._owners:
            return
        now = self._clock.now()
        users = sorted(set(self._owners.values()))
        position = self._position
        full = True
        while full:
            async with self._db.read(LIMIT_S) as conn:
                rows = await self._page(conn, users, position)
            for row in rows:
                if row.id not in self._seen:
                    self._learn(row, now)
                position = row.id
            full = len(rows) == PAGE
        self._position = max(self._position, position - OVERLAP)
        self._seen = {id_ for id_ in self._seen if id_ > self._position}
        for purse in self._purses.values():
            purse.forget(now)

    async def watch(self) -> None:
        """Refresh for ever. One log line a change of state."""
        while True:
            await asyncio.sleep(REFRESH_S)
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - a watch that dies would let budgets leak
                if not self._is_down:
                    log.warning("budgets_stale", error=str(error))
                self._is_down = True
            else:
                if self._is_down:
                    log.info("budgets_current_again")
                self._is_down = False

    # --- own ------------------------------------------------------------------------------------

    async def _sum_up(self, purses: dict[int, Purse], owners: dict[int, int]) -> None:
        from trivium.admission import store

        since = min(purse.since for purse in purses.values())
        async with self._db.read(SUM_S) as conn:
            self._position = max(0, await store.last_entry(conn) - OVERLAP)
            users = sorted(set(owners.values()))
            rows = await store.spent_by_day(conn, users, since, self._position)
        days: dict[int, list[tuple[int, int]]] = {}
        for row in rows:
            days.setdefault(row.key_id, []).append((row.day_at, int(row.nanos)))
        for key_id, purse in purses.items():
            purse.begin(days.get(key_id, ()))

    async def _page(self, conn: Any, users: list[int], position: int) -> Any:
        from trivium.admission import store

        return await store.usage_after(conn, users, position, PAGE)

    def _look_again(self) -> None:
        """Keys have changed: new ones have purses from now on, revoked ones none."""
        self._looked_at = self._revision()
        budgeted = {
            caller.key_id: caller
            for caller in self._callers()
            if caller.budgets and not caller.disabled
        }
        now = self._clock.now()
        for caller in budgeted.values():
            self.purse(caller, now)
        for key_id in self._purses.keys() - budgeted.keys():
            del self._purses[key_id]
        self._owners = {caller.key_id: caller.user_id for caller in budgeted.values()}

    def _learn(self, row: Any, now: float) -> None:
        self._seen.add(row.id)
        try:
            key_id = _bill(row.detail).key
        except msgspec.DecodeError:
            return
        purse = self._purses.get(key_id)
        if purse is not None:
            purse.learn(row.request_id, -row.amount_nanos, row.created_at, now)
