"""Making videos: create and remix, from the request to an upstream that has taken it.

The price is set aside before an upstream is asked, in a row of its own, and stays so until the
video is made or has failed (``jobs/service.py``). The upstream is asked, and its answer written
down, also when the caller leaves meanwhile: what may be under way must have an owner.
"""

import asyncio
import functools
from collections.abc import Coroutine
from typing import Any, Final

import structlog

from trivium.faults import Fault, Kind
from trivium.jobs.asking import account_of, film
from trivium.jobs.model import Account, Job
from trivium.jobs.service import Order
from trivium.jobs.studio import Studio
from trivium.ledger.entries import format_usd
from trivium.ledger.model import Hold, Quote
from trivium.ledger.prices import row_at
from trivium.pipeline import attempts, entrance, wishing
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.story import Story
from trivium.pipeline.telling import tell
from trivium.pipeline.videos.call import answer, found, unready
from trivium.pipeline.videos.reference import at_hand
from trivium.providers.videos.dialect import Errand, dialect_of
from trivium.routing.model import Channel, Model, Plan, Step
from trivium.routing.wishes import too_dear, wished
from trivium.storage.errors import StorageError
from trivium.wire import errors, peek
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.peek import Members
from trivium.wire.videos import request
from trivium.wire.videos.answer import Seen, Status
from trivium.wire.videos.request import Asked

PAUSE_S: Final = 1.0
PAUSE_S_MAX: Final = 30.0
"""Between tries to write down what an upstream has taken, while the database is away."""

log = structlog.get_logger()


async def create(exchange: Exchange, services: Services, studio: Studio) -> None:
    """Serve a request for a new video. Never raises."""
    story = Story(exchange, Operation.VIDEOS, services)
    await _told(story, _create(story, studio))


async def remix(exchange: Exchange, video_id: str, services: Services, studio: Studio) -> None:
    """Serve a request for another version of a video. Never raises."""
    story = Story(exchange, Operation.VIDEOS, services)
    await _told(story, _remix(story, video_id, studio))


async def _told(story: Story, work: Coroutine[Any, Any, None]) -> None:
    exchange = story.exchange
    try:
        await work
    except Fault as fault:
        _fail(story, fault)
    except asyncio.CancelledError:
        if exchange.gone:
            story.fault = Fault(Kind.CALLER_LEFT, "The caller left.")
            story.status = story.status or story.fault.status
        else:
            _fail(story, Fault(Kind.STOPPING, "The gateway is restarting; try again."))
    except Exception:
        log.exception("request_crashed", request_id=exchange.request_id)
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


# --- create ---------------------------------------------------------------------------------------


async def _create(story: Story, studio: Studio) -> None:
    exchange, services = story.exchange, story.services
    members = None if exchange.upload else wishing.taken(story, peek.members(exchange.body))
    if members is None:
        wishing.taken(story, Members([]))
    parts = exchange.upload.parts if exchange.upload else ()
    name = request.model_of(members, parts)
    story.facts = Facts(model=name)
    caller = exchange.caller
    assert caller is not None
    services.admission.permit(caller, name)
    model = story.model = services.router.find(name)
    sizes = _sizes(model, services.clock.now())
    asked = request.read_form(parts, sizes) if members is None else request.read(members, sizes)
    story.facts = Facts(model=name, seconds=asked.seconds, size=asked.size)
    quote = await _admitted(story, story.facts)
    plan = _plan(story, model)
    job = await _begun(story, studio, quote, asked, plan.steps[0])
    await _outlasting(story, _made(story, studio, plan, asked, job))


def _sizes(model: Model, now: float) -> tuple[str, ...]:
    """Sizes that the operator gave a price, and so knows that the model makes them."""
    if not model.prices:
        return ()
    return tuple(video.size for video in row_at(model.prices, now).videos)


async def _admitted(story: Story, facts: Facts) -> Quote:
    """See whether it may run now. Raises ``Fault``."""
    caller, model = story.exchange.caller, story.model
    assert caller is not None
    assert model is not None
    quote = story.services.ledger.quote(caller, model, Operation.VIDEOS, facts, story.size_bytes)
    if story.wishes is not None and (dear := too_dear(story.wishes, quote.amount_nanos)):
        raise dear
    if not entrance.admit(story, facts, quote):
        await entrance.ask(story, facts, quote)
    return quote


