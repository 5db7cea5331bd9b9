"""Another version of a video: by the account that made the first, and no other."""

from collections.abc import Coroutine
from typing import Any

from trivium.faults import Fault, Kind
from trivium.jobs.model import Job
from trivium.jobs.video_client import upstream_video
from trivium.jobs.video_services import VideoServices
from trivium.pipeline import request_admission
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Services
from trivium.pipeline.structs import Route
from trivium.pipeline.videos.existing import found, unready
from trivium.pipeline.videos.order import (
    abandoned,
    admit,
    begun,
    is_answered,
    kept_or_gone,
    place,
    quoted,
    told,
)
from trivium.providers.videos.registry import protocol_of
from trivium.routing.channel_health import HealthKey
from trivium.routing.health import Health
from trivium.routing.model import Channel, Model, Step
from trivium.wire import peek
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.videos import request
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.request import VideoRequest


async def remix(
    exchange: Exchange, video_id: str, services: Services, video_services: VideoServices
) -> None:
    """Serve a request for another version of a video. Never raises."""
    context = RequestContext(exchange, Route(operation=Operation.VIDEOS), services)
    await told(context, _remix(context, video_id, video_services))


async def _remix(context: RequestContext, video_id: str, video_services: VideoServices) -> None:
    exchange, services = context.exchange, context.services
    upload = exchange.upload
    if upload is not None:
        prompt = request.read_remix_form(upload.parts)
    else:
        prompt = request.read_remix(peek.members(exchange.body))
    source = await _source(context, video_id, video_services)
    context.facts = RequestFacts(model=source.model, seconds=source.seconds, size=source.size)
    if source.status is not VideoStatus.COMPLETED:
        raise unready(source, "a completed one")
    channel, credential = video_services.video_client.locate(source.account)
    protocol = protocol_of(source.account.operation)
    vendor_call = protocol.remix(upstream_video(source, channel), prompt)
    caller = exchange.caller
    assert caller is not None
    model, step = _binding_of(services, source, channel)
    services.admission.permit(caller, model.name)
    context.model = model
    facts = context.facts = RequestFacts(model=model.name, seconds=source.seconds, size=source.size)
    quote = quoted(context, facts)
    await admit(context, quote)
    asked = VideoRequest(model=model.name, prompt=prompt, seconds=source.seconds, size=source.size)
    job = await begun(context, video_services, quote, asked, step, source)
    if is_answered(context, video_services, job):
        return
    work = _noticed(
        services.health,
        HealthKey(channel.name, credential, source.account.model),
        place(context, video_services, step, credential, vendor_call, source.account, job),
    )
    await abandoned(context, kept_or_gone(context, video_services, job, work))


async def _noticed(health: Health, key: HealthKey, work: Coroutine[Any, Any, None]) -> None:
    """Do it; what becomes of it tells of the account's health."""
    health.claim(key)
    try:
        await work
    except Fault as fault:
        health.failed(key, fault)
        raise
    except BaseException:
        health.left(key)
        raise
    health.succeeded(key)


async def _source(context: RequestContext, video_id: str, video_services: VideoServices) -> Job:
    """The video to be remixed. Looking for one that is not there counts as a request, too."""
    try:
        return await found(context.exchange, video_id, video_services)
    except Fault:
        (await request_admission.visit(context.exchange, context.services)).leave(0)
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
