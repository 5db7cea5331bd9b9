"""Whether an answer that a vendor paused can be paid for if it goes on.

What was held for a request is the most that one round of it may cost. A further round is asked for
when what the rounds before it came to, and the most that the next may cost, are held as well: what
is missing is taken from what the worker has leased of the account, and from the key's budgets. That
takes no time, since the answer has begun. What cannot be had so ends the answer as it stands.
"""

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.cost import cost
from trivium.ledger.unreported_usage import is_believable
from trivium.pipeline.request_context import RequestContext


def hold_continuation(
    context: RequestContext, used: Usage | None, size: int, output_max: int | None
) -> bool:
    """Hold what another round needs; ``False``: the account or a budget of the key has it not.

    ``used``: by all rounds so far. ``size``: bytes of the next request; ``output_max``: its limit.
    """
    hold, caller, model, facts = context.hold, context.exchange.caller, context.model, context.facts
    if hold is None or hold.quote.tariff is None:
        return True
    assert caller is not None
    assert model is not None
    assert facts is not None
    ledger = context.services.ledger
    facts = msgspec.structs.replace(facts, output_max=output_max)
    needed = ledger.quote(caller, model, context.operation, facts, size).amount_nanos
    if used is not None and is_believable(used):
        needed += cost(hold.quote.tariff, used)[0]
    missing = needed - hold.amount_nanos
    if missing <= 0:
        return True
    extended = ledger.extend(hold, missing)
    if extended is None:
        return False
    context.hold = extended
    return context.given.extend(missing)
