"""The steps of a request between its arrival and its first call, each a function; their order.

A step does its part in the story and returns ``None``, or returns something to wait for, after
which the next step can begin. It raises ``Fault`` when the request cannot go on. The order stands
here once: ``pipeline/handle.py`` takes the steps of many requests in one turn of the loop, and goes
on in a task with one that must wait, from the step that it has come to.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from trivium.admission.refusal import Refusal
from trivium.faults import Fault
from trivium.pipeline import (
    drawing,
    entrance,
    fallbacks,
    hedging,
    media,
    memory,
    sticky,
    wishing,
)
from trivium.pipeline.context import Exchange
from trivium.pipeline.story import Story
from trivium.routing.model import Plan
from trivium.routing.wishes import HEADERS, too_dear, wished
from trivium.uploads.form import Upload
from trivium.wire import bulk, marks, peek, references
from trivium.wire.end_user import NAMES, end_user
from trivium.wire.messages.version import version
from trivium.wire.operation import IMAGE_OPERATIONS, SHAPE, TOKEN_COUNTS, Operation, Shape
from trivium.wire.passage import Facts

Waiting: TypeAlias = Awaitable[None] | None
"""What must have happened before the next step; ``None``: nothing."""

_MESSAGES: Final = Shape.MESSAGES
_VERSIONS: Final = ("anthropic-version", "vendor-version")
_VERSION_KEYS: Final = frozenset(name.encode() for name in _VERSIONS)


def receive(story: Story) -> Waiting:
    """Find the request's members, and take out of them what the caller wishes of its route."""
    exchange = story.exchange
    if exchange.upload is not None:
        return _receive_form(story, exchange.upload)
    members = peek.members(exchange.body)
    # most wish for nothing; a body with names in other spellings is looked at closely
    if (
        members.folded
        or not wishing.WISHES.isdisjoint(members.table)
        or not HEADERS.isdisjoint(exchange.headers)
    ):
        members = wishing.taken(story, members)
    story.members = members
    return None


async def _receive_form(story: Story, upload: Upload) -> None:
    story.members = wishing.taken(story, await media.received(story, upload))


def read(story: Story) -> Waiting:
    """Read what the request says of itself, checked against the specification."""
    members = story.members
    assert members is not None
    if story.exchange.shape is _MESSAGES:
        _check_version(story.exchange)
    route = story.route
    facts = story.services.passages[story.operation].facts(members)
    if route.model:
        facts = msgspec.structs.replace(
            facts,
            model=route.model,
            stream=story.operation is Operation.GENERATE_STREAM,
            array=route.array,
        )
    if story.operation in IMAGE_OPERATIONS:
        facts = drawing.named(story, members, facts)
    story.facts = facts
    story.streaming = facts.stream
    if not NAMES.isdisjoint(members.table):  # most name nobody
        story.end_user = end_user(members.table)
    return None


def recall(story: Story) -> Waiting:
    """Look up what a responses request refers to."""
    members = story.members
    assert members is not None
    return None if memory.recollected(story, members) else memory.recollect(story, members)


def permit(story: Story) -> Waiting:
    """Find the model, if the key may use it."""
    caller, facts = story.exchange.caller, story.facts
    assert caller is not None
    assert facts is not None
    story.services.admission.permit(caller, facts.model)
    story.model = story.services.router.find(facts.model)
    if story.operation in IMAGE_OPERATIONS:
        drawing.check(story)
    return None


def quote(story: Story) -> Waiting:
    """Price the worst case, also of the models that may answer in place of the one asked for."""
    caller, model, facts = story.exchange.caller, story.model, story.facts
    assert caller is not None
    assert model is not None
    assert facts is not None
    facts = foresee(story, facts)
    found = story.services.ledger.quote(caller, model, story.operation, facts, story.size_bytes)
    if story.wishes is not None and (dear := too_dear(story.wishes, found.amount_nanos)):
        raise dear
    story.quote = fallbacks.covering(story, facts, found) if model.fallbacks else found
    return None


def admit(story: Story) -> Waiting:
    """Let it in, if its limits and budgets have room; only the shared state may know that.

    Raises ``Fault`` (RATE_LIMITED, LIMIT_TOO_LOW, BUDGET_SPENT).
    """
    caller, model, facts, found = story.exchange.caller, story.model, story.facts, story.quote
    assert caller is not None
    assert model is not None
    assert facts is not None
    assert found is not None
    exchange, services = story.exchange, story.services
    try:
        given = services.admission.admit(
            exchange.request_id,
            caller,
            model,
            story.operation,
            facts,
            story.body,
            found.amount_nanos,
        )
    except Refusal as refused:
        entrance.tell_refused(exchange, services, refused)
        raise
    if given is None:
        return entrance.ask(story, facts, found)
    story.given = given
    if given.meters:
        entrance.tell_granted(exchange, services, given)
    return None


