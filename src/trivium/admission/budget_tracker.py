"""Every budget's usage, kept up with the ledger's entries in the background.

At start the sums of the past are read, and again of a key that is given a budget later; from then
on every entry once: entries are append-only and numbered. A lower number may be seen after a higher
one (two workers book at once, a key is known to one worker before another), so the last numbers are
read again and those seen are left out. A key without budgets costs nothing here, and without any
such key nothing is read at all.

Requests that other workers run or have not booked yet are not seen: several workers together may
exceed a budget by what they run meanwhile. Caps of consents they may not
(``admission/consent_caps.py``).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from trivium.admission.budget_usage import BudgetUsage
from trivium.clock import Clock
from trivium.identity.model import Caller
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.admission import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.admission.store")

REFRESH_S: Final = 1.0
LOOKS: Final = 5
"""At the revision, in each turn: a comparison."""
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


class BudgetTracker:
    """See the module. ``budget_usage`` is the hot path."""

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
        self._usages: dict[int, BudgetUsage] = {}
        self._keys: dict[int, int] = {}
        """The usage of each key: keys of one consent share it."""
        self._users: set[int] = set()
        self._position = 0
        self._seen: set[int] = set()
        self._newest_key = 0
        self._is_following = False
        """Whether entries are read at all: there are budgets."""
        self._is_down = False
        self.told: Callable[[str], None] | None = None
        """Called with the request of every entry of a key that a consent has."""
        self._read_at = float("-inf")

    def budget_usage(self, caller: Caller, now: float) -> BudgetUsage:
        """The caller's. From nothing at first: of a key made a moment ago, which cannot have spent
        any, or of one given a budget a moment ago, whose past the next turn sums up.
        """
        budget_usage = self._usages.get(caller.budget_id)
        if budget_usage is None:
            budget_usage = self._usages[caller.budget_id] = BudgetUsage(caller.budgets, now)
        return budget_usage

    async def load(self) -> None:
        """Sum up the past of every key with budgets. Raises what ``Database.read`` raises."""
        now = self._clock.now()
        budgeted = self._budgeted()
        self._looked_at = self._revision()
        usages = {caller.budget_id: BudgetUsage(caller.budgets, now) for caller in budgeted}
        keys = {caller.key_id: caller.budget_id for caller in budgeted}
        users = {caller.user_id for caller in budgeted}
        if usages:
            await self._sum_up(usages, keys, users)
        self._is_following = bool(usages)
        self._newest_key = max((caller.key_id for caller in self._callers()), default=0)
        self._usages, self._keys, self._users = usages, keys, users

    @property
    def age_s(self) -> float:
        """For how long entries may have been booked that are not known here, in seconds."""
        return self._clock.monotonic() - self._read_at

    async def refresh(self) -> None:
        """Read what has been booked since. Raises what ``Database.read`` raises."""
        began = self._clock.monotonic()
        if self._revision() != self._looked_at:
            self._look_again()
        if not self._users:
            self._is_following = False
            self._read_at = began
            return
        if not self._is_following:
            await self._begin_to_follow()
        await self._make_whole()
        now = self._clock.now()
        users = sorted(self._users)
        position = self._position
        full = True
        while full:
            async with self._db.read(LIMIT_S) as conn:
                rows = await self._page(conn, users, position)
            for row in rows:
                if row.id not in self._seen:
                    self._learn(row, now, self._usages)
                position = row.id
            full = len(rows) == PAGE
        self._position = max(self._position, position - OVERLAP)
        self._seen = {id_ for id_ in self._seen if id_ > self._position}
        for budget_usage in self._usages.values():
            budget_usage.forget(now)
        self._read_at = began

    async def watch(self) -> None:
        """Refresh for ever. One log line a change of state."""
        while True:
            await self._turn()
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

    async def _turn(self) -> None:
        """Until the next one is due, or keys have changed: their new budgets hold at once."""
        for _ in range(LOOKS):
            await asyncio.sleep(REFRESH_S / LOOKS)
            if self._revision() != self._looked_at:
                return

    # --- own ------------------------------------------------------------------------------------

    async def _sum_up(
        self, usages: dict[int, BudgetUsage], keys: dict[int, int], users: set[int]
    ) -> None:
        since = min(budget_usage.since for budget_usage in usages.values())
        async with self._db.read(SUM_S) as conn:
            self._position = max(0, await store.last_entry(conn) - OVERLAP)
            days = await self._days(conn, sorted(users), since, keys)
        for budget_id, budget_usage in usages.items():
            budget_usage.begin(days.get(budget_id, ()))

    async def _days(
        self, conn: "Connection", users: Sequence[int], since: int, keys: Mapping[int, int]
    ) -> dict[int, list[tuple[int, int]]]:
        """What each usage has spent by day, up to the position."""
        days: dict[int, list[tuple[int, int]]] = {}
        for row in await store.spent_by_day(conn, users, since, self._position):
            of = keys.get(row.key_id, row.key_id)
            days.setdefault(of, []).append((row.day_at, int(row.nanos)))
        return days

    async def _begin_to_follow(self) -> None:
        """Go on from the last entries: no key had a budget, so older ones were not read."""
        async with self._db.read(LIMIT_S) as conn:
            self._position = max(0, await store.last_entry(conn) - OVERLAP)
        self._seen = set()
        self._is_following = True

    async def _make_whole(self) -> None:
        """Sum up the past of keys that have been given a budget: those who made them have spent
        before, and a budget counts from the beginning of its period.
        """
        partial = {
            id_: budget_usage
            for id_, budget_usage in self._usages.items()
            if not budget_usage.is_whole
        }
        if not partial:
            return
        users = {
            caller.user_id
            for caller in self._callers()
            if caller.budget_id in partial and _may_spend_again(caller)
        }
        since = min(budget_usage.since for budget_usage in partial.values())
        rows: list[Any] = []
        async with self._db.read(SUM_S) as conn:
            days = await self._days(conn, sorted(users), since, self._keys)
            # what was learnt since then is learnt again by these alone
            after, full = self._position, True
            while full:
                page = await store.usage_after(conn, sorted(users), after, PAGE)
                rows += [row for row in page if row.id in self._seen]
                full = len(page) == PAGE
                after = page[-1].id if page else after
        now = self._clock.now()
        for budget_id, budget_usage in partial.items():
            budget_usage.begin(days.get(budget_id, ()))
        for row in rows:
            self._learn(row, now, partial)

    def _budgeted(self) -> list[Caller]:
        """Those with budgets that may still spend, if not at this moment."""
        return [each for each in self._callers() if each.budgets and _may_spend_again(each)]

    async def _page(self, conn: Any, users: list[int], position: int) -> Any:
        return await store.usage_after(conn, users, position, PAGE)

    def _look_again(self) -> None:
        """Keys have changed: make usages for new ones, and drop those of revoked ones."""
        self._looked_at = self._revision()
        budgeted = self._budgeted()
        now = self._clock.now()
        for caller in budgeted:
            budget_usage = self.budget_usage(caller, now)
            if budget_usage.budgets != caller.budgets:
                budget_usage.adopt(caller.budgets, now)
            if caller.key_id > self._newest_key and not caller.grant_id:
                budget_usage.has_no_past()
        self._newest_key = max((caller.key_id for caller in self._callers()), default=0)
        self._keys = {caller.key_id: caller.budget_id for caller in budgeted}
        self._users = {caller.user_id for caller in budgeted}
        for budget_id in self._usages.keys() - set(self._keys.values()):
            del self._usages[budget_id]

    def _learn(self, row: Any, now: float, usages: Mapping[int, BudgetUsage]) -> None:
        try:
            key_id = _bill(row.detail).key
        except msgspec.DecodeError:
            return
        budget_id = self._keys.get(key_id, key_id)
        budget_usage = usages.get(budget_id)
        # an entry of a key that is not known here yet is not seen: it is read again and found then
        if budget_usage is not None:
            self._seen.add(row.id)
            budget_usage.learn(row.request_id, -row.amount_nanos, row.created_at, now)
            if budget_id < 0 and self.told is not None:
                self.told(row.request_id)


def _may_spend_again(caller: Caller) -> bool:
    """An application's keys are given again, and what each has spent is of the one cap: were those
    that ended left out, an application could end its keys and spend the cap anew.
    """
    return not caller.revoked or caller.grant_id != 0
