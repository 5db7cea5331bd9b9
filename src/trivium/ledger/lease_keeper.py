"""What one worker has leased of accounts and budgets, and who waits for more of it.

The turns' side of the ledger: ``ledger/ledger_sync.py`` asks what is to be said to the database and
tells what came of it. Nothing here speaks with the database itself.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from trivium.clock import Clock
from trivium.faults import Fault
from trivium.ledger.allowance import SHORT_S, Allowance, LeaseVerdict
from trivium.ledger.covering import Covering
from trivium.ledger.model import (
    COUNTERS_MAX,
    Hold,
    Holder,
    LeaseRequest,
    LeaseState,
    Settlement,
    Waiting,
    counted_costs,
)
from trivium.ledger.quote import Quoting
from trivium.ledger.refusals import (
    elsewhere,
    overspent,
    too_low,
    too_many_budgets,
    uncounted,
    unknown,
)
from trivium.settings.budget import (
    REMEMBERED_MAX,
    Budget,
    CountedBudgets,
    PeriodClock,
    is_beyond,
    within,
)

RENEW_S: Final = 0.2
"""An account is renewed ahead of need at most so often; one that must wait does not wait for it."""
REFUSED_S: Final = 1.0
"""How long an account that could not pay is refused without asking the database again."""
LOOK_S: Final = 0.1
"""How often the database is asked whether others have given back."""


def _unheard(_: int) -> None:
    """Leave a low balance untold: what calls it has not been given another."""


class LeaseKeeper(Quoting):
    """The leases of one worker. ``WorkerLedger`` holds against them."""

    def __init__(
        self, clock: Clock, *, groups: Mapping[str, Fraction] | None = None, ahead_s: float = 0.0
    ) -> None:
        """``ahead_s``: for how long leases are to last without the database, where balances allow
        it.
        """
        super().__init__(clock, groups)
        self.asked = asyncio.Event()
        """Set when an account waits for a turn with the database."""
        self.trusted_until = float("-inf")
        """Monotonic seconds until which leases may be relied on; each turn moves it on."""
        self.crossed: Callable[[Budget, int], None] = _untold
        """Called once a counter with the budget of which so many per cent were just seen spent."""
        self.ran_low: Callable[[int], None] = _unheard
        """Called with the account whose balance was just seen below where its owner is told."""
        self._clock = clock
        self._monotonic = clock.monotonic
        self._ahead_s = ahead_s
        self._accounts: dict[Holder, Allowance] = {}
        """Of accounts and of budgets."""
        self._removed = 0
        """How many of them were removed so far."""
        self._coverings: dict[int, Covering] = {}
        """By the identity of the budgets, and the payer."""
        self._changed: list[Covering] = []
        """Those that have something to tell."""
        self._periods = PeriodClock()
        self._touched: set[Holder] = set()
        self._urgent: set[Holder] = set()
        """Of these somebody waits, or soon would."""
        self._queue: deque[Settlement] = deque()

    @property
    def waiting(self) -> int:
        """Settlements that are not booked yet."""
        return len(self._queue)

    def holds_leases(self) -> bool:
        """Whether what is leased still counts, though the database may be away."""
        return self._clock.monotonic() <= self.trusted_until

    def batch(self, most: int) -> list[Settlement]:
        """The oldest settlements, which stay in the queue until they are booked."""
        return list(itertools.islice(self._queue, most))

    def touch(self, holders: Iterable[Holder]) -> None:
        """Have the leases of these accounts and budgets looked at with the next flush."""
        self._touched.update(holders)

    def hurry(self, holder: Holder) -> None:
        """Have a turn made for an account or a budget, at once."""
        self._urgent.add(holder)
        self.asked.set()

    def touched(self) -> set[Holder]:
        """Accounts and budgets whose lease should be looked at, and forget them."""
        self.fold()
        touched, self._touched = self._touched, set()
        for holder in touched:
            if (account := self._accounts.get(holder)) is not None:
                account.is_touched = False
        return touched | self.urgent()

    def urgent(self) -> set[Holder]:
        """Those of them that cannot wait for the next flush, and forget these.

        No others: a turn locks what it renews, and what everybody uses is locked by other workers
        most of the time. Who waits for an account of their own does not wait for those as well.
        """
        self.asked.clear()
        urgent, self._urgent = self._urgent, set()
        return urgent

    def leased(self) -> set[Holder]:
        """Every account and budget with a lease here."""
        return {holder for holder, account in self._accounts.items() if account.leased}

    def idle(self) -> set[Holder]:
        """Accounts and budgets whose lease should go back."""
        now = self._clock.monotonic()
        accounts = self._accounts.items()
        return {holder for holder, account in accounts if account.is_idle(now)}

    def yield_(self, holders: Iterable[Holder]) -> None:
        """Others want what is leased of these: give back at once what is not used."""
        now = self._clock.monotonic()
        for holder in holders:
            if (account := self._accounts.get(holder)) is not None:
                account.yield_(now)
            elif isinstance(holder, int):
                self._account(holder).yield_(now)
            self.hurry(holder)

    def begin(
        self, batch: list[Settlement], holders: set[Holder], *, steady: bool = False
    ) -> dict[Holder, LeaseRequest]:
        """What the leases of these and of those in the batch should be after a turn.

        ``steady``: the database was away at the last turn, so nothing is given up before it hears.
        """
        self.fold()
        spent = _spent(batch)
        now = self._clock.monotonic()
        return {
            holder: account.wanted(spent.get(holder, 0), now, steady=steady)
            for holder in holders | spent.keys()
            if (account := self._accounts.get(holder)) is not None
        }

    def confirm(self, batch: list[Settlement], standings: Mapping[Holder, LeaseState]) -> None:
        """A turn is in the database: the batch is booked and the leases are as they stand."""
        self.fold()
        spent = _spent(batch)
        now = self._clock.monotonic()
        for _ in batch:
            self._queue.popleft()
        for holder, standing in standings.items():
            account = self._accounts.get(holder)
            if account is None:
                continue
            account.learn(standing, spent.get(holder, 0), now)
            if standing.is_wanted:
                self.hurry(holder)
            if account.waiting:
                self._answer(account)
            if standing.crossed and account.budget is not None:
                self.crossed(account.budget, standing.crossed)
            if standing.is_low and isinstance(holder, int):
                self.ran_low(holder)
            if account.is_done and now >= account.short_until:
                del self._accounts[holder]
                self._removed += 1

    def fold(self) -> None:
        """Tell accounts and budgets what became of what was set aside of them for requests that
        count against several: what is held and spent of each is exact then, as long as no more is
        set aside. Nothing is told twice, so this takes no longer than telling of each request.
        """
        if self._changed:
            changed, self._changed = self._changed, []
            for covering in changed:
                if covering.is_changed:
                    self._tell(covering)

    def fail(self, holders: set[Holder]) -> None:
        """A turn could not be made: whoever waited for it is told, and their leases stay."""
        for holder in holders:
            account = self._accounts.get(holder)
            while account is not None and account.waiting:
                waiting = account.waiting.popleft()
                if not waiting.granted.done():
                    waiting.granted.set_exception(unknown())
            self._touched.add(holder)

    def drop(self, settled: Settlement) -> None:
        """The oldest settlement is one that the database refuses for good."""
        self.fold()
        dropped = self._queue.popleft()
        assert dropped is settled
        holders: list[Holder] = [settled.user_id, *settled.counters]
        for holder in holders:
            account = self._accounts.get(holder)
            if account is not None:
                account.spent -= settled.cost_nanos

    def refusal(self, hold: Hold, budget: Budget | None) -> Fault:
        """The fault of a hold that the account, or a budget, does not cover."""
        if budget is None:
            return too_low(hold.amount_nanos)
        ends_at = self._periods.bounds(budget, self._now()).ends_at
        return overspent(budget, hold.amount_nanos, ends_at)

    async def spare(self, hold: Hold, budget: Budget | None) -> None:
        """Make room for a hold that is a row: what is leased ahead of need is given back, here and
        by all other workers, until the account, or the budget, has so much beside all leases, or
        can not.

        Raises ``Fault`` (LEDGER_DOWN).
        """
        holder: Holder = hold.user_id
        if budget is not None:
            holder = hold.counters[hold.budgets.index(budget)]
        account = self._account(holder)
        account.budget, account.payer = budget, hold.user_id
        account.short_until = self._clock.monotonic() + SHORT_S
        await self._wait(account, hold, is_row=True)

    # --- own ------------------------------------------------------------------------------------

    async def _wait_for_all(self, asked: list[Allowance], hold: Hold) -> Allowance | None:
        """Wait for the next turn of each; the first that has too little, else ``None``. What others
        had granted is given back then. Raises ``Fault`` (LEDGER_DOWN).
        """
        if len(asked) == 1:
            return None if await self._wait(asked[0], hold) else asked[0]
        loop = asyncio.get_running_loop()
        waits = [loop.create_task(self._wait(account, hold)) for account in asked]
        is_granted = False
        try:
            for account, waiting in zip(asked, waits, strict=True):
                if not await waiting:
                    return account
            is_granted = True
        finally:
            if not is_granted:
                for account, waiting in zip(asked, waits, strict=True):
                    self._undo(account, waiting, hold)
        return None

    def _undo(self, account: Allowance, waiting: "asyncio.Task[bool]", hold: Hold) -> None:
        """Give back what one of several granted, as another did not."""
        if not waiting.done():
            waiting.cancel()
        elif not waiting.cancelled() and waiting.exception() is None and waiting.result():
            account.give_back(hold.amount_nanos, 0)
            self.hurry(account.holder)

    def _holding(self, hold: Hold) -> list[Allowance]:
        """What covers a hold."""
        holders: list[Holder] = [hold.user_id] if hold.limited else []
        for counter, budget in zip(hold.counters, hold.budgets, strict=True):
            if not budget.soft:
                holders.append(counter)
        return [self._account(holder) for holder in holders]

    def _counted(self, budgets: tuple[Budget, ...]) -> CountedBudgets:
        """Budgets and their counters. Raises ``Fault`` (INVALID_VALUE) where they are more than one
        request can count against.
        """
        if len(budgets) > COUNTERS_MAX:
            raise too_many_budgets(len(budgets))
        return self._periods.counted(budgets, self._now())

    def _covering(self, budgets: tuple[Budget, ...], payer_id: int, is_limited: bool) -> Covering:
        """What covers and counts a request with these budgets. Put together once for all requests
        of a key, until one of its budgets begins anew. Raises as ``_counted`` does.
        """
        now = self._now()
        found = self._coverings.get(id(budgets) + payer_id)
        if (
            found is not None
            and found.budgets is budgets
            and found.payer_id == payer_id
            and found.is_limited is is_limited
            and found.removed == self._removed
            and found.since <= now < found.until
        ):
            return found
        counted = self._counted(budgets)
        hard = [self._account(payer_id)] if is_limited else []
        soft: list[Allowance] = []
        for budget, counter in zip(budgets, counted.counters, strict=True):
            account = self._account(counter)
            account.payer = payer_id
            if is_beyond(budget):
                account.budget = account.budget or within(budget)
            else:
                account.budget = budget
            if budget.soft:
                soft.append(account)
            else:
                hard.append(account)
        if len(self._coverings) >= REMEMBERED_MAX:
            self._coverings.clear()
        found = Covering(budgets, counted, payer_id, is_limited, hard, soft, self._removed)
        self._coverings[id(budgets) + payer_id] = found
        return found

    def _set_aside(self, covering: Covering, amount: int, now: float) -> bool:
        """Have a covering set aside what a request needs; ``False``: that takes a turn first."""
        if not covering.set_aside(amount):
            if not self._changed:
                return False
            self.fold()
            if not covering.set_aside(amount):
                return False
        for account in covering.hard:
            if account.is_low and now > account.learned_at + RENEW_S:
                account.learned_at = now
                self.hurry(account.holder)
        return True

    def _to_tell(self, covering: Covering) -> None:
        """Have told what was held and spent of one; at once where it was more than set aside."""
        if not covering.is_changed:
            covering.is_changed = True
            self._changed.append(covering)
        if covering.room < 0:
            self.fold()  # it is others' as well

    def _tell(self, covering: Covering) -> None:
        """Tell its account and budgets what was held and spent of one, and leave it no room."""
        cost, asked, last = covering.spent, covering.asked, covering.last
        back = covering.room + cost
        for account in covering.hard:
            self._kept(account).told(back, cost, asked, last)
        covering.room = covering.spent = covering.asked = 0
        covering.recent = (covering.recent + asked) // 2
        covering.is_open = covering.is_changed = False

    def _kept(self, account: Allowance) -> Allowance:
        """The allowance that there is of the same, or this one again, which was done with before
        its last requests had ended; its lease is looked at with the next flush.
        """
        found = self._accounts.get(account.holder)
        if found is None:
            found = self._accounts[account.holder] = account
            account.is_touched = False
        self._touch(found)
        return found

    def _touch(self, account: Allowance) -> None:
        """Have the lease of one looked at with the next flush."""
        if not account.is_touched:
            account.is_touched = True
            self._touched.add(account.holder)

    def _account(self, holder: Holder) -> Allowance:
        account = self._accounts.get(holder)
        if account is None:
            account = Allowance(holder, self._clock.monotonic(), self._ahead_s)
            self._accounts[holder] = account
        return account

    async def _wait(self, account: Allowance, hold: Hold, *, is_row: bool = False) -> bool:
        """Wait for the account's turn; whether it has enough. Raises ``Fault`` (LEDGER_DOWN)."""
        self.fold()  # nobody goes first by what was set aside before
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        account.waiting.append(Waiting(hold, granted, self._clock.monotonic(), is_row))
        self.hurry(account.holder)
        try:
            return await granted
        except asyncio.CancelledError:
            is_given = granted.done() and not granted.cancelled() and not granted.exception()
            if is_given and granted.result() and not is_row:
                account.give_back(hold.amount_nanos, 0)
            raise

    def _answer(self, account: Allowance) -> None:
        """Tell whoever waited for this account, in the order of asking.

        Who came after the turn had begun was not asked for in it: it waits for the next. So does
        whom the lease does not cover although the database has not said that there is too little.
        """
        now = self._clock.monotonic()
        left: deque[Waiting] = deque()
        is_later = False
        while account.waiting:
            waiting = account.waiting.popleft()
            if waiting.granted.done():
                continue
            verdict = account.answer(waiting, now)
            if verdict is LeaseVerdict.GRANTED:
                waiting.granted.set_result(True)
            elif verdict is LeaseVerdict.REFUSED:
                account.refused_until = now + REFUSED_S
                self._touched.add(account.holder)
                waiting.granted.set_result(False)
            elif verdict is LeaseVerdict.UNKNOWN:
                self._touched.add(account.holder)
                fault = elsewhere() if account.is_counted else uncounted()
                waiting.granted.set_exception(fault)
            else:
                is_later = is_later or verdict is LeaseVerdict.LATER
                left.append(waiting)
        account.waiting = left
        if is_later:
            asyncio.get_running_loop().call_later(LOOK_S, self.hurry, account.holder)
        elif left:
            self.hurry(account.holder)


def _spent(batch: list[Settlement]) -> dict[Holder, int]:
    spent: dict[Holder, int] = dict(counted_costs(batch).items())
    for settled in batch:
        spent[settled.user_id] = spent.get(settled.user_id, 0) + settled.cost_nanos
    return spent


def _untold(budget: Budget, per_cent: int) -> None:
    """Leave it at that: nobody is to be told here."""
