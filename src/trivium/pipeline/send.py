"""One channel called: what it is sent, and staying until the caller has its answer."""

import asyncio
import functools
from collections.abc import Awaitable
from typing import Any, Final

from trivium.admission.service import OPEN, Permit
from trivium.faults import Fault
from trivium.pipeline import (
    affinity,
    client_disconnect,
    cooperative,
    fetch_inputs,
    images,
    media,
    request_admission,
    response_state,
)
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.image_attempt import ImageAttempt
from trivium.pipeline.images import ImagesLane
from trivium.pipeline.lane import Lane, PassThrough
from trivium.pipeline.outcome import EagerOutcome
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Headers
from trivium.routing.model import Step, Strategy
from trivium.upstream.held_body import HeldBody
from trivium.upstream.request import Request
from trivium.wire import json_size
from trivium.wire.operation import (
    AUDIO_OPERATIONS,
    IMAGE_OPERATIONS,
    SHAPE,
    TALKS,
    TOKEN_COUNTS,
    UPSTREAM_ONLY,
    Operation,
    Shape,
)
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

_ASIDE: Final = AUDIO_OPERATIONS | TOKEN_COUNTS | IMAGE_OPERATIONS
"""Operations whose attempts are made in ways of their own."""
_INVOKE_EMBED: Final = Operation.INVOKE_EMBED
_MEDIA: Final = AUDIO_OPERATIONS | IMAGE_OPERATIONS
"""Operations for which a conversation that stands in is never asked for a stream,
whatever is made of its answer."""
_LATENCY: Final = Strategy.LATENCY

_ALIASES: Final = {
    b"anthropic-version": b"vendor-version",
    b"anthropic-user-profile-id": b"vendor-user-profile-id",
}
"""The specification's neutral header names, accepted beside the vendor's own, which win."""


def must_wait(context: RequestContext) -> bool:
    """Whether the first attempt may have to wait before it is sent, or is not made alone.

    Also where there is no plan: other models are thought of in a task.
    """
    plan, model, facts = context.plan, context.model, context.facts
    if plan is None or model is None or facts is None or context.operation in _ASIDE:
        return True
    services = context.services
    if model.hedge_s or model.strategy is _LATENCY or (services.finishes and not facts.stream):
        return True
    step = plan.steps[0]
    channel = step.binding.channel
    if channel.rates is not None or channel.queue_max > 0 or len(channel.credentials) > 1:
        return True
    is_other = step.operation is not context.operation
    if is_other and services.url_fetcher is not None:
        return True  # files may have to be fetched
    return (is_other or facts.foreign) and len(context.body) > json_size.PACED_BYTES


def make_lane(context: RequestContext, step: Step) -> Lane:
    """What one attempt sends and what becomes of its answer. Raises ``Fault`` naming a member that
    the channel cannot be sent.

    The caller's own shape passes; any other, and a recalled history, is translated.
    """
    services, operation = context.services, context.operation
    members, facts = context.members, context.facts
    assert members is not None
    assert facts is not None
    context.report = None
    context.cut = False
    lane: Lane
    if operation in _MEDIA:
        return media_lane(context, step, members, facts)
    wrappings = step.binding.channel.provider.wrappings
    wrapping = wrappings.get(step.operation) if wrappings else None
    if translates(context, step, facts):
        lane = services.translator.lane(context, step, members, facts)
        context.report = lane.report
        if wrapping is not None:
            from trivium.pipeline.wrapped_lane import WrappedLane, hosting_of

            lane = WrappedLane(lane, wrapping, hosting_of(context.exchange), is_spliced=False)
    else:
        if context.recollection is not None:
            members = context.recollection.asked
        passage, now = services.passages[step.operation], services.clock.now()
        if wrapping is not None:
            from trivium.pipeline.wrapped_lane import WrappedLane, hosting_of, wrapping_passage

            hosting = hosting_of(context.exchange)
            passage = wrapping_passage(passage, wrapping, hosting)
            inner = _passing(context, step, passage, members, facts, now)
            return WrappedLane(inner, wrapping, hosting, is_spliced=True)
        lane = _passing(context, step, passage, members, facts, now)
    return lane


def _passing(
    context: RequestContext,
    step: Step,
    passage: PassThroughSpec,
    members: Members,
    facts: RequestFacts,
    now: float,
) -> Lane:
    """The lane of a body that goes on as it came."""
    if context.shared and step.operation in TALKS and context.services.signatures is not None:
        return affinity.tracing(context, step, passage, members, facts, now)
    return PassThrough(step, passage, members, facts, context.body, now)


def media_lane(context: RequestContext, step: Step, members: Members, facts: RequestFacts) -> Lane:
    """The same for sounds and pictures. Raises ``Fault``."""
    if context.operation in AUDIO_OPERATIONS:
        return media.lane_for(context, step, members, facts)
    pictures = images.lane_for(context, step, members, facts)
    context.report = pictures.report
    return pictures


def make_attempt(
    context: RequestContext,
    step: Step,
    lane: Lane,
    credential: int,
    outcome: EagerOutcome | None = None,
) -> tuple[Attempt, Request]:
    """An attempt at one channel, and the request that it sends.

    ``outcome``: told what the attempt comes to in the place of a future.
    """
    facts = context.facts
    assert facts is not None
    if context.recollection is not None:
        lane = response_state.remembering(context, step, lane)
    request = composed(context, step, lane, lane.body, facts, credential)
    if context.operation in AUDIO_OPERATIONS:
        return media.attempts()(context, step, lane, facts), request
    if isinstance(lane, ImagesLane):
        return ImageAttempt(context, step, lane, facts), request
    if context.exchange.framing is not None:
        from trivium.pipeline.framed_attempt import FramedAttempt

        return FramedAttempt(context, step, lane, facts, outcome), request
    return Attempt(context, step, lane, facts, outcome), request


