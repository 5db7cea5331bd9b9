"""Another version of a video: by the account that made the first, and no other."""

from collections.abc import Coroutine
from typing import Any

from trivium.faults import Fault, Kind
from trivium.jobs.asking import film
from trivium.jobs.model import Job
from trivium.jobs.studio import Studio
from trivium.pipeline import entrance
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.story import Story
from trivium.pipeline.structs import Route
from trivium.pipeline.videos.call import found, unready
from trivium.pipeline.videos.order import (
    admit,
    begun,
    kept_or_gone,
    outlasting,
    place,
    quoted,
    told,
)
from trivium.providers.videos.registry import dialect_of
from trivium.routing.condition import Key
from trivium.routing.health import Health
from trivium.routing.model import Channel, Model, Step
from trivium.wire import peek
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.videos import request
from trivium.wire.videos.answer import Status
from trivium.wire.videos.request import Asked


async def remix(exchange: Exchange, video_id: str, services: Services, studio: Studio) -> None:
    """Serve a request for another version of a video. Never raises."""
    story = Story(exchange, Route(operation=Operation.VIDEOS), services)
    await told(story, _remix(story, video_id, studio))


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
    quote = quoted(story, facts)
    await admit(story, quote)
    asked = Asked(model=model.name, prompt=prompt, seconds=source.seconds, size=source.size)
    job = await begun(story, studio, quote, asked, step, source)
    work = _noticed(
        services.health,
        Key(channel.name, credential, source.account.model),
        place(story, studio, step, credential, errand, source.account, job),
    )
    await outlasting(story, kept_or_gone(story, studio, job, work))


async def _noticed(health: Health, key: Key, work: Coroutine[Any, Any, None]) -> None:
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
