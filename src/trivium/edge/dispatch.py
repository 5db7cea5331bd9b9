"""Who serves what is neither a request for a model nor a page."""

from collections.abc import Coroutine

from trivium.edge import asset, explaining, listing
from trivium.edge.exchange import Exchange
from trivium.edge.routes import Explain, File, Listing, Target
from trivium.pipeline import kept
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
