"""A look into large bodies before anything is made of them, in turns of the loop."""

import asyncio
from collections.abc import Callable

from trivium.edge.exchange import Exchange
from trivium.edge.limits import Limits, too_many_objects
from trivium.faults import Fault, Kind
from trivium.pipeline import pacing


async def look(exchange: Exchange, limits: Limits, go_on: Callable[[Exchange], None]) -> None:
    """Go on with a large request, unless it holds too much. Never raises."""
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
