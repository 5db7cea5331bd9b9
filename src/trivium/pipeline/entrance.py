"""The way through admission: in with a pass, headers that tell of it, out with the truth."""

from trivium.admission import telling
from trivium.admission.refusal import Refusal
from trivium.admission.service import Pass
from trivium.ledger.model import Quote
from trivium.pipeline.story import Story
from trivium.routing.model import Channel
from trivium.wire.passage import Facts


async def admit(story: Story, facts: Facts, quote: Quote) -> None:
    """Let the request in. Raises ``Fault`` (RATE_LIMITED, LIMIT_TOO_LOW, BUDGET_SPENT)."""
    exchange, admission = story.exchange, story.services.admission
    caller, model = exchange.caller, story.model
    assert caller is not None
    assert model is not None
    asked = (
        *(exchange.request_id, caller, model, story.operation, facts),
        *(story.body, quote.amount_nanos),
    )
    try:
        given = admission.admit(*asked)
        if given is None:
            given = await admission.ask(*asked)
    except Refusal as refused:
        exchange.extra += telling.told(
            [refused.meter], refused.into, exchange.shape, story.services.clock.now()
        )
        raise
    story.given = given
    if given.meters:
        exchange.extra += telling.granted(
            given.meters, given.into, exchange.shape, story.services.clock.now()
        )


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
