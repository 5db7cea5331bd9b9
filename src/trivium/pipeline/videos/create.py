"""A new video, from the request to an upstream that has taken it."""

import contextlib
import functools

import msgspec

from trivium.faults import Fault
from trivium.jobs.model import Job
from trivium.jobs.video_client import account_of
from trivium.jobs.video_services import VideoServices
from trivium.ledger.cost import row_at
from trivium.pipeline import failover, fallbacks, routing_preferences
from trivium.pipeline.fault_log import log_fault
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Services
from trivium.pipeline.structs import Route
from trivium.pipeline.videos.order import (
    abandoned,
    admit,
    begun,
    hold_of,
    is_answered,
    kept_or_gone,
    place,
    quoted,
    told,
)
from trivium.pipeline.videos.reference import at_hand
from trivium.providers.videos.registry import protocol_of
from trivium.routing.channel_health import RESTING
from trivium.routing.model import Model, Plan, Step
from trivium.routing.routing_preferences import prefer
from trivium.wire import peek
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members
from trivium.wire.videos import request
from trivium.wire.videos.request import VideoRequest


async def create(exchange: Exchange, services: Services, video_services: VideoServices) -> None:
    """Serve a request for a new video. Never raises."""
    context = RequestContext(exchange, Route(operation=Operation.VIDEOS), services)
    await told(context, _create(context, video_services))


async def _create(context: RequestContext, video_services: VideoServices) -> None:
    exchange, services = context.exchange, context.services
    members = (
        None
        if exchange.upload
        else routing_preferences.take_preferences(context, peek.members(exchange.body))
    )
    if members is None:
        routing_preferences.take_preferences(context, Members({}))
    parts = exchange.upload.parts if exchange.upload else ()
    name = request.model_of(members, parts)
    context.facts = RequestFacts(model=name)
    caller = exchange.caller
    assert caller is not None
    services.admission.permit(caller, name)
    model = context.model = services.router.find(name)
    sizes = sizes_of(model, services.clock.now())
    asked = request.read_form(parts, sizes) if members is None else request.read(members, sizes)
    context.facts = RequestFacts(model=name, seconds=asked.seconds, size=asked.size)
    own = quote = quoted(context, context.facts)
    if model.fallbacks:
        quote = fallbacks.covering(context, context.facts, own)
    await admit(context, quote)
    plan = _first_plan(context, model)
    held = own if own.tariff is None else quote
    job = await begun(context, video_services, held, asked, plan.steps[0] if plan else None)
    if is_answered(context, video_services, job):
        return
    context.cost_nanos = own.amount_nanos
    await abandoned(context, _made(context, video_services, plan, asked, job))


def sizes_of(model: Model, now: float) -> tuple[str, ...]:
    """Sizes that the operator gave a price, and so knows that the model makes them."""
    if not model.prices:
        return ()
    return tuple(video.size for video in row_at(model.prices, now).videos)


def planned(context: RequestContext, model: Model) -> Plan:
    """The channels of a new video, in order. Raises ``Fault`` when there is none."""
    services = context.services
    plan = services.router.plan(model, Operation.VIDEOS)
    if context.preferences is not None:
        plan = prefer(plan, context.preferences)
    plan = services.health.fit(plan)
    context.skipped = plan.skipped
    return plan


def _first_plan(context: RequestContext, model: Model) -> Plan | None:
    """The plan of the model asked for; ``None``: it has none, and others may stand in."""
    try:
        return planned(context, model)
    except Fault as fault:
        if not context.stand_ins or fault.kind not in RESTING:
            raise
        return None


async def _made(
    context: RequestContext,
    video_services: VideoServices,
    plan: Plan | None,
    asked: VideoRequest,
    job: Job,
) -> None:
    """Have one of the plan's channels take the job, or one of another model's."""

    async def coming() -> Plan:
        nonlocal job
        assert context.model is not None
        if not context.stood_in:
            return plan or planned(context, context.model)
        found = planned(context, context.model)
        job = msgspec.structs.replace(job, model=context.model.name)
        await _hand_over(context, video_services, job)
        return found

    async def attempt(step: Step, credential: int) -> None:
        channel, model = step.binding.channel, step.binding.model
        protocol = protocol_of(step.operation)
        picture = await at_hand(context, asked.reference) if protocol.inline else None
        vendor_call = protocol.create(channel.provider.paths[step.operation], asked, model, picture)
        account = account_of(channel, credential, step.operation, model)
        await place(context, video_services, step, credential, vendor_call, account, job)
        if context.stand_ins and not context.stood_in:
            with contextlib.suppress(Fault):  # then more than it costs is held until it is made
                await _hand_over(context, video_services, job)

    told = functools.partial(log_fault, context, "attempt_failed")
    await kept_or_gone(context, video_services, job, failover.run(context, coming, attempt, told))


async def _hand_over(context: RequestContext, video_services: VideoServices, job: Job) -> None:
    """Hold what the request's model asks, and no more. Raises ``Fault``."""
    caller, model, facts = context.exchange.caller, context.model, context.facts
    assert caller is not None
    assert model is not None
    assert facts is not None
    quote = context.services.ledger.quote(
        caller, model, Operation.VIDEOS, facts, context.size_bytes
    )
    await video_services.jobs.hand_over(job, hold_of(context, quote))
    context.cost_nanos = quote.amount_nanos