async def call(context: RequestContext, step: Step, credential: int) -> None:
    """Call one channel and stay until the caller has its answer. Raises ``Fault``."""
    services, channel = context.services, step.binding.channel
    context.begin_attempt(step)
    lane = await _prepared_lane(context, step)
    attempt, request = make_attempt(context, step, lane, credential)
    outcome = attempt.wait()
    if context.race is not None:
        context.race.call(attempt)
    queued = channel.queue_max > 0
    if queued:
        await services.channel_queue.enter(channel)
    entered: Permit = OPEN
    try:
        if channel.rates is not None:
            entered = request_admission.enter(
                context, channel, attempt.facts
            ) or await request_admission.ask_enter(context, channel, attempt.facts)
        context.exchange.flow = attempt
        attempt.attach(
            services.client.open_now(request, attempt)
            or await services.client.open(request, attempt)
        )
        del request  # the client lets go of its bytes when an answer comes
        await _outcome(context, attempt, outcome)
        while attempt.going_on is not None:
            await again(context, attempt, credential)
    finally:
        left(context, attempt)
        if entered is not OPEN:
            entered.leave(request_admission.used(context))
        if queued:
            services.channel_queue.leave(channel)


async def _prepared_lane(context: RequestContext, step: Step) -> Lane:
    """As ``make_lane``, of what had to be brought first; large requests step by step."""
    members, facts = context.members, context.facts
    assert members is not None
    assert facts is not None
    if context.services.url_fetcher is not None:
        await fetch_inputs.bring(context, step, members, facts)
    if context.operation in IMAGE_OPERATIONS:
        await images.bring(context, step, members)
    if len(context.body) <= json_size.PACED_BYTES or not translates(context, step, facts):
        return make_lane(context, step)
    await cooperative.prepare(context, step, members, facts)
    lane = make_lane(context, step)
    await cooperative.yield_turn()
    return lane


async def again(context: RequestContext, attempt: Attempt, credential: int) -> None:
    """Have the same channel go on with an answer that was not whole."""
    body, facts = attempt.going_on, attempt.facts
    if body is not None and attempt.step.binding.channel.provider.wrappings:
        from trivium.pipeline.wrapped_lane import WrappedLane

        if isinstance(attempt.lane, WrappedLane):
            body = attempt.lane.again(body)
    request = composed(context, attempt.step, attempt.lane, body, facts, credential)
    attempt.again()
    outcome = attempt.wait()
    try:
        attempt.attach(await context.services.client.open(request, attempt))
    except Fault as fault:
        attempt.broke(fault)
    await _outcome(context, attempt, outcome)


def left(context: RequestContext, attempt: Attempt) -> None:
    """An attempt is over, however it ended."""
    if context.exchange.flow is attempt:
        context.exchange.flow = None
    if not context.settled:
        attempt.book_usage()
    attempt.release()


def _outcome(
    context: RequestContext, attempt: Attempt, outcome: asyncio.Future[None]
) -> Awaitable[None]:
    if attempt.facts.stream:
        return client_disconnect.wait_beyond_disconnect(context, attempt, outcome)
    return (
        client_disconnect.wait_abandoned(context, outcome) if context.services.finishes else outcome
    )


def composed(
    context: RequestContext, step: Step, lane: Lane, body: Any, facts: RequestFacts, credential: int
) -> Request:
    """What one channel is sent."""
    binding = step.binding
    if isinstance(body, bytes) and len(body) > json_size.LARGE_BYTES:
        body = HeldBody(body)
    exchange = context.exchange
    names, pairs = _forwards(binding.channel.provider.forwards)
    return context.services.composer.compose(
        binding.channel,
        credential,
        lane.operation,
        binding.model,
        body,
        forwarded=() if names.isdisjoint(exchange.headers) else _forwarded(exchange, pairs),
        stream=facts.stream
        and (lane.operation is context.operation or context.operation not in _MEDIA),
        array=facts.array
        and SHAPE[lane.operation] is Shape.GENERATE
        and isinstance(lane, PassThrough),
        limits=binding.limits,
    )


def translates(context: RequestContext, step: Step, facts: RequestFacts) -> bool:
    """Whether a channel gets a request that was made anew from what the caller's says."""
    recollection, recalled = context.recollection, context.affinity
    return (
        SHAPE[step.operation] is not SHAPE[context.operation]
        or step.operation in UPSTREAM_ONLY  # what no caller can ask for is written here
        or (step.operation is _INVOKE_EMBED and not _passes(context, step))
        or facts.foreign
        # a history that we kept has our ids, and is rewritten even for an upstream of its shape
        or (recollection is not None and recollection.spelled)
        or (recalled is not None and not affinity.passes(recalled, step))
    )


def _passes(context: RequestContext, step: Step) -> bool:
    """Whether an embedding model of Bedrock's takes the caller's body as it is."""
    from trivium.wire.bedrock import invoked_vectors

    members = context.members
    return members is not None and invoked_vectors.passes(members, step.binding.model)


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
