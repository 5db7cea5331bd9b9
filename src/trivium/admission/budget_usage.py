"""What a key has spent of its budgets: booked in the ledger, settled but not booked yet, held.

The ledger's entries are the truth; what this worker knows ahead of them is kept by request id until
its entry is seen, so nothing ever counts twice or not at all.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from trivium.identity.model import KeyBudget, Period

FOREVER: Final = float("inf")
DAY_S: Final = 86_400


def bounds(period: Period, now: float) -> tuple[int, float]:
    """Seconds since the epoch: the first of the period that ``now`` lies in, and the next one's."""
    if period is Period.TOTAL:
        return 0, FOREVER
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period is Period.DAY:
        end = day + timedelta(days=1)
    elif period is Period.WEEK:
        day -= timedelta(days=day.weekday())
        end = day + timedelta(days=7)
    else:
        day = day.replace(day=1)
        end = (day + timedelta(days=31)).replace(day=1)
    return int(day.timestamp()), end.timestamp()


FORGET_S: Final = 900.0
"""After so long with the database at hand, a settlement without an entry will never have one."""
KNOWN_S: Final = 10.0
"""How long after its entry a request's own settlement may be told: they are a turn apart."""


class Spent:
    """One budget's running period."""

    __slots__ = ("_left", "booked_nanos", "budget", "ends_at", "is_whole", "starts_at")

    def __init__(self, budget: KeyBudget, now: float) -> None:
        self.budget = budget
        self.is_whole = False
        """Whether what was spent before it was known here has been summed up."""
        self._left = 0, 0
        """Where the period before began, and what was booked in it."""
        self.begin_anew(now)

    def begin_anew(self, now: float) -> None:
        """Begin the period that ``now`` lies in."""
        self.booked_nanos = 0
        self.starts_at, self.ends_at = bounds(self.budget.period, now)

    def roll(self, now: float) -> None:
        """Begin the period that ``now`` lies in, if that is another.

        A clock that was set back is in a period that had ended: what was spent in it has to be
        summed up again. Until then, within a second, what was known when it ended holds.
        """
        if self.starts_at <= now < self.ends_at:
            return
        is_back = now < self.starts_at
        left = self.starts_at, self.booked_nanos
        self.begin_anew(now)
        if is_back:
            self.is_whole = False
            if self._left[0] == self.starts_at:
                self.booked_nanos = self._left[1]
        self._left = left


class BudgetUsage:
    """The budgets of one key, with what is booked, settled and held against each."""

    __slots__ = ("_ahead", "_known", "budgets", "held_nanos", "spent", "unbooked_nanos")

    def __init__(self, budgets: tuple[KeyBudget, ...], now: float) -> None:
        self.budgets = budgets
        self.spent = tuple(Spent(budget, now) for budget in budgets)
        self.held_nanos = 0
        """Of requests that run."""
        self.unbooked_nanos = 0
        """Settled here, not seen among the entries yet."""
        self._ahead: dict[str, tuple[int, float]] = {}
        self._known: dict[str, float] = {}

    def obstacle(self, now: float, amount_nanos: int) -> Spent | None:
        """The budget that so much more would exceed; ``None``: it fits."""
        return self.beyond(now, self.held_nanos + self.unbooked_nanos + amount_nanos)

    def beyond(self, now: float, more_nanos: int) -> Spent | None:
        """The budget that so much beside what is booked would exceed; ``None``: it fits."""
        for spent in self.spent:
            spent.roll(now)
            if spent.booked_nanos + more_nanos > spent.budget.amount_nanos:
                return spent
        return None

    def knows(self, request_id: str) -> bool:
        """Whether the request's entry was booked recently and is included in what is booked."""
        return request_id in self._known

    def hold(self, amount_nanos: int) -> None:
        """Count what a request may cost while it runs."""
        self.held_nanos += amount_nanos

    def settle(self, request_id: str, held_nanos: int, cost_nanos: int, now: float) -> None:
        """Replace a held amount by the actual cost, which counts here until the entry is seen."""
        self.held_nanos -= held_nanos
        if cost_nanos and request_id not in self._known:
            self._ahead[request_id] = cost_nanos, now
            self.unbooked_nanos += cost_nanos

    def learn(self, request_id: str, cost_nanos: int, at: int, now: float) -> None:
        """Note that an entry was booked at the moment ``at``."""
        for spent in self.spent:
            spent.roll(now)
            if spent.starts_at <= at < spent.ends_at:
                spent.booked_nanos += cost_nanos
        self._known[request_id] = now
        ahead = self._ahead.pop(request_id, None)
        if ahead is not None:
            self.unbooked_nanos -= ahead[0]

    def begin(self, days: Iterable[tuple[int, int]]) -> None:
        """Start from sums of the past: the first second of a day, and what was spent in it."""
        for spent in self.spent:
            spent.booked_nanos = 0
            spent.is_whole = True
        for at, nanos in days:
            for spent in self.spent:
                if spent.starts_at <= at < spent.ends_at:
                    spent.booked_nanos += nanos

    def forget(self, now: float) -> None:
        """Drop settled amounts whose entries were seen long ago or will never come."""
        for request_id, (nanos, at) in list(self._ahead.items()):
            if now - at > FORGET_S:
                del self._ahead[request_id]
                self.unbooked_nanos -= nanos
        for request_id, at in list(self._known.items()):
            if now - at > KNOWN_S:
                del self._known[request_id]

    def adopt(self, budgets: tuple[KeyBudget, ...], now: float) -> None:
        """Replace the budgets. What was spent still counts in periods that both have."""
        before = {spent.budget.period: spent for spent in self.spent}
        kept = []
        for budget in budgets:
            spent = before.get(budget.period) or Spent(budget, now)
            spent.budget = budget
            kept.append(spent)
        self.budgets = budgets
        self.spent = tuple(kept)

    def has_no_past(self) -> None:
        """Declare that nothing was spent before this usage was made."""
        for spent in self.spent:
            spent.is_whole = True

    @property
    def is_whole(self) -> bool:
        """Whether every budget knows what was spent before this usage was made."""
        return all(spent.is_whole for spent in self.spent)

    @property
    def since(self) -> int:
        """The earliest moment any of the budgets still counts, in seconds since the epoch."""
        return min(spent.starts_at for spent in self.spent)

    def left(self) -> dict[Period, int]:
        """What is left of each budget, in nano-dollars."""
        taken = self.held_nanos + self.unbooked_nanos
        return {
            spent.budget.period: spent.budget.amount_nanos - spent.booked_nanos - taken
            for spent in self.spent
        }
