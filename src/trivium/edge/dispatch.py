"""A look into large bodies, and who serves what is not simply a request for a model or a page."""

import asyncio
from collections.abc import Callable, Coroutine

from trivium.edge import asset, explain, model_list
from trivium.edge.exchange import Exchange, Host
from trivium.edge.limits import ServerLimits, too_many_objects
from trivium.edge.routes import (
    AssetRoute,
    ExplainRoute,
    ModelListRoute,
    Target,
    resolve,
    written_in,
)
from trivium.faults import Fault, Kind
from trivium.pipeline import cooperative, stored_responses
from trivium.pipeline.hand_over import HandOver
from trivium.pipeline.services import Services
from trivium.pipeline.structs import Route, StoredResponseRoute, VideoRoute
from trivium.pipeline.videos import serve as videos
from trivium.wire.operation import TRANSLATABLE


def serve(
    exchange: Exchange, target: Target | None, services: Services
) -> Coroutine[object, object, None] | None:
    """Answer at once, or return what is to be run for it."""
    if isinstance(target, StoredResponseRoute):
        return stored_responses.serve(exchange, target, exchange.query, services)
    if isinstance(target, VideoRoute):
        return videos.serve(exchange, target, exchange.query, services)
    if isinstance(target, ExplainRoute):
        return explain.serve(exchange, services)
    if isinstance(target, AssetRoute):
        assert services.assets is not None
        return asset.serve(exchange, target.asset_id, services.assets)
    if isinstance(target, ModelListRoute):
        model_list.answer(exchange, target, services)
    return None


async def check_body(
    exchange: Exchange, limits: ServerLimits, go_on: Callable[[Exchange], None]
) -> None:
    """Go on with a large request, unless it holds too much. Never raises.

    In turns of the loop, before anything is made of the body.
    """
    try:
        is_crowded = await cooperative.exceeds(exchange.body, limits.objects_max)
        await cooperative.yield_turn()
    except asyncio.CancelledError:
        if not exchange.gone:
            exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        return
    if is_crowded:
        exchange.fail(too_many_objects(limits))
    else:
        go_on(exchange)


def take_over(exchange: Exchange, handed: HandOver, host: Host) -> None:
    """Serve what a page asks of a model with the key of whoever is logged in."""
    exchange.task = None  # the page's, which is at its end
    exchange.path, exchange.query, exchange.digest = handed
    exchange.extra.append((b"cache-control", b"no-store"))
    try:
        target = resolve(exchange.method, exchange.path, exchange.query)
    except Fault as fault:
        exchange.fail(fault)
        return
    if not isinstance(target, Route) or target.operation not in TRANSLATABLE:
        exchange.fail(Fault(Kind.PATH_UNKNOWN, "Only conversations can be asked for here."))
        return
    exchange.target, exchange.shape = target, written_in(target)
    refused = host.head_again(exchange)
    if refused is not None and refused.kind is Kind.KEY_UNKNOWN:
        exchange.task = asyncio.ensure_future(_find_key(exchange, host))
    else:
        _serve(exchange, refused, host)


def _serve(exchange: Exchange, refused: Fault | None, host: Host) -> None:
    if refused is None:
        host.dispatch(exchange)
    else:
        exchange.fail(refused)


async def _find_key(exchange: Exchange, host: Host) -> None:
    """Go on when a key is known that was not in memory."""
    try:
        is_read = await host.find_key(exchange)
    except asyncio.CancelledError:
        if not exchange.gone:
            exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        return
    exchange.task = None
    _serve(exchange, host.head_again(exchange, is_read=is_read), host)
