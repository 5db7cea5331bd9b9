"""The way through admission: in with a pass, headers that tell of it, out with the truth."""

from typing import Final

from trivium.admission import telling
from trivium.admission.refusal import Refusal
from trivium.admission.service import Pass
from trivium.ledger.model import Quote
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.story import Story
from trivium.routing.model import Channel, Model
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts

_NO_MODEL: Final = Model(name="", bindings=())


async def admit(story: Story, facts: Facts, quote: Quote) -> None:
    """Let the request in. Raises ``Fault`` (RATE_LIMITED, LIMIT_TOO_LOW, BUDGET_SPENT)."""
    assert story.model is not None
    story.given = await _let_in(
        story.exchange,
        story.services,
        *(story.model, story.operation, facts, story.body, quote.amount_nanos),
    )


async def visit(exchange: Exchange, services: Services) -> Pass:
    """Let in what asks no model: a request like any other, which uses no tokens."""
    return await _let_in(
        exchange, services, _NO_MODEL, Operation.RESPONSES_COUNT, Facts(model=""), b"", 0
    )


async def _let_in(
    exchange: Exchange,
    services: Services,
    model: Model,
    operation: Operation,
    facts: Facts,
    body: bytes,
    nanos: int,
) -> Pass:
    admission, caller = services.admission, exchange.caller
    assert caller is not None
    asked = (exchange.request_id, caller, model, operation, facts, body, nanos)
    try:
        given = admission.admit(*asked)
        if given is None:
            given = await admission.ask(*asked)
    except Refusal as refused:
        exchange.extra += telling.told(
            [refused.meter], refused.into, exchange.shape, services.clock.now()
        )
        raise
    if given.meters:
        exchange.extra += telling.granted(
            given.meters, given.into, exchange.shape, services.clock.now()
        )
    return given


async def enter(story: Story, channel: Channel, facts: Facts) -> Pass:
    """Let one call to a channel. Raises ``Fault`` (UPSTREAM_BUSY): another channel may do."""
    admission = story.services.admission
    asked = (story.exchange.request_id, channel, story.operation, facts, story.body)
    given = admission.enter(*asked)
    return await admission.ask_enter(*asked) if given is None else given


def used(story: Story) -> int | None:
    """Tokens that the answer came to; ``None`` when nobody knows better than was foreseen."""
    usage = story.usage
    if usage is not None:
        return usage.input_total + usage.output_total
    return None if story.delivered else 0
