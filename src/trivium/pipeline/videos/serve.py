"""One request about videos, to its end: which operation, and what every one of them needs."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from trivium.faults import Fault, Kind
from trivium.jobs.video_services import VideoServices
from trivium.pipeline import request_admission
from trivium.pipeline.guard import Guard
from trivium.pipeline.services import Exchange, Services
from trivium.pipeline.structs import VideoRoute
from trivium.pipeline.videos import content, create, manage, remix
from trivium.pipeline.videos.existing import VideoVisit

log = structlog.get_logger()

_VISITS: Final[dict[str, Callable[[VideoVisit], Awaitable[None]]]] = {
    "list": manage.list_,
    "retrieve": manage.retrieve,
    "delete": manage.delete,
    "content": content.serve,
}
"""Requests that make nothing and cost nothing."""
_NOT_AN_APPLICATIONS: Final = (
    "Videos belong to the user's whole account: a key that an application was given to spend with "
    "can neither make nor see them."
)


async def serve(exchange: Exchange, target: VideoRoute, query: bytes, services: Services) -> None:
    """Answer one authenticated request. Never raises."""
    video_services = services.video_services
    if video_services is None:
        exchange.fail(Fault(Kind.PATH_UNKNOWN, "There are no videos on this gateway."))
    elif exchange.caller is not None and exchange.caller.grant_id:
        exchange.fail(Fault(Kind.NOT_PERMITTED, _NOT_AN_APPLICATIONS))
    elif target.action == "create":
        await create.create(exchange, services, video_services)
    elif target.action == "remix":
        await remix.remix(exchange, target.video_id, services, video_services)
    else:
        await _visit(exchange, target, query, services, video_services)


async def _visit(
    exchange: Exchange,
    target: VideoRoute,
    query: bytes,
    services: Services,
    video_services: VideoServices,
) -> None:
    with Guard(exchange, partial(log.error, "request_crashed")) as guard:
        guard.given = await request_admission.visit(exchange, services)
        visit = VideoVisit.of(exchange, target.video_id, query, services, video_services)
        await _VISITS[target.action](visit)
