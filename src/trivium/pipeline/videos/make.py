"""A new video, from the request to an upstream that has taken it."""

import contextlib
import functools

import msgspec

from trivium.faults import Fault
from trivium.jobs.asking import account_of
from trivium.jobs.model import Job
from trivium.jobs.studio import Studio
from trivium.ledger.prices import row_at
from trivium.pipeline import attempts, fallbacks, wishing
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.story import Story
from trivium.pipeline.structs import Route
from trivium.pipeline.telling import tell
from trivium.pipeline.videos.order import (
    admit,
    begun,
    hold_of,
    kept_or_gone,
    outlasting,
    place,
    quoted,
    told,
)
from trivium.pipeline.videos.reference import at_hand
from trivium.providers.videos.registry import dialect_of
from trivium.routing.condition import RESTING
from trivium.routing.model import Model, Plan, Step
from trivium.routing.wishes import wished
from trivium.wire import peek
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.peek import Members
from trivium.wire.videos import request
from trivium.wire.videos.request import Asked


async def create(exchange: Exchange, services: Services, studio: Studio) -> None:
    """Serve a request for a new video. Never raises."""
    story = Story(exchange, Route(operation=Operation.VIDEOS), services)
    await told(story, _create(story, studio))


async def _create(story: Story, studio: Studio) -> None:
    exchange, services = story.exchange, story.services
    members = None if exchange.upload else wishing.taken(story, peek.members(exchange.body))
    if members is None:
        wishing.taken(story, Members([]))
    parts = exchange.upload.parts if exchange.upload else ()
    name = request.model_of(members, parts)
    story.facts = Facts(model=name)
    caller = exchange.caller
    assert caller is not None
    services.admission.permit(caller, name)
    model = story.model = services.router.find(name)
    sizes = sizes_of(model, services.clock.now())
    asked = request.read_form(parts, sizes) if members is None else request.read(members, sizes)
    story.facts = Facts(model=name, seconds=asked.seconds, size=asked.size)
    own = quote = quoted(story, story.facts)
    if model.fallbacks:
        quote = fallbacks.covering(story, story.facts, own)
    await admit(story, quote)
    plan = _first_plan(story, model)
    held = own if own.tariff is None else quote
    job = await begun(story, studio, held, asked, plan.steps[0] if plan else None)
    story.cost_nanos = own.amount_nanos
    await outlasting(story, _made(story, studio, plan, asked, job))


def sizes_of(model: Model, now: float) -> tuple[str, ...]:
    """Sizes that the operator gave a price, and so knows that the model makes them."""
    if not model.prices:
        return ()
    return tuple(video.size for video in row_at(model.prices, now).videos)


def planned(story: Story, model: Model) -> Plan:
    """The channels of a new video, in order. Raises ``Fault`` when there is none."""
    services = story.services
    plan = services.router.plan(model, Operation.VIDEOS)
    if story.wishes is not None:
        plan = wished(plan, story.wishes)
    plan = services.health.fit(plan)
    story.skipped = plan.skipped
    return plan


def _first_plan(story: Story, model: Model) -> Plan | None:
    """The plan of the model asked for; ``None``: it has none, and others may stand in."""
    try:
        return planned(story, model)
    except Fault as fault:
        if not story.stand_ins or fault.kind not in RESTING:
            raise
        return None


async def _made(story: Story, studio: Studio, plan: Plan | None, asked: Asked, job: Job) -> None:
    """Have one of the plan's channels take the job, or one of another model's."""

    async def coming() -> Plan:
        nonlocal job
        assert story.model is not None
        if not story.stood_in:
            return plan or planned(story, story.model)
        found = planned(story, story.model)
        job = msgspec.structs.replace(job, model=story.model.name)
        await _hand_over(story, studio, job)
        return found

    async def attempt(step: Step, credential: int) -> None:
        channel, model = step.binding.channel, step.binding.model
        dialect = dialect_of(step.operation)
        picture = await at_hand(story, asked.reference) if dialect.inline else None
        errand = dialect.create(channel.provider.paths[step.operation], asked, model, picture)
        account = account_of(channel, credential, step.operation, model)
        await place(story, studio, step, credential, errand, account, job)
        if story.stand_ins and not story.stood_in:
            with contextlib.suppress(Fault):  # then more than it costs is held until it is made
                await _hand_over(story, studio, job)

    told = functools.partial(tell, story, "attempt_failed")
    await kept_or_gone(story, studio, job, attempts.run(story, coming, attempt, told))


async def _hand_over(story: Story, studio: Studio, job: Job) -> None:
    """Hold what the story's model asks, and no more. Raises ``Fault``."""
    caller, model, facts = story.exchange.caller, story.model, story.facts
    assert caller is not None
    assert model is not None
    assert facts is not None
    quote = story.services.ledger.quote(caller, model, Operation.VIDEOS, facts, story.size_bytes)
    await studio.jobs.hand_over(job, hold_of(story, quote))
    story.cost_nanos = quote.amount_nanos
