"""One request about videos, to its end: which operation, and what every one of them needs."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final
from urllib.parse import parse_qsl

import structlog

from trivium.faults import Fault, Kind
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
        with Guard(exchange, partial(log.error, "request_crashed")) as guard:
            guard.given = await request_admission.visit(exchange, services)
            visit = VideoVisit(
                exchange=exchange,
                video_id=target.video_id,
                query=dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)),
                services=services,
                video_services=video_services,
            )
            await _VISITS[target.action](visit)
