"""How much of budgets is used, and when they begin anew, as pages show it."""

from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.console.context import Console
from trivium.console.language import N_
from trivium.identity.model import Key
from trivium.identity.teams.listing.service import ListedBudget
from trivium.ledger.budgets import store
from trivium.settings.budget import FOREVER, CounterId, Period, bounds

PERIODS: Final = {
    Period.DAY: N_("a day"),
    Period.WEEK: N_("a week"),
    Period.MONTH: N_("a month"),
    Period.TOTAL: N_("in all"),
    Period.FIVE_HOURS: N_("in any five hours"),
    Period.SEVEN_DAYS: N_("in any seven days"),
}
NEAR: Final = 80.0
"""Per cent at which people are told."""


class BudgetUse(msgspec.Struct, frozen=True, kw_only=True):
    """A budget and what is spent of it, in nano-dollars."""

    of: ListedBudget
    spent_nanos: int
    share: float
    """Per cent of it; above 100 where a request cost more than was foreseen of it."""
    ends_at: int | None
    """When its period ends; ``None``: it has no end of its own."""

    @property
    def left_nanos(self) -> int:
        """What is left, at least nothing."""
        return max(0, self.of.budget.amount_nanos - self.spent_nanos)

    @property
    def tone(self) -> str:
        """How it is coloured: ``good``, ``warn`` from where people are told, ``bad`` when spent."""
        return "bad" if self.share >= 100 else "warn" if self.share >= NEAR else "good"


async def used(console: Console, listed: Sequence[ListedBudget]) -> list[BudgetUse]:
    """Return budgets with what is booked of them in their periods of now."""
    if not listed:
        return []
    async with console.database.read() as conn:
        counted = await store.counted(conn, list({each.budget.scope for each in listed}))
    now = console.clock.now()
    found = []
    for each in listed:
        budget = each.budget
        period = bounds(budget.period, now, budget.zone)
        counter = CounterId(budget.scope, budget.period.value, period.starts_at)
        spent, _ = counted.get(counter, (0, 0))
        found.append(
            BudgetUse(
                of=each,
                spent_nanos=spent,
                share=max(0.0, 100 * spent / budget.amount_nanos),
                ends_at=None if period.ends_at >= FOREVER else period.ends_at,
            )
        )
    return found


def of_keys(keys: Sequence[Key]) -> list[ListedBudget]:
    """The budgets of keys that are not revoked."""
    return [
        ListedBudget(
            id=0,
            budget=msgspec.structs.replace(budget, scope=f"key:{key.id}"),
            kind="key",
            team_id=key.team_id,
            name=key.name,
        )
        for key in keys
        if not key.disabled
        for budget in key.budgets
    ]
