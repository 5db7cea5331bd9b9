"""The life of a request, in order: read, admit, hold, plan, call, stream back, settle, record."""

import asyncio
import functools
from collections.abc import Awaitable
from typing import Any, Final

import msgspec
import structlog

from trivium.admission.service import OPEN, Pass
from trivium.faults import Fault, Kind
from trivium.pipeline import (
    attempts,
    drawing,
    entrance,
    fallbacks,
    fetching,
    hedging,
    media,
    memory,
    sticky,
    wishing,
)
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.context import Exchange, Headers, Route, Services
from trivium.pipeline.drawing import Pictures
from trivium.pipeline.lane import ESTIMATED, Lane, PassThrough
from trivium.pipeline.outlasting import outlast
from trivium.pipeline.picture import PictureAttempt
from trivium.pipeline.story import Story
from trivium.pipeline.telling import fault_of, tell
from trivium.providers.base import Provider
from trivium.routing.model import Plan, Step
from trivium.routing.wishes import too_dear, wished
from trivium.upstream.call import Request
from trivium.wire import errors, peek
from trivium.wire.form import no_form
from trivium.wire.messages.version import version
from trivium.wire.operation import AUDIO, COUNTING, DRAWING, FORMS_ONLY, SHAPE, Operation, Shape
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

log = structlog.get_logger()

_ALIASES = {
    b"anthropic-version": b"vendor-version",
    b"anthropic-user-profile-id": b"vendor-user-profile-id",
}
"""The specification's neutral header names, accepted beside the vendor's own, which win."""

_UNCOUNTED: Final = frozenset({Kind.NO_ROUTE, Kind.UNREPRESENTABLE})
"""Faults of a count that no upstream can be asked for."""

OVERLOADED: Final = 529
"""Anthropic's status for an overloaded model; its SDKs have a class of their own for it."""


async def handle(exchange: Exchange, route: Route, services: Services) -> None:
    """Serve one authenticated relay request to its end. Never raises."""
    story = Story(exchange, route.operation, services)
    try:
        if exchange.upload is None:
            members = wishing.taken(story, peek.members(exchange.body))
        else:
            members = wishing.taken(story, await media.received(story, exchange.upload))
        facts = read(story, route, members)
        if route.operation is Operation.RESPONSES:
            await memory.recollect(story, members)
        await _admit(story, facts)
        if route.operation in COUNTING:
            await _count(story, members, facts)
        else:
            await _call(story, members, facts)
    except (Fault, asyncio.CancelledError) as error:
        fault = fault_of(story, error)
        if fault is not None:
            is_no_form = fault.kind is Kind.MALFORMED_JSON and route.operation in FORMS_ONLY
            _fail(story, no_form("This operation") if is_no_form else fault)
    except Exception:
        log.exception("request_crashed", request_id=exchange.request_id)
        _fail(story, errors.internal())
    finally:
        if services.pulse is not None:
            services.pulse.forget(story)
        story.settle()
        story.given.leave(entrance.used(story), story.cost_nanos)
        story.record()


def read(story: Story, route: Route, members: Members) -> Facts:
    """Read what the request says of itself, checked against the specification."""
    if story.exchange.shape is Shape.MESSAGES:
        _check_version(story.exchange)
    facts = story.services.passages[route.operation].facts(members)
    if route.model:
        facts = msgspec.structs.replace(
            facts,
            model=route.model,
            stream=route.operation is Operation.GENERATE_STREAM,
            array=route.array,
        )
    if route.operation in DRAWING:
        facts = drawing.named(story, members, facts)
    story.facts = facts
    story.members = members
    return facts


