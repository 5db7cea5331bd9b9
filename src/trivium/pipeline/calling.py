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
from trivium.pipeline.outcome import Outcome
from trivium.pipeline.outlasting import outlast
from trivium.pipeline.picture import PictureAttempt
from trivium.pipeline.story import Story
from trivium.routing.model import Step, Strategy
from trivium.upstream.held import Held
from trivium.upstream.request import Request
from trivium.wire import bulk
from trivium.wire.operation import (
    AUDIO_OPERATIONS,
    IMAGE_OPERATIONS,
    SHAPE,
    TALKS,
    TOKEN_COUNTS,
    Shape,
)
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

_ASIDE: Final = AUDIO_OPERATIONS | TOKEN_COUNTS | IMAGE_OPERATIONS
"""Operations whose attempts are made in ways of their own."""
_MEDIA: Final = AUDIO_OPERATIONS | IMAGE_OPERATIONS
"""Operations for which a conversation that stands in is never asked for a stream,
whatever is made of its answer."""
_LATENCY: Final = Strategy.LATENCY

_ALIASES: Final = {
    b"anthropic-version": b"vendor-version",
    b"anthropic-user-profile-id": b"vendor-user-profile-id",
}
"""The specification's neutral header names, accepted beside the vendor's own, which win."""


def must_wait(story: Story) -> bool:
    """Whether the first attempt may have to wait before it is sent, or is not made alone.

    Also where there is no plan: other models are thought of in a task.
    """
    plan, model, facts = story.plan, story.model, story.facts
    if plan is None or model is None or facts is None or story.operation in _ASIDE:
        return True
    services = story.services
    if model.hedge_s or model.strategy is _LATENCY or (services.finishes and not facts.stream):
        return True
    step = plan.steps[0]
    channel = step.binding.channel
    if channel.rates is not None or channel.queue_max > 0 or len(channel.credentials) > 1:
        return True
    is_other = step.operation is not story.operation
    if is_other and services.foreign is not None:
        return True  # files may have to be fetched
    return (is_other or facts.foreign) and len(story.body) > bulk.PACED_BYTES


def make_lane(story: Story, step: Step) -> Lane:
    """What one attempt sends and what becomes of its answer. Raises ``Fault`` naming a member that
    the channel cannot be sent.

    The caller's own shape passes; any other, and a recalled history, is translated.
    """
    services, operation = story.services, story.operation
    members, facts = story.members, story.facts
    assert members is not None
    assert facts is not None
    story.report = None
    story.cut = False
    lane: Lane
    if operation in _MEDIA:
        return media_lane(story, step, members, facts)
    if translates(story, step, facts):
        lane = services.translator.lane(story, step, members, facts)
        story.report = lane.report
    else:
        if story.recollection is not None:
            members = story.recollection.asked
        passage, now = services.passages[step.operation], services.clock.now()
        if story.shared and step.operation in TALKS and services.traces is not None:
            lane = sticky.tracing(story, step, passage, members, facts, now)
        else:
            lane = PassThrough(step, passage, members, facts, story.body, now)
    return lane


def media_lane(story: Story, step: Step, members: Members, facts: Facts) -> Lane:
    """The same for sounds and pictures. Raises ``Fault``."""
    if story.operation in AUDIO_OPERATIONS:
        return media.lane_for(story, step, members, facts)
    pictures = drawing.lane_for(story, step, members, facts)
    story.report = pictures.report
    return pictures


def make_attempt(
    story: Story, step: Step, lane: Lane, credential: int, outcome: Outcome | None = None
) -> tuple[Attempt, Request]:
    """An attempt at one channel, and the request that it sends.

    ``outcome``: told what the attempt comes to in the place of a future.
    """
    facts = story.facts
    assert facts is not None
    if story.recollection is not None:
        lane = memory.remembering(story, step, lane)
    request = composed(story, step, lane, lane.body, facts, credential)
    if story.operation in AUDIO_OPERATIONS:
        return media.attempts()(story, step, lane, facts), request
    if isinstance(lane, Pictures):
        return PictureAttempt(story, step, lane, facts), request
    return Attempt(story, step, lane, facts, outcome), request


async def call(story: Story, step: Step, credential: int) -> None:
    """Call one channel and stay until the caller has its answer. Raises ``Fault``."""
    services, channel = story.services, step.binding.channel
    story.begin_attempt(step)
    lane = await _prepared_lane(story, step)
    attempt, request = make_attempt(story, step, lane, credential)
    outcome = attempt.wait()
    if story.race is not None:
        story.race.call(attempt)
    queued = channel.queue_max > 0
    if queued:
        await services.gate.enter(channel)
    entered: Pass = OPEN
    try:
        if channel.rates is not None:
            entered = entrance.enter(story, channel, attempt.facts) or await entrance.ask_enter(
                story, channel, attempt.facts
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
        if entered is not OPEN:
            entered.leave(entrance.used(story))
        if queued:
            services.gate.leave(channel)


async def _prepared_lane(story: Story, step: Step) -> Lane:
    """As ``make_lane``, of what had to be brought first; large requests step by step."""
    members, facts = story.members, story.facts
    assert members is not None
    assert facts is not None
    if story.services.foreign is not None:
        await fetching.bring(story, step, members, facts)
    if story.operation in IMAGE_OPERATIONS:
        await drawing.bring(story, step, members)
    if len(story.body) <= bulk.PACED_BYTES or not translates(story, step, facts):
        return make_lane(story, step)
    await pacing.prepare(story, step, members, facts)
    lane = make_lane(story, step)
    await pacing.breath()
    return lane


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
    if not story.settled:
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
    exchange = story.exchange
    names, pairs = _forwards(binding.channel.provider.forwards)
    return story.services.composer.compose(
        binding.channel,
        credential,
        lane.operation,
        binding.model,
        body,
        forwarded=() if names.isdisjoint(exchange.headers) else _forwarded(exchange, pairs),
        stream=facts.stream
        and (lane.operation is story.operation or story.operation not in _MEDIA),
        array=facts.array
        and SHAPE[lane.operation] is Shape.GENERATE
        and isinstance(lane, PassThrough),
        limits=binding.limits,
    )


def translates(story: Story, step: Step, facts: Facts) -> bool:
    """Whether a channel gets a request that was made anew from what the caller's says."""
    recollection, recalled = story.recollection, story.recalled
    return (
        SHAPE[step.operation] is not SHAPE[story.operation]
        or facts.foreign
        # a history that we kept has our ids, and is rewritten even for an upstream of its shape
        or (recollection is not None and recollection.spelled)
        or (recalled is not None and not sticky.passes(recalled, step))
    )


@functools.lru_cache(maxsize=1024)
def _forwards(names: frozenset[str]) -> tuple[frozenset[bytes], tuple[tuple[bytes, bytes], ...]]:
    """Header names a provider takes, each with its alias or itself again; all of them before that.
    Once a provider.
    """
    keys = sorted(name.encode() for name in names)
    pairs = tuple((key, _ALIASES.get(key, key)) for key in keys)
    return frozenset(name for pair in pairs for name in pair), pairs


def _forwarded(exchange: Exchange, pairs: tuple[tuple[bytes, bytes], ...]) -> Headers:
    """The caller's headers that travel to a provider."""
    out: Headers = []
    headers = exchange.headers
    for name, alias in pairs:
        if name in headers:
            out += [(name, value) for value in exchange.values(name)]
        elif alias in headers:
            out += [(name, value) for value in exchange.values(alias)]
    return out
