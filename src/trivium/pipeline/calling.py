"""One channel called: what it is sent, and staying until the caller has its answer."""

import asyncio
import functools
from collections.abc import Awaitable
from typing import Any, Final

from trivium.admission.service import OPEN, Pass
from trivium.faults import Fault
from trivium.pipeline import drawing, entrance, fetching, leaving, media, memory, pacing, sticky
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.context import Exchange, Headers
from trivium.pipeline.drawing import Pictures
from trivium.pipeline.lane import Lane, PassThrough
from trivium.pipeline.outlasting import outlast
from trivium.pipeline.picture import PictureAttempt
from trivium.pipeline.story import Story
from trivium.providers.base import Provider
from trivium.routing.model import Step
from trivium.upstream.held import Held
from trivium.upstream.request import Request
from trivium.wire import bulk
from trivium.wire.operation import AUDIO, DRAWING, SHAPE, Operation, Shape
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

_ALIASES: Final = {
    b"anthropic-version": b"vendor-version",
    b"anthropic-user-profile-id": b"vendor-user-profile-id",
}
"""The specification's neutral header names, accepted beside the vendor's own, which win."""


async def call(story: Story, members: Members, facts: Facts, step: Step, credential: int) -> None:
    """Call one channel and stay until the caller has its answer. Raises ``Fault``."""
    services = story.services
    binding = step.binding
    story.attempts += 1
    story.step = step
    story.begin()
    if services.foreign is not None:
        await fetching.bring(story, step, members, facts)
    if story.operation in DRAWING:
        await drawing.bring(story, step, members)
    paced = len(story.body) > bulk.PACED_BYTES and translates(story, step, facts)
    if paced:
        await pacing.prepare(story, step, members, facts)
    lane = memory.remembering(story, step, lane_for(story, step, members, facts))
    if paced:
        await pacing.breath()
    request = composed(story, step, lane, lane.body, facts, credential)
    kind = PictureAttempt if isinstance(lane, Pictures) else Attempt
    if story.operation in AUDIO:
        kind = media.attempts()
    attempt = kind(story, step, lane, facts)
    outcome = attempt.wait()
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
        story.exchange.flow = attempt
        attempt.attach(
            services.client.open_now(request, attempt)
            or await services.client.open(request, attempt)
        )
        del request  # the client lets go of its bytes when an answer comes
        await _outcome(story, attempt, outcome)
        while attempt.going_on is not None:
            await again(story, attempt, credential)
    finally:
        left(story, attempt)
        entered.leave(entrance.used(story))
        if queued:
            services.gate.leave(binding.channel)


async def again(story: Story, attempt: Attempt, credential: int) -> None:
    """Have the same channel go on with an answer that was not whole."""
    body, facts = attempt.going_on, attempt.facts
    request = composed(story, attempt.step, attempt.lane, body, facts, credential)
    attempt.again()
    outcome = attempt.wait()
    try:
        attempt.attach(await story.services.client.open(request, attempt))
    except Fault as fault:
        attempt.broke(fault)
    await _outcome(story, attempt, outcome)


def left(story: Story, attempt: Attempt) -> None:
    """An attempt is over, however it ended."""
    if story.exchange.flow is attempt:
        story.exchange.flow = None
    attempt.tell()
    attempt.release()


def _outcome(story: Story, attempt: Attempt, outcome: asyncio.Future[None]) -> Awaitable[None]:
    if attempt.facts.stream:
        return leaving.stay(story, attempt, outcome)
    return outlast(story, outcome) if story.services.finishes else outcome


def composed(
    story: Story, step: Step, lane: Lane, body: Any, facts: Facts, credential: int
) -> Request:
    """What one channel is sent."""
    binding = step.binding
    if isinstance(body, bytes) and len(body) > bulk.LARGE_BYTES:
        body = Held(body)
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
    if translates(story, step, facts):
        lane: Lane = services.translator.lane(story, step, members, facts)
        story.report = lane.report
        return lane
    passage = services.passages[step.operation]
    asked, body = memory.asked(story, members)
    return sticky.tracing(story, step, passage, asked, facts, body, services.clock.now())


def translates(story: Story, step: Step, facts: Facts) -> bool:
    """Whether a channel gets a request that was made anew from what the caller's says."""
    return SHAPE[step.operation] is not SHAPE[story.operation] or (
        facts.foreign or memory.spelled(story) or not sticky.passes(story, step)
    )


@functools.lru_cache(maxsize=1024)
def _forwards(names: frozenset[str]) -> tuple[frozenset[bytes], tuple[tuple[bytes, bytes], ...]]:
    """Header names a provider takes, each with its alias or itself again; all of them before that.
    Once a provider.
    """
    keys = sorted(name.encode() for name in names)
    pairs = tuple((key, _ALIASES.get(key, key)) for key in keys)
    return frozenset(name for pair in pairs for name in pair), pairs


def _forwarded(exchange: Exchange, provider: Provider) -> Headers:
    """The caller's headers that travel to this provider."""
    out: Headers = []
    headers = exchange.headers
    names, pairs = _forwards(provider.forwards)
    if names.isdisjoint(headers):
        return out  # HOT: most callers send none
    for name, alias in pairs:
        if name in headers:
            out += [(name, value) for value in exchange.values(name)]
        elif alias in headers:
            out += [(name, value) for value in exchange.values(alias)]
    return out
