"""People are told of budgets, in the log and in the audit log."""

import asyncio

import pytest
from structlog.testing import capture_logs

from trivium.ledger.budgets.notices import WAITING_MAX, BudgetNotices, subject_of
from trivium.observe.audit.service import Audit
from trivium.settings.budget import Budget, Period


@pytest.mark.asyncio
async def test_a_budget_that_is_nearly_spent_is_told(database, clock):
    """With whose it is and how far."""
    audit = Audit(database, clock)
    notices = BudgetNotices(audit)
    budget = Budget(amount_nanos=5 * 10**9, period=Period.MONTH, scope="team:3", whose="the team a")
    with capture_logs() as lines:
        notices.put(budget, 80)
    assert [("budget_reached", "the team a", 80)] == [
        (line["event"], line["of"], line["per_cent"]) for line in lines
    ]
    telling = asyncio.create_task(notices.run())
    while not (acts := await audit.everything()):
        await asyncio.sleep(0.01)
    telling.cancel()
    (act,) = acts
    assert ("budget_reached", 3, "team:3") == (act.kind, act.subject_id, act.what)
    assert '"per_cent":80' in act.detail


def test_what_cannot_be_put_by_is_in_the_log(clock):
    """More than are kept do not grow in memory."""
    notices = BudgetNotices(Audit(None, clock))
    with capture_logs() as lines:
        for _ in range(WAITING_MAX + 1):
            notices.put(Budget(amount_nanos=1, period=Period.DAY, scope="key:1"), 100)
    assert WAITING_MAX + 1 == len(lines)
    assert WAITING_MAX == notices._waiting.qsize()


def test_whose_account_it_is():
    """The team's or the member's; of a key nobody's."""
    assert [3, 9, None, None] == [
        subject_of(scope) for scope in ("team:3", "member:3:9", "key:5", "grant:4")
    ]


@pytest.mark.asyncio
async def test_people_are_told_by_letter_too(database, clock):
    """Once for each notice, after the act is written."""
    told = asyncio.Queue()

    async def tell(budget, per_cent):
        await told.put((budget.scope, per_cent))

    notices = BudgetNotices(Audit(database, clock), tell)
    telling = asyncio.create_task(notices.run())
    notices.put(Budget(amount_nanos=1, period=Period.DAY, scope="team:3"), 100)
    assert ("team:3", 100) == await asyncio.wait_for(told.get(), 10)
    telling.cancel()
