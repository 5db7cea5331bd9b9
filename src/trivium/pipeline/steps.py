"""The steps of a request between its arrival and its first call, each a function; their order.

A step does its part in the context and returns ``None``, or returns something to wait for, after
which the next step can begin. It raises ``Fault`` when the request cannot go on. The order stands
here once: ``pipeline/handle.py`` takes the steps of many requests in one turn of the loop, and goes
on in a task with one that must wait, from the step that it has come to.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from trivium.admission import refusal
from trivium.admission.refusal import AdmissionRefusal
from trivium.faults import Fault
from trivium.ledger.refusals import BudgetRefusal
from trivium.pipeline import (
    affinity,
    attribution,
    cheaper,
    fallbacks,
    hedging,
    images,
    late_shapes,
    media,
    request_admission,
    response_state,
    routing_preferences,
)
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange
from trivium.routing.model import Plan
from trivium.routing.routing_preferences import HEADERS, prefer, too_dear
from trivium.uploads.form import Upload
from trivium.wire import json_size, peek, plain_words, references, state_refs
from trivium.wire.attribution import HEADERS as NAMING
from trivium.wire.attribution import MEMBERS as NAMES
from trivium.wire.messages.version import version
from trivium.wire.operation import (
    IMAGE_OPERATIONS,
    NAMED_BY_PATH,
    SHAPE,
    STREAMS_BY_PATH,
    TOKEN_COUNTS,
    Operation,
    Shape,
)
from trivium.wire.passage import RequestFacts
from trivium.wire.surface import Surface

Waiting: TypeAlias = Awaitable[None] | None
"""What must have happened before the next step; ``None``: nothing."""

_MESSAGES: Final = Shape.MESSAGES
_OWN: Final = Surface.OWN
_VERSIONS: Final = ("anthropic-version", "vendor-version")
_VERSION_KEYS: Final = frozenset(name.encode() for name in _VERSIONS)
_SPOKEN: Final = HEADERS | NAMING
"""Headers that most requests have none of."""


def bring(context: RequestContext) -> Waiting:
    """Have the operation's modules imported, which only the first caller of one has to wait for."""
    operation = context.operation
    return None if late_shapes.is_here(operation) else late_shapes.bring(operation)


def receive(context: RequestContext) -> Waiting:
    """Find the request's members, and take out of them what the caller wishes of its route."""
    exchange, spoken = context.exchange, context.route.surface
    if spoken is not _OWN and not late_shapes.is_here(spoken):
        return _receive_late(context)
    if exchange.upload is not None:
        return _receive_form(context, exchange.upload)
    members = peek.members(exchange.body)
    if spoken is not _OWN:
        from trivium.pipeline import surface

        members = surface.opened(context, members)
    # most wish for nothing; a body with names in other spellings is looked at closely
    if (
        members.folded
        or not routing_preferences.WISHES.isdisjoint(members.table)
        or not _SPOKEN.isdisjoint(exchange.headers)
    ):
        context.is_spoken_for = not NAMING.isdisjoint(exchange.headers)
        members = routing_preferences.take_preferences(context, members)
    context.members = members
    return None


async def _receive_late(context: RequestContext) -> None:
    await late_shapes.bring(context.route.surface)
    waiting = receive(context)
    if waiting is not None:
        await waiting


async def _receive_form(context: RequestContext, upload: Upload) -> None:
    form = await media.received(context, upload)
    if context.route.surface is not _OWN:
        from trivium.pipeline import surface

        form = surface.opened_form(context, form)
    context.is_spoken_for = not NAMING.isdisjoint(context.exchange.headers)
    context.members = routing_preferences.take_preferences(context, form)


def read(context: RequestContext) -> Waiting:
    """Read what the request says of itself, checked against the specification."""
    members = context.members
    assert members is not None
    if SHAPE[context.operation] is _MESSAGES:
        _check_version(context.exchange)
    if context.is_spoken_for or not NAMES.isdisjoint(members.table):  # most name nobody
        members = attribution.attribute(context, members)
    shape = SHAPE[context.operation]
    if context.size_bytes > plain_words.LONG:
        members.words = plain_words.only_words(members, shape)
    route = context.route
    facts = context.services.passages[context.operation].facts(members)
    if route.model and SHAPE[context.operation] in NAMED_BY_PATH:
        facts = msgspec.structs.replace(
            facts,
            model=route.model,
            stream=context.operation in STREAMS_BY_PATH,
            array=route.array,
        )
    if context.operation in IMAGE_OPERATIONS:
        facts = images.named(context, members, facts)
    context.facts = facts
    context.streaming = facts.stream
    context.plain = members.words or state_refs.is_plain(context.body, shape)
    return None


