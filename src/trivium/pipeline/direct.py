"""Requests that have nothing to wait for but their answer: served without a task of their own.

That is nearly all of them: admitted, held for, planned and written together with those that came in
the same turn of the loop, settled and recorded with those whose answers did. The steps are those of
``handle.py``. What has to wait for something, and what is to be refused, is left to it, and nothing
has been done then that it would have to know of. What goes wrong once the request is written, it is
told as the end of the first attempt.

HOT: once a request.
"""

import asyncio
import functools
from collections.abc import Sequence
from typing import Final

import structlog

from trivium.admission.service import OPEN
from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.ledger.model import Quote
from trivium.pipeline import (
    attempts,
    calling,
    entrance,
    fallbacks,
    handle,
    leaving,
    memory,
    referring,
    sticky,
    wishing,
)
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.context import Exchange, Running, Services
from trivium.pipeline.lane import Lane
from trivium.pipeline.outcome import Outcome
from trivium.pipeline.route import Route
from trivium.pipeline.story import Story
from trivium.pipeline.telling import tell
from trivium.routing import wishes
from trivium.routing.condition import Key
from trivium.routing.model import Channel, Model, Plan, Step, Strategy
from trivium.upstream.request import Request
from trivium.wire import bulk, peek
from trivium.wire.operation import AUDIO, COUNTING, DRAWING, Operation
from trivium.wire.passage import Facts

log = structlog.get_logger()

_ASIDE: Final = AUDIO | COUNTING | DRAWING
"""Operations that are not served so."""
_RESPONSES: Final = Operation.RESPONSES  # HOT: an Enum takes 45 ns to give its member
_LATENCY: Final = Strategy.LATENCY


def serve(
    asked: Sequence[tuple[Exchange, Route]], services: Services
) -> list[tuple[Exchange, Route]]:
    """Serve those requests that have nothing to wait for; the others, with which nothing was done.

    Their holds are noted together.
    """
    ledger = services.ledger
    held: list[Direct] = []
    left: list[tuple[Exchange, Route]] = []
    if len(asked) > 1:
        ledger.gather()
    try:
        for exchange, route in asked:
            direct = _found(exchange, route, services)
            if direct is None:
                left.append((exchange, route))
            else:
                held.append(direct)
    finally:
        lost = ledger.flush()
    for direct in held:
        if lost and direct.request_id in lost:
            left.append(direct.undo())
            continue
        try:
            direct.go()
        except Exception as error:  # noqa: BLE001 - the hold must not be left behind
            direct.set_exception(error)
    return left


def _found(exchange: Exchange, route: Route, services: Services) -> "Direct | None":
    try:
        return _held(exchange, route, services)
    except Fault:
        return None  # the long way meets it again, and says it
    except Exception:
        log.exception("direct_failed", request_id=exchange.request_id)
        return None


def _held(exchange: Exchange, route: Route, services: Services) -> "Direct | None":
    """The call to make, held for. Raises ``Fault``, and then nothing is held."""
    caller = exchange.caller
    assert caller is not None
    if (
        route.operation in _ASIDE
        or not wishes.HEADERS.isdisjoint(exchange.headers)
        or len(exchange.body) > bulk.LARGE_BYTES  # read once, and step by step
    ):
        return None
    story = Story(exchange, route.operation, services)
    direct = _made(story, route)
    if direct is None:
        return None
    given = OPEN
    if _is_limited(caller, story.model):
        if services.admission.asks:
            return None
        found = entrance.taken(story, direct.attempt.facts, direct.quote)
        if found is None:
            return None
        given = found
    try:
        story.hold = services.ledger.hold(exchange.request_id, caller, direct.quote)
    finally:
        if story.hold is None:
            given.undo()
    if story.hold is None:
        return None
    if given is not OPEN:
        entrance.let_in(story, given)
    binding = direct.attempt.step.binding
    story.key = Key(binding.channel.name, 0, binding.model)
    services.health.claim(story.key)  # before the next is planned: a channel is probed by one
    return direct


