"""Tells people that a budget is nearly or wholly spent: a line of the log, an act of the audit log,
and a letter to a team's owners.

The ledger says so once a level and period, whichever worker took the counter there
(``ledger/budgets/store.py`` notes it in the same transaction). It says so in the middle of a turn,
where nothing may wait: what is to be told is put by here, and told by a task of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import structlog

from trivium.ledger.amounts import format_usd
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.settings.budget import Budget

WAITING_MAX: Final = 1000
"""Notices put by; with more at once the log alone has them."""

Tell: TypeAlias = Callable[[Budget, int], Awaitable[None]]

log = structlog.get_logger()


class BudgetNotices:
    """What is to be told of budgets, until ``run`` has told it."""

    def __init__(self, audit: Audit, tell: Tell | None = None) -> None:
        """``tell``: also tells people by letter; raises nothing."""
        self._audit = audit
        self._tell = tell
        self._waiting: asyncio.Queue[tuple[Budget, int]] = asyncio.Queue(WAITING_MAX)

    def put(self, budget: Budget, per_cent: int) -> None:
        """A budget was seen to be spent to so many per cent. Does not wait and raises nothing."""
        log.warning(
            "budget_reached",
            budget=budget.scope,
            of=budget.whose,
            period=budget.period.value,
            amount=format_usd(budget.amount_nanos),
            per_cent=per_cent,
            soft=budget.soft,
        )
        if not self._waiting.full():
            self._waiting.put_nowait((budget, per_cent))

    async def run(self) -> None:
        """Write acts as they come; never ends."""
        while True:
            budget, per_cent = await self._waiting.get()
            detail: Detail = {
                "period": budget.period.value,
                "amount": format_usd(budget.amount_nanos),
                "per_cent": per_cent,
                "soft": budget.soft,
            }
            subject = subject_of(budget.scope)
            kind = ActKind.BUDGET_REACHED
            await self._audit.add(kind, subject=subject, what=budget.scope, detail=detail)
            if self._tell is not None:
                await self._tell(budget, per_cent)


def subject_of(scope: str) -> int | None:
    """Whose account the audit log shows it with: the team, or the member; ``None`` for a key, whose
    owner the scope does not name.
    """
    kind, _, rest = scope.partition(":")
    if kind not in ("team", "member"):
        return None
    return int(rest.rpartition(":")[2])