def hold(story: Story) -> Waiting:
    """Hold the worst case against the account."""
    caller, found = story.exchange.caller, story.quote
    assert caller is not None
    assert found is not None
    story.hold = story.services.ledger.hold(story.exchange.request_id, caller, found)
    return None if story.hold is not None else _lease(story)


def foresee(story: Story, facts: Facts) -> Facts:
    """The facts with the most that what is referred to may come to, for callers with a limit.

    The body holds no more of it than an address. The story keeps the facts: what is quoted later is
    quoted alike.
    """
    caller = story.exchange.caller
    assert caller is not None
    if caller.unlimited and not caller.budgets:
        return facts
    referred = references.tokens(story.body, SHAPE[story.operation])
    if referred:
        story.facts = facts = msgspec.structs.replace(facts, referred=referred)
    return facts


async def _lease(story: Story) -> None:
    caller, found = story.exchange.caller, story.quote
    assert caller is not None
    assert found is not None
    story.hold = await story.services.ledger.lease(story.exchange.request_id, caller, found)


def keep_alive(story: Story) -> Waiting:
    """Have a stream's silence broken by heartbeats, from before its first channel is called."""
    if story.streaming and story.services.pulse is not None:
        story.services.pulse.watch(story)
    return None


def plan(story: Story) -> Waiting:
    """Put the channels in order that could answer, and leave out those that rest.

    Does not raise: models may stand in for one that has no channel now, and counts have a rule of
    our own. The story keeps the fault for the call.
    """
    model, members, facts = story.model, story.members, story.facts
    assert model is not None
    if model.hedge_s and members is not None and facts is not None:
        story.race = hedging.race(story, members, facts)
    try:
        found = story.services.router.plan(model, story.operation, story.cache_key)
        if story.recollection is not None:
            found = memory.narrowed(found, story)
        if story.operation in sticky.CARRYING:
            story.shared = len(found.steps) > 1
            if marks.any_in(story.body, SHAPE[story.operation]):
                return _recall_maker(story, found)
        story.plan = _fit(story, found)
    except Fault as fault:
        story.plan_fault = fault
    return None


async def _recall_maker(story: Story, found: Plan) -> None:
    try:
        story.plan = _fit(story, await sticky.recall(story, found))
    except Fault as fault:
        story.plan_fault = fault


def _fit(story: Story, found: Plan) -> Plan:
    """The plan as the caller wishes it and the channels' health allows. Raises ``Fault``."""
    if story.wishes is not None:
        found = wished(found, story.wishes)
    if story.operation not in TOKEN_COUNTS:
        found = story.services.health.fit(found)
    story.skipped = found.skipped
    if story.size_bytes > bulk.LARGE_BYTES:
        story.spare = _is_spare(story, found)
    return found


async def planned(story: Story) -> Plan:
    """Return the channels of the story's model, in order: as it was planned, else as things stand.

    Raises ``Fault`` when there is none.
    """
    if story.plan is None and story.plan_fault is None:
        waiting = plan(story)
        if waiting is not None:
            await waiting
    found, fault = story.plan, story.plan_fault
    story.plan = story.plan_fault = None
    if fault is not None:
        raise fault
    assert found is not None
    return found


Step: TypeAlias = Callable[[Story], Waiting]

STEPS: Final[tuple[Step, ...]] = (
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
"""All of them, in their order. What follows is the call (``pipeline/calling.py``)."""
_ONLY: Final[Mapping[Step, frozenset[Operation]]] = {
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
    operation: own.index(hold) if hold in own else -1 for operation, own in STEPS_OF.items()
}
"""The step of each operation whose note must be on disk before the next; -1: it has none."""


def _is_spare(story: Story, found: Plan) -> bool:
    """Whether the request's bytes are of no use once a translation has read them."""
    own, model, facts = SHAPE[story.operation], story.model, story.facts
    if story.operation in TOKEN_COUNTS or story.race is not None:
        return False
    if model is None or model.fallbacks or story.stand_ins or facts is None:
        return False
    return memory.outgrown(story) and all(SHAPE[step.operation] is not own for step in found.steps)


def _check_version(exchange: Exchange) -> None:
    """An unknown version is the caller's mistake, whatever the upstream would make of it."""
    headers = exchange.headers
    if not _VERSION_KEYS.isdisjoint(headers):
        given = ((name, headers.get(name.encode())) for name in _VERSIONS)
        version({name: value.decode("latin-1") for name, value in given if value is not None})