async def _admit(story: Story, facts: Facts) -> None:
    """See whether it may run now and hold its worst case."""
    exchange, services = story.exchange, story.services
    caller = exchange.caller
    assert caller is not None
    services.admission.permit(caller, facts.model)
    story.model = services.router.find(facts.model)
    if story.operation in DRAWING:
        drawing.check(story)
    ledger = services.ledger
    quote = ledger.quote(caller, story.model, story.operation, facts, story.size_bytes)
    if story.wishes is not None and (dear := too_dear(story.wishes, quote.amount_nanos)):
        raise dear
    if story.model.fallbacks:
        quote = fallbacks.covering(story, facts, quote)
    if not entrance.admit(story, facts, quote):
        await entrance.ask(story, facts, quote)
    if story.operation in COUNTING:
        return  # free of charge
    story.hold = ledger.hold(exchange.request_id, caller, quote)
    if story.hold is None:
        story.hold = await ledger.lease(exchange.request_id, caller, quote)


async def _count(story: Story, members: Members, facts: Facts) -> None:
    """Have tokens counted; by our own rule where no upstream does it, and say so."""
    try:
        await _call(story, members, facts)
    except Fault as fault:
        if not _is_uncounted(story, fault):
            raise
        tell(story, "attempt_failed", fault)
        body = story.services.translator.estimate(story, members, facts)
        story.status = 200
        story.exchange.extra.append((ESTIMATED, b"tokens"))
        story.exchange.answer(200, body)


def _is_uncounted(story: Story, fault: Fault) -> bool:
    """Whether our own count may stand in: not where the caller's own request is at fault."""
    if fault.kind is Kind.UPSTREAM_REJECTED:
        # of another shape it is our translation that the vendor refused
        return story.step is not None and story.step.operation is not story.operation
    return fault.row.fallback or fault.kind in _UNCOUNTED


def _call(story: Story, members: Members, facts: Facts) -> Awaitable[None]:
    """Try the plan's channels in turn until one answers."""
    pulse = story.services.pulse
    if facts.stream and pulse is not None:
        pulse.watch(story)
    if story.model is not None and story.model.hedge_s:
        story.race = hedging.race(story, members, facts)
    return attempts.run(
        story,
        functools.partial(planned, story),
        functools.partial(_attempt, story, members, facts),
        functools.partial(tell, story, "attempt_failed"),
    )


async def planned(story: Story) -> Plan:
    """The channels of this request, in order. Raises ``Fault`` when there is none."""
    assert story.model is not None
    services = story.services
    plan = services.router.plan(story.model, story.operation, story.cache_key)
    plan = memory.narrowed(plan, story)
    if sticky.carries(story, plan):
        plan = await sticky.recall(story, plan)
    if story.wishes is not None:
        plan = wished(plan, story.wishes)
    if story.operation not in COUNTING:
        plan = services.health.fit(plan)
    story.skipped = plan.skipped
    return plan


async def _attempt(
    story: Story, members: Members, facts: Facts, step: Step, credential: int
) -> None:
    """Call one channel and stay until the caller has its answer."""
    services, exchange = story.services, story.exchange
    binding = step.binding
    story.attempts += 1
    story.step = step
    story.begin()
    if services.foreign is not None:
        await fetching.bring(story, step, members, facts)
    if story.operation in DRAWING:
        await drawing.bring(story, step, members)
    lane = memory.remembering(story, step, lane_for(story, step, members, facts))
    request = _composed(story, step, lane, lane.body, facts, credential)
    kind = PictureAttempt if isinstance(lane, Pictures) else Attempt
    if story.operation in AUDIO:
        kind = media.attempts()
    attempt = kind(story, step, lane, facts)
    if story.race is not None:
        story.race.call(attempt)
    queued = binding.channel.queue_max > 0
    if queued:
        await services.gate.enter(binding.channel)
    entered: Pass = OPEN
    try:
        entered = entrance.enter(story, binding.channel, facts) or await entrance.ask_enter(
            story, binding.channel, facts
        )
        exchange.flow = attempt
        call = services.client.open_now(request, attempt)
        attempt.attach(call or await services.client.open(request, attempt))
        del request  # the client lets go of its bytes when an answer comes
        await _outcome(story, attempt)
        while attempt.going_on is not None:
            request = _composed(story, step, lane, attempt.going_on, facts, credential)
            attempt.again()
            try:
                attempt.attach(await services.client.open(request, attempt))
            except Fault as fault:
                attempt.broke(fault)
            await _outcome(story, attempt)
    finally:
        if exchange.flow is attempt:
            exchange.flow = None
        attempt.tell()
        attempt.release()
        entered.leave(entrance.used(story))
        if queued:
            services.gate.leave(binding.channel)


