"""One request about videos, to its end: which operation, and what every one of them needs."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from trivium.faults import Fault, Kind
from trivium.jobs.studio import Studio
from trivium.pipeline import entrance
from trivium.pipeline.context import Exchange, Services
from trivium.pipeline.guard import Guard
from trivium.pipeline.structs import VideoCall
from trivium.pipeline.videos import content, follow, make, remix
from trivium.pipeline.videos.call import Visit

log = structlog.get_logger()

_VISITS: Final[dict[str, Callable[[Visit], Awaitable[None]]]] = {
    "list": follow.list_,
    "retrieve": follow.retrieve,
    "delete": follow.delete,
    "content": content.serve,
}
"""Requests that make nothing and cost nothing."""
_NOT_AN_APPLICATIONS: Final = (
    "Videos belong to the user's whole account: a key that an application was given to spend with "
    "can neither make nor see them."
)


async def serve(exchange: Exchange, target: VideoCall, query: bytes, services: Services) -> None:
    """Answer one authenticated request. Never raises."""
    studio = services.studio
    if studio is None:
        exchange.fail(Fault(Kind.PATH_UNKNOWN, "There are no videos on this gateway."))
    elif exchange.caller is not None and exchange.caller.grant_id:
        exchange.fail(Fault(Kind.NOT_PERMITTED, _NOT_AN_APPLICATIONS))
    elif target.action == "create":
        await make.create(exchange, services, studio)
    elif target.action == "remix":
        await remix.remix(exchange, target.video_id, services, studio)
    else:
        await _visit(exchange, target, query, services, studio)


async def _visit(
    exchange: Exchange, target: VideoCall, query: bytes, services: Services, studio: Studio
) -> None:
    with Guard(exchange, partial(log.error, "request_crashed")) as guard:
        guard.given = await entrance.visit(exchange, services)
        visit = Visit.of(exchange, target.video_id, query, services, studio)
        await _VISITS[target.action](visit)
