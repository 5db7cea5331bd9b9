"""What every order of a video has in common: its price set aside, one upstream asked, its answer
written down, and the end of the request.

The price is set aside before an upstream is asked, in a row of its own, and stays so until the
video is made or has failed (``jobs/service.py``). The upstream is asked, and its answer written
down, also when the caller leaves meanwhile: what may be under way must have an owner.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

import structlog

from trivium.faults import Fault, Kind
from trivium.jobs.model import Job, JobAccount, JobOrder
from trivium.jobs.video_services import VideoServices
from trivium.ledger.amounts import format_usd
from trivium.ledger.model import Hold, Quote
from trivium.pipeline import attribution, request_admission, routing_preferences, steps
from trivium.pipeline.fault_log import fault_of, log_fault
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Services
from trivium.pipeline.videos.existing import answer
from trivium.providers.videos.protocol import VendorCall
from trivium.routing.model import Channel, Step
from trivium.routing.routing_preferences import too_dear
from trivium.storage.errors import StorageError
from trivium.wire import errors
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.videos.answer import SeenVideo
from trivium.wire.videos.request import VideoRequest

PAUSE_S: Final = 1.0
PAUSE_S_MAX: Final = 30.0
"""Between tries to write down what an upstream has taken, while the database is away."""

log = structlog.get_logger()


async def told(context: RequestContext, work: Coroutine[Any, Any, None]) -> None:
    """Do the work, and tell caller, operator and record what became of it. Never raises."""
    try:
        await work
    except (Fault, asyncio.CancelledError) as error:
        fault = fault_of(context, error)
        if fault is not None:
            _fail(context, fault)
    except Exception:
        log.exception("request_crashed", request_id=context.exchange.request_id)
        _fail(context, errors.internal())
    finally:
        context.given.leave(0)
        context.record()


def _fail(context: RequestContext, fault: Fault) -> None:
    log_fault(context, "request_failed", fault)
    context.fault = fault
    context.status = fault.status
    if context.services.explain_headers:
        context.exchange.extra += routing_preferences.routing_header(context)
    context.exchange.fail(fault)


def quoted(context: RequestContext, facts: RequestFacts) -> Quote:
    """What it will cost if it succeeds. Raises ``Fault`` where that is more than is wished."""
    caller, model = context.exchange.caller, context.model
    assert caller is not None
    assert model is not None
    quote = context.services.ledger.quote(
        caller, model, Operation.VIDEOS, facts, context.size_bytes
    )
    if context.preferences is not None and (
        dear := too_dear(context.preferences, quote.amount_nanos)
    ):
        raise dear
    return quote


async def admit(context: RequestContext, quote: Quote) -> None:
    """See whether it may run now. Raises ``Fault``."""
    context.quote = quote
    waiting = steps.admit(context)
    if waiting is not None:
        await waiting


def hold_of(context: RequestContext, quote: Quote) -> Hold | None:
    """What is set aside for it; ``None`` for what is free."""
    exchange, caller = context.exchange, context.exchange.caller
    assert caller is not None
    if quote.tariff is None:
        return None
    hold = Hold(
        request_id=exchange.request_id,
        user_id=caller.payer_id,
        amount_nanos=quote.amount_nanos,
        quote=quote,
        key_id=caller.key_id,
        limited=not caller.unlimited,
        asker_id=caller.user_id,
        team_id=caller.team_id,
        who=context.attribution,
    )
    if not caller.has_budgets:
        return hold
    return context.services.ledger.counted(hold, attribution.budgets(context))


async def begun(
    context: RequestContext,
    video_services: VideoServices,
    quote: Quote,
    asked: VideoRequest,
    first: Step | None,
    source: Job | None = None,
) -> Job:
    """The job with its hold, which budgets count from here on."""
    exchange, caller = context.exchange, context.exchange.caller
    assert caller is not None
    order = JobOrder(
        user_id=caller.user_id,
        key_id=caller.key_id,
        request_id=exchange.request_id,
        model=asked.model,
        account=JobAccount(
            channel=first.binding.channel.name if first else "",
            credential="",
            operation=first.operation if first else Operation.VIDEOS,
            model=first.binding.model if first else "",
        ),
        size=asked.size,
        seconds=asked.seconds,
        prompt=asked.prompt,
        remixed_from=source.id if source else None,
    )
    job = await video_services.jobs.begin(order, hold_of(context, quote))
    context.cost_nanos = quote.amount_nanos
    return job


def is_answered(context: RequestContext, video_services: VideoServices, job: Job) -> bool:
    """Answer with a job that an upstream has taken before: its request is made again, after its
    worker was killed on the way to its caller. ``False``: it is a new one.
    """
    if job.upstream_id is None:
        return False
    context.status = 200
    context.cost_nanos = 0  # what is set aside for it was so by the first
    answer(context.exchange, job, video_services.jobs.now())
    return True


async def abandoned(context: RequestContext, work: Coroutine[Any, Any, None]) -> None:
    """Do something to its end, whoever leaves."""
    running = context.services.abandoned
    task = asyncio.get_running_loop().create_task(work)
    running.add(task)
    task.add_done_callback(running.discard)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_seen)
        raise


def _seen(task: "asyncio.Task[None]") -> None:
    """Mark a failure as seen: nobody is there to be told."""
    if not task.cancelled():
        task.exception()


async def kept_or_gone(
    context: RequestContext,
    video_services: VideoServices,
    job: Job,
    work: Coroutine[Any, Any, None],
) -> None:
    """Leave nothing of a job that no upstream has taken."""
    try:
        await work
    except BaseException:
        if context.first_byte_at is None:
            context.cost_nanos = 0
            try:
                await asyncio.shield(video_services.jobs.stillborn(job))
            except StorageError as error:
                # the poller ends it later, by the same rule
                log.warning("job_not_forgotten", job=job.id, error=str(error))
        raise


async def place(
    context: RequestContext,
    video_services: VideoServices,
    step: Step,
    credential: int,
    vendor_call: VendorCall,
    account: JobAccount,
    job: Job,
) -> None:
    """Ask one channel, write down that it has taken the job, and tell the caller."""
    channel, services = step.binding.channel, context.services
    assert context.facts is not None
    context.begin_attempt(step)
    queued = channel.queue_max > 0
    if queued:
        await services.channel_queue.enter(channel)
    try:
        entered = request_admission.enter(
            context, channel, context.facts
        ) or await request_admission.ask_enter(context, channel, context.facts)
        try:
            context.called = True
            body = await video_services.video_client.order(
                channel, credential, vendor_call, context.exchange.upload
            )
        finally:
            entered.leave(0)
    finally:
        if queued:
            services.channel_queue.leave(channel)
    seen = _read(video_services, step, body)
    context.first_byte_at = services.time()
    job = await _born(services, video_services, job, account, seen)
    _answer(context, channel, job, video_services.jobs.now())


def _read(video_services: VideoServices, step: Step, body: bytes) -> SeenVideo:
    try:
        return video_services.video_client.read(step.operation, body)
    except Fault as fault:
        # it said yes, and not to what
        raise Fault(Kind.UPSTREAM_UNSURE, fault.message) from None


async def _born(
    services: Services,
    video_services: VideoServices,
    job: Job,
    account: JobAccount,
    seen: SeenVideo,
) -> Job:
    """Write down who has taken the job; while the database is away, later and again."""
    try:
        return await video_services.jobs.born(job, account, seen)
    except StorageError as error:
        log.warning("job_not_written", job=job.id, error=str(error))
    task = asyncio.get_running_loop().create_task(_insist(video_services, job, account, seen))
    services.abandoned.add(task)
    task.add_done_callback(services.abandoned.discard)
    return job


async def _insist(
    video_services: VideoServices, job: Job, account: JobAccount, seen: SeenVideo
) -> None:
    pause = PAUSE_S
    while True:
        await asyncio.sleep(pause)
        pause = min(2 * pause, PAUSE_S_MAX)
        try:
            await video_services.jobs.born(job, account, seen)
        except StorageError:
            continue
        log.info("job_written", job=job.id)
        return


def _answer(context: RequestContext, channel: Channel, job: Job, now: float) -> None:
    exchange = context.exchange
    context.status = 200
    if context.services.explain_headers:
        exchange.extra.append((b"trivium-channel", channel.name.encode()))
        exchange.extra.append((b"trivium-attempts", b"%d" % context.attempts))
        exchange.extra.append((b"trivium-cost", format_usd(context.cost_nanos).encode()))
        if context.failures or context.skipped:
            exchange.extra += routing_preferences.routing_header(context)
    if context.stood_in and context.model is not None:
        exchange.extra.append((b"trivium-model", context.model.name.encode()))
    answer(exchange, job, now)
