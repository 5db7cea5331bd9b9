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
from trivium.jobs.model import Account, Job
from trivium.jobs.service import Order
from trivium.jobs.studio import Studio
from trivium.ledger.amounts import format_usd
from trivium.ledger.model import Hold, Quote
from trivium.pipeline import entrance, steps, wishing
from trivium.pipeline.context import Services
from trivium.pipeline.story import Story
from trivium.pipeline.telling import fault_of, tell
from trivium.pipeline.videos.call import answer
from trivium.providers.videos.dialect import Errand
from trivium.routing.model import Channel, Step
from trivium.routing.wishes import too_dear
from trivium.storage.errors import StorageError
from trivium.wire import errors
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.videos.answer import Seen
from trivium.wire.videos.request import Asked

PAUSE_S: Final = 1.0
PAUSE_S_MAX: Final = 30.0
"""Between tries to write down what an upstream has taken, while the database is away."""

log = structlog.get_logger()


async def told(story: Story, work: Coroutine[Any, Any, None]) -> None:
    """Do the work, and tell caller, operator and record what became of it. Never raises."""
    try:
        await work
    except (Fault, asyncio.CancelledError) as error:
        fault = fault_of(story, error)
        if fault is not None:
            _fail(story, fault)
    except Exception:
        log.exception("request_crashed", request_id=story.exchange.request_id)
        _fail(story, errors.internal())
    finally:
        story.given.leave(0, story.cost_nanos)
        story.record()


def _fail(story: Story, fault: Fault) -> None:
    tell(story, "request_failed", fault)
    story.fault = fault
    story.status = fault.status
    if story.services.explain_headers:
        story.exchange.extra += wishing.route(story)
    story.exchange.fail(fault)


def quoted(story: Story, facts: Facts) -> Quote:
    """What it will cost if it succeeds. Raises ``Fault`` where that is more than is wished."""
    caller, model = story.exchange.caller, story.model
    assert caller is not None
    assert model is not None
    quote = story.services.ledger.quote(caller, model, Operation.VIDEOS, facts, story.size_bytes)
    if story.wishes is not None and (dear := too_dear(story.wishes, quote.amount_nanos)):
        raise dear
    return quote


async def admit(story: Story, quote: Quote) -> None:
    """See whether it may run now. Raises ``Fault``."""
    story.quote = quote
    waiting = steps.admit(story)
    if waiting is not None:
        await waiting


def hold_of(story: Story, quote: Quote) -> Hold | None:
    """What is set aside for it; ``None`` for what is free."""
    exchange, caller = story.exchange, story.exchange.caller
    assert caller is not None
    if quote.tariff is None:
        return None
    return Hold(
        request_id=exchange.request_id,
        user_id=caller.user_id,
        amount_nanos=quote.amount_nanos,
        quote=quote,
        key_id=caller.key_id,
        limited=not caller.unlimited,
    )


async def begun(
    story: Story,
    studio: Studio,
    quote: Quote,
    asked: Asked,
    first: Step | None,
    source: Job | None = None,
) -> Job:
    """The job with its hold. From here on a budget counts it, until its entry says better."""
    exchange, caller = story.exchange, story.exchange.caller
    assert caller is not None
    order = Order(
        user_id=caller.user_id,
        key_id=caller.key_id,
        request_id=exchange.request_id,
        model=asked.model,
        account=Account(
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
    job = await studio.jobs.begin(order, hold_of(story, quote))
    story.cost_nanos = quote.amount_nanos
    return job


async def outlasting(story: Story, work: Coroutine[Any, Any, None]) -> None:
    """Do something to its end, whoever leaves."""
    running = story.services.outlasting
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
    story: Story, studio: Studio, job: Job, work: Coroutine[Any, Any, None]
) -> None:
    """Leave nothing of a job that no upstream has taken."""
    try:
        await work
    except BaseException:
        if story.first_byte_at is None:
            story.cost_nanos = 0
            try:
                await asyncio.shield(studio.jobs.stillborn(job))
            except StorageError as error:
                # the poller ends it later, by the same rule
                log.warning("job_not_forgotten", job=job.id, error=str(error))
        raise


async def place(
    story: Story,
    studio: Studio,
    step: Step,
    credential: int,
    errand: Errand,
    account: Account,
    job: Job,
) -> None:
    """Ask one channel, write down that it has taken the job, and tell the caller."""
    channel, services = step.binding.channel, story.services
    assert story.facts is not None
    story.begin_attempt(step)
    queued = channel.queue_max > 0
    if queued:
        await services.gate.enter(channel)
    try:
        entered = entrance.enter(story, channel, story.facts) or await entrance.ask_enter(
            story, channel, story.facts
        )
        try:
            story.called = True
            body = await studio.asking.order(channel, credential, errand, story.exchange.upload)
        finally:
            entered.leave(0)
    finally:
        if queued:
            services.gate.leave(channel)
    seen = _read(studio, step, body)
    story.first_byte_at = services.time()
    job = await _born(services, studio, job, account, seen)
    _answer(story, channel, job, studio.jobs.now())


def _read(studio: Studio, step: Step, body: bytes) -> Seen:
    try:
        return studio.asking.read(step.operation, body)
    except Fault as fault:
        # it said yes, and not to what
        raise Fault(Kind.UPSTREAM_UNSURE, fault.message) from None


async def _born(services: Services, studio: Studio, job: Job, account: Account, seen: Seen) -> Job:
    """Write down who has taken the job; while the database is away, later and again."""
    try:
        return await studio.jobs.born(job, account, seen)
    except StorageError as error:
        log.warning("job_not_written", job=job.id, error=str(error))
    task = asyncio.get_running_loop().create_task(_insist(studio, job, account, seen))
    services.outlasting.add(task)
    task.add_done_callback(services.outlasting.discard)
    return job


async def _insist(studio: Studio, job: Job, account: Account, seen: Seen) -> None:
    pause = PAUSE_S
    while True:
        await asyncio.sleep(pause)
        pause = min(2 * pause, PAUSE_S_MAX)
        try:
            await studio.jobs.born(job, account, seen)
        except StorageError:
            continue
        log.info("job_written", job=job.id)
        return


def _answer(story: Story, channel: Channel, job: Job, now: float) -> None:
    exchange = story.exchange
    story.status = 200
    if story.services.explain_headers:
        exchange.extra.append((b"trivium-channel", channel.name.encode()))
        exchange.extra.append((b"trivium-attempts", b"%d" % story.attempts))
        exchange.extra.append((b"trivium-cost", format_usd(story.cost_nanos).encode()))
        if story.failures or story.skipped:
            exchange.extra += wishing.route(story)
    if story.stood_in and story.model is not None:
        exchange.extra.append((b"trivium-model", story.model.name.encode()))
    answer(exchange, job, now)