def recall(context: RequestContext) -> Waiting:
    """Look up what a responses request refers to."""
    members = context.members
    assert members is not None
    return (
        None
        if response_state.recollected(context, members)
        else response_state.recollect(context, members)
    )


def permit(context: RequestContext) -> Waiting:
    """Find the model, if the key may use it."""
    caller, facts = context.exchange.caller, context.facts
    assert caller is not None
    assert facts is not None
    if not caller.any_model:  # known once a key, as in ``admit``
        context.services.admission.permit(caller, facts.model)
    context.model = context.services.router.find(facts.model)
    if context.operation in IMAGE_OPERATIONS:
        images.check(context)
    return None


def quote(context: RequestContext) -> Waiting:
    """Price the worst case, also of the models that may answer in place of the one asked for."""
    caller, model, facts = context.exchange.caller, context.model, context.facts
    assert caller is not None
    assert model is not None
    assert facts is not None
    if not context.plain:
        facts = foresee(context, facts)
    found = context.services.ledger.quote(
        caller, model, context.operation, facts, context.size_bytes
    )
    if context.preferences is not None and (
        dear := too_dear(context.preferences, found.amount_nanos)
    ):
        raise dear
    context.quote = fallbacks.covering(context, facts, found) if model.fallbacks else found
    return None


def admit(context: RequestContext) -> Waiting:
    """Let it in, if its limits have room; only the shared state may know that.

    Raises ``Fault`` (RATE_LIMITED, LIMIT_TOO_LOW).
    """
    caller, model, facts = context.exchange.caller, context.model, context.facts
    assert caller is not None
    assert model is not None
    assert facts is not None
    if caller.any_rate and model.rates is None:
        return None
    exchange, services = context.exchange, context.services
    try:
        given = services.admission.admit(
            exchange.request_id,
            caller,
            model,
            context.operation,
            facts,
            context.body,
            attribution.limited_end_user(context),
        )
    except AdmissionRefusal as refused:
        request_admission.tell_refused(exchange, services, refused)
        raise
    if given is None:
        return request_admission.ask(context, facts)
    context.given = given
    if given.meters:
        request_admission.tell_granted(exchange, services, given)
    return None


def hold(context: RequestContext) -> Waiting:
    """Hold the worst case against the account and the budgets."""
    caller, found = context.exchange.caller, context.quote
    assert caller is not None
    assert found is not None
    # budgets of tags count a request that has some
    if caller.end_user_budgets or context.attribution.tags:
        context.budgets = attribution.budgets(context)
    else:
        context.budgets = caller.budgets
    context.hold = context.services.ledger.hold(
        context.exchange.request_id, caller, found, context.budgets, context.attribution
    )
    if context.hold is None:
        return _lease(context)
    if context.budgets:
        # when a budget begins anew
        context.exchange.lines += refusal.reset_line(context.hold.counted.resets_at)
    return None


def foresee(context: RequestContext, facts: RequestFacts) -> RequestFacts:
    """The facts with the most that what is referred to may come to, for callers with a limit.

    The body holds no more of it than an address. The context keeps the facts: what is quoted later
    is quoted alike.
    """
    caller = context.exchange.caller
    assert caller is not None
    if caller.unlimited and not caller.has_budgets:
        return facts
    referred = references.tokens(context.body, SHAPE[context.operation])
    if referred:
        context.facts = facts = msgspec.structs.replace(facts, referred=referred)
    return facts


async def _lease(context: RequestContext) -> None:
    caller, found = context.exchange.caller, context.quote
    assert caller is not None
    assert found is not None
    try:
        context.hold = held = await cheaper.lease(context, caller, found)
    except BudgetRefusal as refused:
        context.exchange.extra += refusal.budget_headers(refused)
        raise
    if context.budgets:
        context.exchange.lines += refusal.reset_line(held.counted.resets_at)


