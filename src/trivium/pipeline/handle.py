"""The life of a request, in order: read, admit, hold, plan, call, stream back, settle, record."""

import asyncio
import functools
from collections.abc import Awaitable
from typing import Final

import msgspec
import structlog

from trivium.faults import Fault, Kind
from trivium.pipeline import (
    attempts,
    calling,
    drawing,
    entrance,
    fallbacks,
    hedging,
    media,
    memory,
    pacing,
    referring,
    sticky,
    wishing,
)
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.lane import ESTIMATED
from trivium.pipeline.route import Route
from trivium.pipeline.story import Story
from trivium.pipeline.telling import fault_of, tell
from trivium.routing.model import Plan
from trivium.routing.wishes import too_dear, wished
from trivium.wire import bulk, errors, peek
from trivium.wire.end_user import NAMES, end_user
from trivium.wire.form import no_form
from trivium.wire.messages.version import version
from trivium.wire.operation import COUNTING, DRAWING, FORMS_ONLY, SHAPE, Operation, Shape
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

log = structlog.get_logger()

_MESSAGES: Final = Shape.MESSAGES  # HOT: an Enum takes 45 ns to give its member
_VERSIONS: Final = ("anthropic-version", "vendor-version")
_VERSION_KEYS: Final = frozenset(name.encode() for name in _VERSIONS)
_UNCOUNTED: Final = frozenset({Kind.NO_ROUTE, Kind.UNREPRESENTABLE})
"""Faults of a count that no upstream can be asked for."""

OVERLOADED: Final = 529
"""Anthropic's status for an overloaded model; its SDKs have a class of their own for it."""


async def handle(exchange: Exchange, route: Route, services: Services) -> None:
    """Serve one authenticated relay request to its end. Never raises."""
    story = Story(exchange, route.operation, services)
    await carry(story, _served(story, route))


async def _served(story: Story, route: Route) -> None:
    exchange = story.exchange
    large = len(exchange.body) > bulk.LARGE_BYTES
    if exchange.upload is None:
        members = wishing.taken(story, peek.members(exchange.body))
    else:
        members = wishing.taken(story, await media.received(story, exchange.upload))
    if large:
        await pacing.breath()  # each step goes over all of it
    facts = read(story, route, members)
    if route.operation is Operation.RESPONSES:
        await memory.recollect(story, members)
    if large:
        await pacing.breath()
    await _admit(story, facts)
    if large:
        await pacing.breath()
    if route.operation in COUNTING:
        await _count(story, members, facts)
    else:
        await _call(story, members, facts)


async def carry(story: Story, work: Awaitable[None]) -> None:
    """Have a request answered, or answer with what went wrong; settle and record. Never raises."""
    try:
        await work
    except (Fault, asyncio.CancelledError) as error:
        fault = fault_of(story, error)
        if fault is not None:
            is_no_form = fault.kind is Kind.MALFORMED_JSON and story.operation in FORMS_ONLY
            _fail(story, no_form("This operation") if is_no_form else fault)
    except Exception:
        log.exception("request_crashed", request_id=story.exchange.request_id)
        _fail(story, errors.internal())
    finally:
        pulse = story.services.pulse
        if pulse is not None:
            pulse.forget(story)
        story.settle()
        story.given.leave(entrance.used(story), story.cost_nanos)
        story.record()


def read(story: Story, route: Route, members: Members) -> Facts:
    """Read what the request says of itself, checked against the specification."""
    if story.exchange.shape is _MESSAGES:
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
    if not NAMES.isdisjoint(members.table):  # HOT: most name nobody
        story.end_user = end_user(members.table)
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
    ledger, facts = services.ledger, referring.weighed(story, facts)
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
        functools.partial(calling.call, story, members, facts),
        functools.partial(tell, story, "attempt_failed"),
    )


def possible(story: Story) -> Plan:
    """The channels that could answer, in order. Raises ``Fault`` when there is none."""
    assert story.model is not None
    router = story.services.router
    return memory.narrowed(router.plan(story.model, story.operation, story.cache_key), story)


async def planned(story: Story) -> Plan:
    """The channels of this request as things stand, in order. Raises ``Fault`` as ``possible``."""
    services = story.services
    plan = possible(story)
    if sticky.carries(story, plan):
        plan = await sticky.recall(story, plan)
    if story.wishes is not None:
        plan = wished(plan, story.wishes)
    if story.operation not in COUNTING:
        plan = services.health.fit(plan)
    story.skipped = plan.skipped
    if story.size_bytes > bulk.LARGE_BYTES:
        story.spare = _is_spare(story, plan)
    return plan


def _is_spare(story: Story, plan: Plan) -> bool:
    """Whether the request's bytes are of no use once a translation has read them."""
    own, model, facts = SHAPE[story.operation], story.model, story.facts
    if story.operation in COUNTING or story.race is not None:
        return False
    if model is None or model.fallbacks or story.stand_ins or facts is None:
        return False
    return memory.outgrown(story) and all(SHAPE[step.operation] is not own for step in plan.steps)


def _check_version(exchange: Exchange) -> None:
    """An unknown version is the caller's mistake, whatever the upstream would make of it."""
    headers = exchange.headers
    if not _VERSION_KEYS.isdisjoint(headers):
        found = ((name, headers.get(name.encode())) for name in _VERSIONS)
        version({name: value.decode("latin-1") for name, value in found if value is not None})


def _fail(story: Story, fault: Fault) -> None:
    """Tell the caller, in its own dialect."""
    tell(story, "request_failed", fault)
    fault.forget()
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
