"""A look into large bodies, and who serves what is neither a request for a model nor a page."""

import asyncio
from collections.abc import Callable, Coroutine

from trivium.edge import asset, explaining, listing
from trivium.edge.exchange import Exchange
from trivium.edge.limits import Limits, too_many_objects
from trivium.edge.routes import Explain, File, Listing, Target
from trivium.faults import Fault, Kind
from trivium.pipeline import kept, pacing
from trivium.pipeline.context import Services
from trivium.pipeline.structs import Stored, VideoCall
from trivium.pipeline.videos import serve as videos


def serve(
    exchange: Exchange, target: Target | None, services: Services
) -> Coroutine[object, object, None] | None:
    """Answer at once, or return what is to be run for it."""
    if isinstance(target, Stored):
        return kept.serve(exchange, target, exchange.query, services)
    if isinstance(target, VideoCall):
        return videos.serve(exchange, target, exchange.query, services)
    if isinstance(target, Explain):
        return explaining.serve(exchange, services)
    if isinstance(target, File):
        assert services.assets is not None
        return asset.serve(exchange, target.asset_id, services.assets)
    if isinstance(target, Listing):
        listing.answer(exchange, target, services)
    return None


async def look(exchange: Exchange, limits: Limits, go_on: Callable[[Exchange], None]) -> None:
    """Go on with a large request, unless it holds too much. Never raises.

    In turns of the loop, before anything is made of the body.
    """
    try:
        is_crowded = await pacing.exceeds(exchange.body, limits.objects_max)
        await pacing.breath()
    except asyncio.CancelledError:
        if not exchange.gone:
            exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        return
    if is_crowded:
        exchange.fail(too_many_objects(limits))
    else:
        go_on(exchange)