def keep_alive(context: RequestContext) -> Waiting:
    """Have a stream's silence broken by heartbeats, from before its first channel is called."""
    if context.streaming and context.services.heartbeats is not None:
        context.services.heartbeats.watch(context)
    return None


def plan(context: RequestContext) -> Waiting:
    """Put the channels in order that could answer, and leave out those that rest.

    Of the first model alone attempts may run at once. Does not raise: models may stand in for one
    that has no channel now, and counts have a rule of our own. The context keeps the fault for the
    call.
    """
    model, members, facts = context.model, context.members, context.facts
    assert model is not None
    if model.hedge_s and not context.stood_in and members is not None and facts is not None:
        context.race = hedging.race(context, members, facts)
    try:
        found = context.services.router.plan(model, context.operation, context.cache_key)
        if context.recollection is not None:
            found = response_state.narrowed(found, context)
        if context.operation in affinity.CARRYING:
            context.shared = len(found.steps) > 1
            if not context.plain and state_refs.any_in(context.body, SHAPE[context.operation]):
                return _recall_maker(context, found)
        context.plan = _fit(context, found)
    except Fault as fault:
        context.plan_fault = fault
    return None


async def _recall_maker(context: RequestContext, found: Plan) -> None:
    try:
        context.plan = _fit(context, await affinity.recall(context, found))
    except Fault as fault:
        context.plan_fault = fault


def _fit(context: RequestContext, found: Plan) -> Plan:
    """The plan as the caller wishes it and the channels' health allows. Raises ``Fault``."""
    if context.preferences is not None:
        found = prefer(found, context.preferences)
    health = context.services.health
    if health.resting and context.operation not in TOKEN_COUNTS:
        found = health.fit(found)
    context.skipped = found.skipped
    if context.size_bytes > json_size.LARGE_BYTES:
        context.spare = _is_spare(context, found)
    return found


async def planned(context: RequestContext) -> Plan:
    """Return the channels of the request's model, in order: as it was planned, else as things
    stand.

    Raises ``Fault`` when there is none.
    """
    if context.plan is None and context.plan_fault is None:
        waiting = plan(context)
        if waiting is not None:
            await waiting
    found, fault = context.plan, context.plan_fault
    context.plan = context.plan_fault = None
    if fault is not None:
        raise fault
    assert found is not None
    return found


Step: TypeAlias = Callable[[RequestContext], Waiting]

STEPS: Final[tuple[Step, ...]] = (
    bring,
    receive,
    read,
    recall,
    permit,
    quote,
    admit,
    hold,
    keep_alive,
    plan,
)
"""All of them, in their order. What follows is the call (``pipeline/send.py``)."""
_ONLY: Final[Mapping[Step, frozenset[Operation]]] = {
    bring: late_shapes.OPERATIONS,
    recall: frozenset({Operation.RESPONSES}),
    hold: frozenset(Operation) - TOKEN_COUNTS,  # counts are free of charge
}
"""Steps that only some operations have."""


STEPS_OF: Final[Mapping[Operation, tuple[Step, ...]]] = {
    operation: tuple(step for step in STEPS if operation in _ONLY.get(step, (operation,)))
    for operation in Operation
}
"""Those of each operation."""
NOTED: Final[Mapping[Operation, int]] = {
    operation: own.index(hold) + 1 if hold in own else 0 for operation, own in STEPS_OF.items()
}
"""How many steps end with the one whose note must be on disk before the next; 0: none has one."""


def _is_spare(context: RequestContext, found: Plan) -> bool:
    """Whether the request's bytes are of no use once a translation has read them."""
    own, model, facts = SHAPE[context.operation], context.model, context.facts
    if context.race is not None:
        return False
    if model is None or model.fallbacks or context.stand_ins or facts is None:
        return False
    return all(SHAPE[step.operation] is not own for step in found.steps)


def _check_version(exchange: Exchange) -> None:
    """An unknown version is the caller's mistake, whatever the upstream would make of it."""
    headers = exchange.headers
    if not _VERSION_KEYS.isdisjoint(headers):
        given = ((name, headers.get(name.encode())) for name in _VERSIONS)
        version({name: value.decode("latin-1") for name, value in given if value is not None})