def _plan(story: Story, model: Model) -> Plan:
    services = story.services
    plan = services.router.plan(model, Operation.VIDEOS)
    if story.wishes is not None:
        plan = wished(plan, story.wishes)
    plan = services.health.fit(plan)
    story.skipped = plan.skipped
    return plan


async def _begun(
    story: Story, studio: Studio, quote: Quote, asked: Asked, first: Step, source: Job | None = None
) -> Job:
    """The job with its hold. From here on a budget counts it, until its entry says better."""
    exchange, caller = story.exchange, story.exchange.caller
    assert caller is not None
    binding = first.binding
    order = Order(
        user_id=caller.user_id,
        key_id=caller.key_id,
        request_id=exchange.request_id,
        model=asked.model,
        account=Account(
            channel=binding.channel.name,
            credential="",
            operation=first.operation,
            model=binding.model,
        ),
        size=asked.size,
        seconds=asked.seconds,
        prompt=asked.prompt,
        remixed_from=source.id if source else None,
    )
    hold = None
    if quote.tariff is not None:
        hold = Hold(
            request_id=exchange.request_id,
            user_id=caller.user_id,
            amount_nanos=quote.amount_nanos,
            quote=quote,
            key_id=caller.key_id,
            limited=not caller.unlimited,
        )
    job = await studio.jobs.begin(order, hold)
    story.cost_nanos = quote.amount_nanos
    return job


async def _outlasting(story: Story, work: Coroutine[Any, Any, None]) -> None:
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


async def _made(story: Story, studio: Studio, plan: Plan, asked: Asked, job: Job) -> None:
    """Have one of the plan's channels take the job."""

    async def planned() -> Plan:
        return plan

    async def attempt(step: Step, credential: int) -> None:
        channel, model = step.binding.channel, step.binding.model
        dialect = dialect_of(step.operation)
        picture = await at_hand(story, asked.reference) if dialect.inline else None
        errand = dialect.create(channel.provider.paths[step.operation], asked, model, picture)
        account = account_of(channel, credential, step.operation, model)
        await _order(story, studio, step, credential, errand, account, job)

    told = functools.partial(tell, story, "attempt_failed")
    await _kept_or_gone(story, studio, job, attempts.run(story, planned, attempt, told))


async def _kept_or_gone(
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


async def _order(
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
    story.attempts += 1
    story.step = step
    story.begin()
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
    answer(exchange, job, now)


# --- remix ----------------------------------------------------------------------------------------


async def _remix(story: Story, video_id: str, studio: Studio) -> None:
    exchange, services = story.exchange, story.services
    upload = exchange.upload
    if upload is not None:
        prompt = request.read_remix_form(upload.parts)
    else:
        prompt = request.read_remix(peek.members(exchange.body))
    source = await _source(story, video_id, studio)
    story.facts = Facts(model=source.model, seconds=source.seconds, size=source.size)
    if source.status is not Status.COMPLETED:
        raise unready(source, "a completed one")
    channel, credential = studio.asking.locate(source.account)
    dialect = dialect_of(source.account.operation)
    errand = dialect.remix(film(source, channel), prompt)
    caller = exchange.caller
    assert caller is not None
    model, step = _binding_of(services, source, channel)
    services.admission.permit(caller, model.name)
    story.model = model
    facts = story.facts = Facts(model=model.name, seconds=source.seconds, size=source.size)
    quote = await _admitted(story, facts)
    asked = Asked(model=model.name, prompt=prompt, seconds=source.seconds, size=source.size)
    job = await _begun(story, studio, quote, asked, step, source)
    work = _order(story, studio, step, credential, errand, source.account, job)
    await _outlasting(story, _kept_or_gone(story, studio, job, work))


async def _source(story: Story, video_id: str, studio: Studio) -> Job:
    """The video to be remixed. Looking for one that is not there counts as a request, too."""
    try:
        return await found(story.exchange, video_id, studio)
    except Fault:
        (await entrance.visit(story.exchange, story.services)).leave(0)
        raise


def _binding_of(services: Services, source: Job, channel: Channel) -> tuple[Model, Step]:
    """The model that a video was made by, under whatever name it goes now. Raises ``Fault``."""
    models = sorted(services.router.models(), key=lambda model: model.name != source.model)
    for model in models:
        for binding in model.bindings:
            if binding.channel.name == channel.name and binding.model == source.account.model:
                operation = source.account.operation
                return model, Step(binding=binding, operation=operation, why="made the source")
    raise Fault(
        Kind.MODEL_UNKNOWN,
        f"The model `{source.model[:200]}` that made this video is not available any more.",
        param="video_id",
    )
