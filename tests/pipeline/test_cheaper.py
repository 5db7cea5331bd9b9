"""A spent budget that names another model has that one answer."""

import msgspec
import pytest

from gateway import Gateway
from pipeline.test_failover import ANSWER, CHAT, HELLO, OK
from pipeline.test_fallbacks import Books
from scripted_upstream import Double
from trivium.clock import SystemClock
from trivium.ledger.refusals import overspent
from trivium.settings.budget import FOREVER, Budget, Period, PeriodClock, is_beyond

SPENT = Budget(
    amount_nanos=5, period=Period.DAY, scope="team:3", whose="the team acme", instead="spare"
)
OPEN = Budget(amount_nanos=10**12, period=Period.TOTAL, scope="key:7")


class SpentBooks(Books):
    """Has nothing left of hard budgets of the scopes that are spent."""

    def __init__(self, *spent):
        super().__init__()
        self.spent = spent
        self.held = []

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        """``None``, as where a turn with the database must be waited for."""
        if any(each.scope in self.spent and not each.soft for each in budgets):
            return None
        self.held.append((quote.tariff.model if quote.tariff else None, budgets))
        return self.counted(super().hold(request_id, caller, quote, budgets), budgets)

    def counted(self, hold, budgets):
        """The hold with what it counts against, as the ledger has it."""
        counted = PeriodClock().counted(tuple(budgets), SystemClock().now())
        return msgspec.structs.replace(hold, counted=counted)

    async def lease(self, request_id, caller, quote, budgets=(), who=None):
        """The turn's refusal."""
        for each in budgets:
            if each.scope in self.spent and not each.soft:
                raise overspent(each, quote.amount_nanos, FOREVER)
        return self.hold(request_id, caller, quote, budgets)


async def asked(*spent, budgets=(SPENT, OPEN), **more):
    """(status, headers, body) of the answer, what was held, and both vendors' bodies."""
    price = {"free": False, "price": {"input": "1", "output": "1"}}
    async with (
        Double([OK]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first),
            ("openai", second),
            fallback="spare",
            model=price,
            stand_in=price,
            who={"budgets": budgets},
            **more,
        ) as gateway,
    ):
        books = gateway.services.ledger = SpentBooks(*spent)
        answer = await gateway.post(CHAT, HELLO)
        return answer, books.held, [len(vendor.requests) for vendor in (first, second)]


@pytest.mark.asyncio
async def test_another_model_answers_once_it_is_spent():
    """Named in the answer; it counts against that budget, which refuses no more, and all others."""
    (status, headers, body), held, calls = await asked("team:3")
    assert (200, b"spare", ANSWER) == (status, headers[b"trivium-model"], body)
    assert [0, 1] == calls
    ((_, budgets),) = held
    assert [("team:3", True), ("key:7", False)] == [
        (each.scope, is_beyond(each)) for each in budgets
    ]


@pytest.mark.asyncio
async def test_what_is_not_spent_changes_nothing():
    """The model that was asked for answers, and the header says when the next period begins."""
    (status, headers, _), held, calls = await asked()
    assert (200, [1, 0]) == (status, calls)
    assert b"trivium-model" not in headers
    assert headers[b"trivium-budget-reset"].endswith(b"T00:00:00Z")
    assert [(SPENT, OPEN)] == [budgets for _, budgets in held]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spent", "budgets", "more"),
    [
        (("key:7",), (SPENT, OPEN), {}),  # another one is spent, which names none
        (("team:3", "key:7"), (SPENT, OPEN), {}),
        (("team:3",), (msgspec.structs.replace(SPENT, instead="gone"),), {}),
        (("team:3",), (SPENT,), {"models": frozenset({"m"})}),  # the key may not use it
    ],
)
async def test_where_nothing_may_answer_instead_it_is_refused(spent, budgets, more):
    """With the budget and its headers; nobody is called."""
    (status, headers, body), held, calls = await asked(*spent, budgets=budgets, **more)
    assert (429, [], [0, 0]) == (status, held, calls)
    assert b"budget" in body
    assert headers[b"trivium-budget"].split(b";")[0] in (b"team:3", b"key:7")
