"""The steps of a request between its arrival and its first call, each a function; their order.

A step does its part in the story and returns ``None``, or returns something to wait for, after
which the next step can begin. It raises ``Fault`` when the request cannot go on. The order stands
here once: ``pipeline/handle.py`` takes the steps of many requests in one turn of the loop, and goes
on in a task with one that must wait, from the step that it has come to.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import msgspec

from trivium.faults import Fault
from trivium.pipeline import (
    drawing,
    entrance,
    fallbacks,
    hedging,
    media,
    memory,
    referring,
    sticky,
    wishing,
)
from trivium.pipeline.context import Exchange
from trivium.pipeline.story import Story
from trivium.routing.model import Plan
from trivium.routing.wishes import too_dear, wished
from trivium.uploads.form import Upload
from trivium.wire import bulk, peek
from trivium.wire.end_user import NAMES, end_user
from trivium.wire.messages.version import version
from trivium.wire.operation import IMAGE_OPERATIONS, SHAPE, TOKEN_COUNTS, Operation, Shape
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

Waiting: TypeAlias = Awaitable[None] | None
"""What must have happened before the next step; ``None``: nothing."""

_MESSAGES: Final = Shape.MESSAGES  # HOT: an Enum takes 45 ns to give its member
_RESPONSES: Final = Operation.RESPONSES
_VERSIONS: Final = ("anthropic-version", "vendor-version")
_VERSION_KEYS: Final = frozenset(name.encode() for name in _VERSIONS)


def receive(story: Story) -> Waiting:
    """Find the request's members, and take out of them what the caller wishes of its route."""
    exchange = story.exchange
    if exchange.upload is not None:
        return _receive_form(story, exchange.upload)
    story.members = wishing.taken(story, peek.members(exchange.body))
    return None


async def _receive_form(story: Story, upload: Upload) -> None:
    story.members = wishing.taken(story, await media.received(story, upload))


def read(story: Story) -> Waiting:
    """Read what the request says of itself, checked against the specification."""
    members = story.members
    assert members is not None
    read_facts(story, members)
    return None


def read_facts(story: Story, members: Members) -> Facts:
    """The facts of a request with these members, which the story keeps. Raises ``Fault``."""
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
    story.members = members
    if not NAMES.isdisjoint(members.table):  # HOT: most name nobody
        story.end_user = end_user(members.table)
    return facts


def recall(story: Story) -> Waiting:
    """Look up what a responses request refers to."""
    if story.operation is not _RESPONSES:
        return None
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
    facts = referring.weighed(story, facts)
    found = story.services.ledger.quote(caller, model, story.operation, facts, story.size_bytes)
    if story.wishes is not None and (dear := too_dear(story.wishes, found.amount_nanos)):
        raise dear
    story.quote = fallbacks.covering(story, facts, found) if model.fallbacks else found
    return None


def admit(story: Story) -> Waiting:
    """Let it in, if its limits and budgets have room; only the shared state may know that."""
    facts, found = story.facts, story.quote
    assert facts is not None
    assert found is not None
    return None if entrance.admit(story, facts, found) else entrance.ask(story, facts, found)


def hold(story: Story) -> Waiting:
    """Hold the worst case against the account; counts of tokens are free of charge."""
    if story.operation in TOKEN_COUNTS:
        return None
    caller, found = story.exchange.caller, story.quote
    assert caller is not None
    assert found is not None
    ledger = story.services.ledger
    story.hold = ledger.hold(story.exchange.request_id, caller, found)
    return None if story.hold is not None else _lease(story)


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
        found = possible(story)
        if sticky.carries(story, found):
            return _recall_maker(story, found)
        story.plan = fitted(story, found)
    except Fault as fault:
        story.plan_fault = fault
    return None


async def _recall_maker(story: Story, found: Plan) -> None:
    try:
        story.plan = fitted(story, await sticky.recall(story, found))
    except Fault as fault:
        story.plan_fault = fault


def possible(story: Story) -> Plan:
    """The channels that could answer, in order. Raises ``Fault`` when there is none."""
    assert story.model is not None
    found = story.services.router.plan(story.model, story.operation, story.cache_key)
    return found if story.recollection is None else memory.narrowed(found, story)


def fitted(story: Story, found: Plan) -> Plan:
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
    """The channels of the story's model as things stand, in order. Raises ``Fault``: none can."""
    found = possible(story)
    if sticky.carries(story, found):
        found = await sticky.recall(story, found)
    return fitted(story, found)


STEPS: Final[tuple[Callable[[Story], Waiting], ...]] = (
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
HOLD: Final = STEPS.index(hold)
"""The step whose note must be on disk before the next."""


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
