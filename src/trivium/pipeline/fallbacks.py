"""Models that may answer in place of the one asked for, and what is held for whichever does."""

import dataclasses

import msgspec

from trivium.faults import Fault
from trivium.ledger.model import Quote
from trivium.pipeline.request_context import RequestContext
from trivium.routing.model import Model
from trivium.routing.routing_preferences import too_dear
from trivium.wire.operation import TOKEN_COUNTS
from trivium.wire.passage import RequestFacts


def fallbacks(context: RequestContext) -> list[Model]:
    """The models that may answer in place of the one asked for, as far as the key may use them."""
    model, caller = context.model, context.exchange.caller
    if model is None or not model.fallbacks or caller is None or context.operation in TOKEN_COUNTS:
        return []
    router = context.services.router
    return [router.find(name) for name in model.fallbacks if caller.may_use(name)]


def covering(context: RequestContext, facts: RequestFacts, quote: Quote) -> Quote:
    """The quote of the model asked for, with room for the dearest that may answer in its place.

    The context keeps these: all but what has no price for this, or a higher one than is wished.
    """
    caller, ledger = context.exchange.caller, context.services.ledger
    assert caller is not None
    most = quote
    for other in fallbacks(context):
        try:
            found = ledger.quote(caller, other, context.operation, facts, context.size_bytes)
        except Fault:
            continue
        if context.preferences is None or not too_dear(context.preferences, found.amount_nanos):
            context.stand_ins.append(other)
            most = max(most, found, key=lambda one: one.amount_nanos)
    if quote.tariff is None:
        assert context.model is not None
        return unpaid(most, context.model)
    own = quote.amount_nanos
    return msgspec.structs.replace(quote, amount_nanos=most.amount_nanos, own_nanos=own)


def unpaid(held: Quote, model: Model) -> Quote:
    """What is held while a free model is asked: the prices are those of others."""
    if held.tariff is None:
        return held
    named = dataclasses.replace(held.tariff, model=model.name)
    return msgspec.structs.replace(held, tariff=named, own_nanos=0)


def serve(context: RequestContext, model: Model) -> None:
    """Go on with another model: it is asked, held for and priced as that one from now on.

    Raises ``Fault`` (INTERNAL) when that cannot be noted.
    """
    caller, facts, hold = context.exchange.caller, context.facts, context.hold
    assert caller is not None
    assert facts is not None
    context.model = model
    context.stood_in = True
    if hold is None or hold.quote.tariff is None:
        return
    ledger = context.services.ledger
    quote = ledger.quote(caller, model, context.operation, facts, context.size_bytes)
    if quote.tariff is None:
        quote = unpaid(hold.quote, model)
    context.hold = ledger.hand_over(hold, quote)
