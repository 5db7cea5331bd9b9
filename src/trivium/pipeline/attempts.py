"""The attempts of one request, one after another: carries out what ``routing/tries.py`` decides."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from trivium.faults import Fault, Kind
from trivium.pipeline.story import Story
from trivium.routing.health import Key
from trivium.routing.model import Model, Plan, Step
from trivium.routing.tries import Failure, Next, Tries
from trivium.wire.operation import COUNTING

Attempt: TypeAlias = Callable[[Step, int], Awaitable[None]]
"""(step, which of its channel's credentials): returns when the caller has its answer; raises
``Fault`` when it has nothing of one."""
Told: TypeAlias = Callable[[Fault], None]
"""Hears of each failed attempt that is not the last."""
Planned: TypeAlias = Callable[[], Awaitable[Plan]]
"""The plan of the story's model. Raises ``Fault`` when there is none."""


async def run(story: Story, planned: Planned, attempt: Attempt, told: Told) -> None:
    """Answer the caller, or raise the last ``Fault``. Once an answer has begun, none is tried."""
    services = story.services
    tries = Tries(services.budget, story.exchange.arrived)
    last: Fault | None = None
    for model in (story.model, *story.stand_ins):
        assert model is not None
        if last is not None:
            if tries.spent(services.time()):
                break
            told(last)
            story.serve(model)
        try:
            plan = await planned()
        except Fault as fault:
            if last is None:
                last = fault
            if fault.kind is not Kind.NO_ROUTE:
                break
            continue
        last = await _Run(story, tries, attempt, told).through(plan)
        if last is None:
            return
        if not last.row.fallback or last.retry is not last.row.retry:
            break
    assert last is not None
    raise last


def fallbacks(story: Story) -> list[Model]:
    """The models that may answer in place of the one asked for, as far as the key may use them."""
    model, caller = story.model, story.exchange.caller
    if model is None or not model.fallbacks or caller is None or story.operation in COUNTING:
        return []
    router = story.services.router
    return [router.find(name) for name in model.fallbacks if caller.may_use(name)]


class _Run:
    """The attempts at one model."""

    def __init__(self, story: Story, tries: Tries, attempt: Attempt, told: Told) -> None:
        self._story = story
        self._tries = tries
        self._attempt = attempt
        self._told = told
        self._used: dict[str, frozenset[int]] = {}
        """Credentials tried, by channel."""

    async def through(self, plan: Plan) -> Fault | None:
        """Try until one answers (``None``) or nothing is left."""
        time = self._story.services.time
        self._tries.plan(plan.steps)
        coming = self._tries.first(time())
        assert coming is not None
        while True:
            failure = await self._one(coming)
            if failure is None:
                return None
            fault, step = failure.fault, coming.step
            if self._story.first_byte_at is not None:
                return fault
            # HOT: never; chance is asked only when something has failed
            after = self._tries.after(step, failure, time(), random.random())  # noqa: S311 - jitter
            if after is None:
                if fault.row.fallback and self._tries.slow(failure):
                    # the vendor may still be at it: whoever asks again pays for it twice
                    fault.retry = False
                return fault
            self._told(fault)
            coming = after

    async def _one(self, coming: Next) -> Failure | None:
        """One attempt, and what it says of the upstream's health."""
        if coming.wait_s:
            await asyncio.sleep(coming.wait_s)
        story, step = self._story, coming.step
        services = story.services
        health, time = services.health, services.time
        channel, model = step.binding.channel, step.binding.model
        used = self._used.get(channel.name, frozenset())
        credential = health.credential(channel, model, used)
        used = self._used[channel.name] = used | {credential}
        key = Key(channel.name, credential, model)
        story.key = key
        began = time()
        health.claim(key)
        try:
            await self._attempt(step, credential)
        except Fault as fault:
            if story.operation in COUNTING:
                health.left(key)  # a vendor that cannot count may answer all the same
            else:
                health.failed(key, fault)
            story.failures.append((channel.name, fault.kind.value))
            others = len(channel.credentials) > 1 and health.others(channel, model, used)
            return Failure(fault=fault, took_s=time() - began, sent=story.called, others=others)
        except BaseException:
            health.left(key)
            raise
        if story.fault is not None:
            health.failed(key, story.fault)
        else:
            health.succeeded(key)
        if story.first_byte_at is not None:
            services.latency.add(channel.name, model, story.first_byte_at - began)
        return None
