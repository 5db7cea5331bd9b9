"""A spent budget that names another model: that one answers, in place of a refusal."""

from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.ledger.model import Hold, Quote
from trivium.ledger.refusals import BudgetRefusal
from trivium.pipeline.request_context import RequestContext
from trivium.routing.model import Model
from trivium.settings.budget import Budget, beyond
from trivium.wire.passage import RequestFacts


async def lease(context: RequestContext, caller: Caller, quote: Quote) -> Hold:
    """Hold the quote, or, where a spent budget names another model, that model's: the context goes
    on with it. It counts against that budget, which refuses no more, and against all others as
    before; one of those may name a model in its turn.

    Raises ``Fault`` (BALANCE_TOO_LOW, LEDGER_DOWN, INTERNAL), ``BudgetRefusal``.
    """
    ledger, request_id = context.services.ledger, context.exchange.request_id
    budgets, who = context.budgets, context.attribution
    for _ in range(len(budgets)):
        try:
            found = ledger.hold(request_id, caller, quote, budgets, who)
            return found or await ledger.lease(request_id, caller, quote, budgets, who)
        except BudgetRefusal as refused:
            other = _other(context, caller, refused.budget)
            if other is None:
                raise
            try:
                quote = ledger.quote(
                    caller, other, context.operation, _facts(context), context.size_bytes
                )
            except Fault:
                raise refused from None  # what has no price for this cannot answer it
            budgets = tuple(beyond(each) if each == refused.budget else each for each in budgets)
            _go_on(context, other, quote)
    return await ledger.lease(request_id, caller, quote, budgets, who)


def _other(context: RequestContext, caller: Caller, spent: Budget) -> Model | None:
    """The model that a spent budget names, if the key may use it and it is there."""
    if not spent.instead or spent.soft or not caller.may_use(spent.instead):
        return None
    try:
        found = context.services.router.find(spent.instead)
    except Fault:
        return None  # settings have lost it: the budget refuses as if it named none
    return found if context.operation in found.operations() else None


def _facts(context: RequestContext) -> RequestFacts:
    facts = context.facts
    assert facts is not None
    return facts


def _go_on(context: RequestContext, model: Model, quote: Quote) -> None:
    """Ask that model from here on. Nothing stands in for it: more may not be held for."""
    context.model, context.quote = model, quote
    context.stood_in = True
    context.stand_ins = []
