"""The way through admission: in with a pass, headers that tell of it, out with the truth."""

from typing import Final

from trivium.admission import refusal
from trivium.admission.refusal import AdmissionRefusal
from trivium.admission.service import Permit
from trivium.pipeline import attribution
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Services
from trivium.routing.model import Channel, Model
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts

_NO_MODEL: Final = Model(name="", bindings=())


def look(exchange: Exchange, services: Services, key_coming: int, user_coming: int) -> None:
    """See whether a request may be let in before its body is there; ``…_coming`` as
    ``Admission.look``. Raises ``Fault`` (RATE_LIMITED).
    """
    assert exchange.caller is not None
    try:
        services.admission.look(exchange.caller, key_coming, user_coming)
    except AdmissionRefusal as refused:
        tell_refused(exchange, services, refused)
        raise


async def ask(context: RequestContext, facts: RequestFacts) -> None:
    """Let the request in as the shared state says. Raises as ``steps.admit`` does."""
    assert context.model is not None
    context.given = await _asked(
        context.exchange,
        context.services,
        *(context.model, context.operation, facts, context.body),
        end_user=attribution.limited_end_user(context),
    )


async def visit(exchange: Exchange, services: Services) -> Permit:
    """Let in what asks no model: a request like any other, which uses no tokens."""
    return await _asked(
        exchange, services, _NO_MODEL, Operation.RESPONSES_COUNT, RequestFacts(model=""), b""
    )


async def _asked(
    exchange: Exchange,
    services: Services,
    model: Model,
    operation: Operation,
    facts: RequestFacts,
    body: bytes,
    *,
    end_user: str = "",
) -> Permit:
    admission, caller = services.admission, exchange.caller
    assert caller is not None
    asked = (exchange.request_id, caller, model, operation, facts, body, end_user)
    try:
        given = admission.admit(*asked)
        if given is None:
            given = await admission.ask(*asked)
    except AdmissionRefusal as refused:
        tell_refused(exchange, services, refused)
        raise
    if given.meters:
        tell_granted(exchange, services, given)
    return given


def tell_refused(exchange: Exchange, services: Services, refused: AdmissionRefusal) -> None:
    """Add the headers of a limit that is reached."""
    exchange.extra += refusal.limit_headers(
        [refused.meter], refused.into, exchange.shape, services.clock.now()
    )


def tell_granted(exchange: Exchange, services: Services, given: Permit) -> None:
    """Add the headers of the limits that a request counts against."""
    exchange.extra += refusal.headers_of(
        given.meters, given.into, exchange.shape, services.clock.now()
    )


def enter(context: RequestContext, of: Channel | Model, facts: RequestFacts) -> Permit | None:
    """Let one call to a channel, or a model that stands in; ``None``: only the shared state can
    tell, ``ask_enter`` does.

    Raises ``Fault`` (UPSTREAM_BUSY, or a model's RATE_LIMITED): another may do.
    """
    return context.services.admission.enter(
        context.exchange.request_id, of, context.operation, facts, context.body
    )


async def ask_enter(context: RequestContext, of: Channel | Model, facts: RequestFacts) -> Permit:
    """Let it as the shared state says. Raises as ``enter`` does."""
    return await context.services.admission.ask_enter(
        context.exchange.request_id, of, context.operation, facts, context.body
    )


def used(context: RequestContext) -> int | None:
    """Tokens that the answer came to; ``None`` when nobody knows better than was foreseen."""
    usage = context.usage
    if usage is not None:
        return usage.input_total + usage.output_total
    return None if context.delivered else 0
