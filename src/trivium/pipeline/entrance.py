"""The way through admission: in with a pass, headers that tell of it, out with the truth."""

from typing import Final

from trivium.admission import refusal
from trivium.admission.refusal import Refusal
from trivium.admission.service import Pass
from trivium.ledger.model import Quote
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.story import Story
from trivium.routing.model import Channel, Model
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts

_NO_MODEL: Final = Model(name="", bindings=())


def look(exchange: Exchange, services: Services, key_coming: int, user_coming: int) -> None:
    """See whether a request may be let in before its body is there; ``…_coming`` as
    ``Admission.look``. Raises ``Fault`` (RATE_LIMITED).
    """
    assert exchange.caller is not None
    try:
        services.admission.look(exchange.caller, key_coming, user_coming)
    except Refusal as refused:
        tell_refused(exchange, services, refused)
        raise


async def ask(story: Story, facts: Facts, quote: Quote) -> None:
    """Let the request in as the shared state says. Raises as ``steps.admit`` does."""
    assert story.model is not None
    story.given = await _asked(
        story.exchange,
        story.services,
        *(story.model, story.operation, facts, story.body, quote.amount_nanos),
    )


async def visit(exchange: Exchange, services: Services) -> Pass:
    """Let in what asks no model: a request like any other, which uses no tokens."""
    return await _asked(
        exchange, services, _NO_MODEL, Operation.RESPONSES_COUNT, Facts(model=""), b"", 0
    )


async def _asked(
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
        tell_refused(exchange, services, refused)
        raise
    if given.meters:
        tell_granted(exchange, services, given)
    return given


def tell_refused(exchange: Exchange, services: Services, refused: Refusal) -> None:
    """Add the headers of a limit that is reached."""
    exchange.extra += refusal.told(
        [refused.meter], refused.into, exchange.shape, services.clock.now()
    )


def tell_granted(exchange: Exchange, services: Services, given: Pass) -> None:
    """Add the headers of the limits that a request counts against."""
    exchange.extra += refusal.granted(
        given.meters, given.into, exchange.shape, services.clock.now()
    )


def enter(story: Story, of: Channel | Model, facts: Facts) -> Pass | None:
    """Let one call to a channel, or a model that stands in; ``None``: only the shared state can
    tell, ``ask_enter`` does.

    Raises ``Fault`` (UPSTREAM_BUSY, or a model's RATE_LIMITED): another may do.
    """
    return story.services.admission.enter(
        story.exchange.request_id, of, story.operation, facts, story.body
    )


async def ask_enter(story: Story, of: Channel | Model, facts: Facts) -> Pass:
    """Let it as the shared state says. Raises as ``enter`` does."""
    return await story.services.admission.ask_enter(
        story.exchange.request_id, of, story.operation, facts, story.body
    )


def used(story: Story) -> int | None:
    """Tokens that the answer came to; ``None`` when nobody knows better than was foreseen."""
    usage = story.usage
    if usage is not None:
        return usage.input_total + usage.output_total
    return None if story.delivered else 0