def _is_limited(caller: Caller, model: Model | None) -> bool:
    """Whether anything limits how much a caller asks of a model."""
    return (
        caller.limits is not None
        or caller.user_limits is not None
        or bool(caller.budgets)
        or (model is not None and model.rates is not None)
    )


def _made(story: Story, route: Route) -> "Direct | None":
    """The call to make, of which nothing is done yet. Raises ``Fault``."""
    exchange, services = story.exchange, story.services
    members = peek.members(exchange.body)
    if members.has_any(wishing.WISHES):
        if wishes.MEMBER in members:
            return None
        wishing.taken(story, members)
    facts = handle.read(story, route, members)
    if story.operation is _RESPONSES and not memory.recollected(story, members):
        return None
    caller = exchange.caller
    assert caller is not None
    services.admission.permit(caller, facts.model)
    story.model = model = services.router.find(facts.model)
    if _waits(model) or (services.finishes and not facts.stream):
        return None
    facts = referring.weighed(story, facts)
    quote = services.ledger.quote(caller, model, story.operation, facts, story.size_bytes)
    if model.fallbacks:
        quote = fallbacks.covering(story, facts, quote)
    plan = services.router.plan(model, story.operation, story.cache_key)
    if story.recollection is not None:
        plan = memory.narrowed(plan, story)
    if sticky.carries(story, plan):
        return None
    plan = services.health.fit(plan)
    step = plan.steps[0]
    if _may_wait(step.binding.channel) or _takes_turns(story, step, facts):
        return None
    story.skipped = plan.skipped
    lane: Lane
    if step.operation is story.operation and story.recollection is None and not facts.foreign:
        passage, now = services.passages[story.operation], services.clock.now()
        lane = sticky.tracing(story, step, passage, members, facts, exchange.body, now)
    else:
        lane = memory.remembering(story, step, calling.lane_for(story, step, members, facts))
    request = calling.composed(story, step, lane, lane.body, facts, 0)
    direct = Direct(story, route, plan, request)
    direct.quote = quote
    direct.attempt = Attempt(story, step, lane, facts, direct)
    return direct


def _waits(model: Model) -> bool:
    """Whether requests for a model may have to wait, or are tried in another way."""
    return bool(model.hedge_s) or model.strategy is _LATENCY


def _may_wait(channel: Channel) -> bool:
    """Whether calls to a channel may have to, or take turns among its credentials."""
    return channel.rates is not None or channel.queue_max > 0 or len(channel.credentials) > 1


def _takes_turns(story: Story, step: Step, facts: Facts) -> bool:
    """Whether a translation may have to fetch files, or takes more than one turn of the loop."""
    is_other = step.operation is not story.operation
    if is_other and story.services.foreign is not None:
        return True
    return (is_other or facts.foreign) and len(story.body) > bulk.PACED_BYTES