def _outcome(story: Story, attempt: Attempt) -> Awaitable[None]:
    if story.services.finishes and not attempt.facts.stream:
        return outlast(story, attempt.outcome)
    return attempt.outcome


def _composed(
    story: Story, step: Step, lane: Lane, body: Any, facts: Facts, credential: int
) -> Request:
    """What one channel is sent."""
    binding = step.binding
    return story.services.composer.compose(
        binding.channel,
        credential,
        lane.operation,
        binding.model,
        body,
        forwarded=_forwarded(story.exchange, binding.channel.provider),
        # one method of this shape never streams, whatever is made of its answer
        stream=facts.stream and lane.operation is not Operation.GENERATE,
        array=facts.array
        and SHAPE[lane.operation] is Shape.GENERATE
        and isinstance(lane, PassThrough),
        limits=binding.limits,
    )


def lane_for(story: Story, step: Step, members: Members, facts: Facts) -> Lane:
    """The caller's own shape passes; any other, and a recalled history, is translated."""
    services = story.services
    story.report = None
    story.cut = False
    if story.operation in AUDIO:
        return media.lane_for(story, step, members, facts)
    if story.operation in DRAWING:
        pictures = drawing.lane_for(story, step, members, facts)
        story.report = pictures.report
        return pictures
    if SHAPE[step.operation] is not SHAPE[story.operation] or (
        facts.foreign or memory.spelled(story) or not sticky.passes(story, step)
    ):
        lane: Lane = services.translator.lane(story, step, members, facts)
        story.report = lane.report
        return lane
    passage = services.passages[step.operation]
    asked, body = memory.asked(story, members)
    return sticky.tracing(story, step, passage, asked, facts, body, services.clock.now())


@functools.lru_cache(maxsize=1024)
def _forwards(names: frozenset[str]) -> tuple[tuple[bytes, bytes], ...]:
    """Header names a provider takes, each with its alias or itself again. Once a provider."""
    keys = sorted(name.encode() for name in names)
    return tuple((key, _ALIASES.get(key, key)) for key in keys)


def _forwarded(exchange: Exchange, provider: Provider) -> Headers:
    """The caller's headers that travel to this provider."""
    out: Headers = []
    headers = exchange.headers
    for name, alias in _forwards(provider.forwards):
        if name in headers:
            out += [(name, value) for value in exchange.values(name)]
        elif alias in headers:
            out += [(name, value) for value in exchange.values(alias)]
    return out


def _check_version(exchange: Exchange) -> None:
    """An unknown version is the caller's mistake, whatever the upstream would make of it."""
    given = {
        name: exchange.headers[name.encode()].decode("latin-1")
        for name in ("anthropic-version", "vendor-version")
        if name.encode() in exchange.headers
    }
    if given:
        version(given)


def _fail(story: Story, fault: Fault) -> None:
    """Tell the caller, in its own dialect."""
    tell(story, "request_failed", fault)
    if fault.kind is Kind.UPSTREAM_OVERLOADED and story.exchange.shape is Shape.MESSAGES:
        fault.status = OVERLOADED  # the status by which these callers know it from an outage
    story.fault = fault
    if not story.exchange.begun:
        story.status = fault.status
    story.settle()
    if story.services.explain_headers:
        story.exchange.extra += wishing.route(story)
    if story.early:
        wishing.tell_late(story)
        assert story.facts is not None
        watch = story.services.passages[story.operation].watch
        assert watch is not None
        story.exchange.finish(watch(story.facts).end(fault, story.exchange.request_id))
    else:
        story.exchange.fail(fault)
