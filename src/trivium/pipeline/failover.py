"""The attempts of one request, one after another: carries out what ``routing/retry_budget.py``
decides.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from trivium.faults import Blame, Fault
from trivium.pipeline import fallbacks, request_admission
from trivium.pipeline.race import Race
from trivium.pipeline.request_context import RequestContext
from trivium.routing.candidates import Failure, Next
from trivium.routing.channel_health import RESTING, HealthKey
from trivium.routing.model import Plan, Step, Strategy
from trivium.routing.retry_budget import AttemptSequence
from trivium.wire.operation import TOKEN_COUNTS

Attempt: TypeAlias = Callable[[Step, int], Awaitable[None]]
"""(step, which of its channel's credentials): returns when the caller has its answer; raises
``Fault`` when it has nothing of one."""
Told: TypeAlias = Callable[[Fault], None]
"""Hears of each failed attempt that is not the last."""
Used: TypeAlias = dict[str, frozenset[int]]
"""Credentials that a request has tried, by channel."""
Planned: TypeAlias = Callable[[], Awaitable[Plan]]
"""The plan of the request's model. Raises ``Fault`` when there is none."""


async def run(
    context: RequestContext,
    planned: Planned,
    attempt: Attempt,
    told: Told,
    began: float | None = None,
) -> None:
    """Answer the caller, or raise the last ``Fault``. Once an answer has begun, none is tried.

    ``began``: when the first attempt was begun, where it is under way; ``attempt`` tells its end.
    """
    plan: Plan | None = None
    try:
        plan = await planned()
    except Fault as fault:
        if not context.stand_ins or fault.kind not in RESTING:
            raise
        last = fault
    used: Used = {}
    failure = None
    if context.affinity is not None:
        context.race = None  # it carries state that one channel alone can read
    if plan is not None and context.race is None:
        # what follows a failure is thought of when there is one
        failure = await _one(context, Next(plan.steps[0]), attempt, used, began)
        if failure is None:
            return
        last = failure.fault
    tries = AttemptSequence(context.services.budget, context.exchange.arrived)
    if plan is not None:
        step = plan.steps[0]
        tries.plan(plan.steps)
        tries.first(context.services.time())
        going = _Run(context, tries, attempt, told, used)
        if failure is None:
            step, failure = await going.raced(step)
        found = None if failure is None else await going.after(step, failure)
        if found is None:
            return
        last = found
    await _stand_in(context, planned, _Run(context, tries, attempt, told, {}), last)


async def _stand_in(context: RequestContext, planned: Planned, going: "_Run", last: Fault) -> None:
    """Go on with the models that may answer instead, or raise the last ``Fault``."""
    facts = context.facts
    assert facts is not None
    for model in context.stand_ins:
        if not _may_go_on(context, last) or going.tries.spent(context.services.time()):
            break
        try:
            entered = request_admission.enter(context, model, facts)
            if entered is None:
                entered = await request_admission.ask_enter(context, model, facts)
        except Fault:
            continue  # at a limit of its own: the caller is told what became of what it asked for
        try:
            going.told(last)
            fallbacks.serve(context, model)
            found: Fault | None
            try:
                plan = await planned()
            except Fault:
                found = last
            else:
                found = await going.through(plan)
        finally:
            entered.leave(request_admission.used(context))
        if found is None:
            return
        if found.row.blame is not Blame.CALLER:
            last = found  # else: what this one does not take, the model that was asked for may
    raise last


def _may_go_on(context: RequestContext, last: Fault) -> bool:
    """Whether another model may do better: not where the request is at fault, or was slow."""
    if context.first_byte_at is not None or last.retry is not last.row.retry:
        return False
    return last.row.fallback or last.kind in RESTING


class _Run:
    """The attempts at one model after another."""

    def __init__(
        self,
        context: RequestContext,
        tries: AttemptSequence,
        attempt: Attempt,
        told: Told,
        used: Used,
    ) -> None:
        self._context = context
        self.tries = tries
        self._attempt = attempt
        self.told = told
        self._used = used

    async def through(self, plan: Plan) -> Fault | None:
        """Try until one answers (``None``) or nothing is left."""
        self.tries.plan(plan.steps)
        first = self.tries.first(self._context.services.time())
        assert first is not None
        failure = await _one(self._context, first, self._attempt, self._used)
        return None if failure is None else await self.after(first.step, failure)

    async def raced(self, step: Step) -> tuple[Step, Failure | None]:
        """The first attempt, and beside it another channel's if it is slow to begin.

        The step whose failure came last, and the failure; ``None``: the caller has its answer.
        """
        context = self._context
        race = context.race
        assert race is not None
        steps: dict[asyncio.Task[Failure | None], Step] = {}
        raised: BaseException | None = None
        try:
            step, failure = await self._outrun(step, race, steps)
        except BaseException as error:  # noqa: BLE001 - raised below, once the others have ended
            raised, failure = error, None
        # not in a ``finally``: compiled code must not await while an exception is on its way
        context.race = None
        for task in steps:
            task.cancel()
        await asyncio.gather(*steps, return_exceptions=True)
        if raised is not None:
            raise raised
        return step, failure

    async def _outrun(
        self, step: Step, race: Race, steps: dict["asyncio.Task[Failure | None]", Step]
    ) -> tuple[Step, Failure | None]:
        """As ``raced``. ``steps``: for the tasks that were begun, which may still run."""

        def begin(step: Step) -> None:
            coming = _one(self._context, Next(step), self._attempt, self._used)
            steps[asyncio.get_running_loop().create_task(coming)] = step

        begin(step)
        done, running = await asyncio.wait(steps, timeout=race.after_s)
        if not done and race.winner is None:
            other = self.tries.beside(step, self._context.services.time())
            if other is not None:
                begin(other)
        failure: Failure | None = None
        running = set(steps)
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if task.cancelled():
                    continue  # it was outrun
                failure, step = task.result(), steps[task]
                if failure is None:
                    return step, None
                if running and race.winner is None:
                    self.told(failure.fault)
        return step, failure

    async def after(self, step: Step, failure: Failure) -> Fault | None:
        """Go on after a failed attempt at a step."""
        time = self._context.services.time
        while True:
            fault = failure.fault
            if self._context.first_byte_at is not None:
                return fault
            coming = self.tries.after(step, failure, time(), random.random())  # noqa: S311 - jitter
            if coming is None:
                if fault.row.fallback and self.tries.slow(failure):
                    # the vendor may still be at it: whoever asks again pays for it twice
                    fault.retry = False
                return fault
            self.told(fault)
            step = coming.step
            failed = await _one(self._context, coming, self._attempt, self._used)
            if failed is None:
                return None
            failure = failed


async def _one(
    context: RequestContext, coming: Next, attempt: Attempt, used: Used, began: float | None = None
) -> Failure | None:
    """One attempt, and what it says of the upstream's health."""
    if coming.wait_s:
        await asyncio.sleep(coming.wait_s)
    services, step = context.services, coming.step
    health = services.health
    channel, model = step.binding.channel, step.binding.model
    credential = 0
    if began is None:
        if len(channel.credentials) > 1:
            tried = used.get(channel.name, frozenset())
            credential = health.credential(channel, model, tried)
            used[channel.name] = tried | {credential}
        context.key = HealthKey(channel.name, credential, model)
        if context.race is not None:
            context.race.enter(context.key)
        began = services.time()
        health.claim(context.key)
    by_latency = context.model is not None and context.model.strategy is Strategy.LATENCY
    if by_latency:
        services.latency.begin(channel.name, model)
    key = context.key
    assert key is not None
    try:
        await attempt(step, credential)
    except Fault as fault:
        if context.operation in TOKEN_COUNTS:
            health.left(key)  # a vendor that cannot count may answer all the same
        else:
            health.failed(key, fault)
        context.failures.append((channel.name, fault.kind.value))
        others = channel.name in used and health.others(channel, model, used[channel.name])
        took_s = services.time() - began
        fault.forget()  # its frames have the request and the fault itself: a circle
        return Failure(fault=fault, took_s=took_s, sent=context.called, others=others)
    except BaseException:
        health.left(key)
        raise
    health.answered(key, context.fault)
    begun = context.first_byte_at
    if begun is not None and by_latency:
        services.latency.add(channel.name, model, begun - began)
    return None