class Direct(Running, Outcome):
    """A request that is being served: its attempt's outcome, and in the place of a task."""

    __deletable__ = ("attempt",)
    __slots__ = (
        "_began", "_has_task_begun", "_is_cancelled", "_is_done", "_plan", "_request", "_route",
        "_story",
        "_task", "_why", "attempt", "quote",
    )  # fmt: skip

    attempt: Attempt
    quote: Quote

    def __init__(self, story: Story, route: Route, plan: Plan, request: Request) -> None:
        """``attempt`` and ``quote`` are set by the maker."""
        self._story = story
        self._route = route
        self._plan: Plan | None = plan
        self._request: Request | None = request
        self._began = 0.0
        self._why: BaseException | None = None
        """How the first attempt ended, if not well."""
        self._task: asyncio.Task[None] | None = None
        """Goes on where there is something to wait for after all."""
        self._has_task_begun = self._is_cancelled = self._is_done = False

    @property
    def request_id(self) -> str:
        """Whose hold it is."""
        return self._story.exchange.request_id

    def undo(self) -> tuple[Exchange, Route]:
        """Give back what was held, as that could not be noted; what was asked."""
        story = self._story
        assert story.hold is not None
        assert story.key is not None
        story.services.health.left(story.key)
        story.services.ledger.settle(story.hold, None)
        story.given.undo()
        del self.attempt  # which holds this object in turn
        return story.exchange, self._route

    def go(self) -> None:
        """Write the request, or have a connection made for it."""
        story, attempt = self._story, self.attempt
        exchange, services, step = story.exchange, story.services, attempt.step
        story.attempts = 1
        story.step = step
        exchange.task = self
        exchange.flow = attempt
        if attempt.facts.stream and services.pulse is not None:
            services.pulse.watch(story)
        self._began = services.time()
        request = self._request
        assert request is not None
        call = services.client.open_now(request, attempt)
        if call is None:
            self._go_on()
        else:
            self._request = None  # the client lets go of its bytes when an answer comes
            attempt.attach(call)

    # --- the attempt's outcome ------------------------------------------------------------------

    def done(self) -> bool:
        """Whether it is known, or is awaited no longer."""
        return self._is_done

    def set_result(self, result: None) -> None:
        """The caller has its answer, or one part of it."""
        del result
        self._is_done = True
        if self._is_cancelled or self.attempt.going_on is not None:
            self._go_on()
            return
        story, attempt = self._story, self.attempt
        # without this each request would leave two cycles to the collector
        del self.attempt
        story.exchange.task = None
        services = story.services
        calling.left(story, attempt)
        assert story.key is not None
        attempts.answered(story, story.key)
        if attempt.facts.stream and services.pulse is not None:
            services.pulse.forget(story)
        if story.given is not OPEN:
            story.given.leave(entrance.used(story), story.cost_nanos)
        story.record()

    def set_exception(self, error: Exception) -> None:
        """It has none."""
        self._is_done = True
        self._why = error
        self._go_on()

    # --- in the place of a task -----------------------------------------------------------------

    def cancel(self) -> None:
        """Have it cancelled in a later turn, as a task is; harmless after its end."""
        if self._has_task_begun:
            assert self._task is not None
            self._task.cancel()
        elif not self._is_cancelled:
            # a task that has not begun would end without a word, and with it the hold
            self._is_cancelled = True
            if self._task is None:
                asyncio.get_running_loop().call_soon(self._call_off)

    def _call_off(self) -> None:
        if not self._is_done and self._task is None:
            self._is_done = True
            self._go_on()

    def _go_on(self) -> None:
        """In a later turn, and as a task: not from inside the connection that told of it."""
        story = self._story
        told = functools.partial(tell, story, "attempt_failed")
        run = attempts.run(story, self._planned, self._tried, told, self._began)
        self._task = asyncio.get_running_loop().create_task(handle.carry(story, run))

    async def _planned(self) -> Plan:
        plan, self._plan = self._plan, None
        return await handle.planned(self._story) if plan is None else plan

    async def _tried(self, step: Step, credential: int) -> None:
        """The end of the first attempt; any other."""
        story = self._story
        assert story.members is not None
        assert story.facts is not None
        if self._has_task_begun:
            await calling.call(story, story.members, story.facts, step, credential)
            return
        self._has_task_begun = True
        attempt, request, why = self.attempt, self._request, self._why
        self._request = self._why = None
        del self.attempt  # which holds this object in turn
        try:
            if self._is_cancelled:
                await leaving.counted(story, attempt)
                raise asyncio.CancelledError
            if why is not None:
                raise why
            if request is not None:
                outcome = attempt.wait()
                attempt.attach(await story.services.client.open(request, attempt))
                del request
                await leaving.stay(story, attempt, outcome)
            while attempt.going_on is not None:
                await calling.again(story, attempt, credential)
        finally:
            calling.left(story, attempt)
