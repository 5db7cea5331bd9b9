"""Prices side by side, and the nightly look at what vendors list."""

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from trivium.clock import Clock
from trivium.ledger.suggestions.update import place
from trivium.routing.model import Model
from trivium.settings.model import Settings
from trivium.wiring.background import background

if TYPE_CHECKING:
    from trivium.catalogue.pricing.looks import ListReader, PriceLooks
    from trivium.catalogue.pricing.service import PriceService
    from trivium.catalogue.service import CatalogueService
    from trivium.pipeline.services import Services
    from trivium.storage.database import Database
    from trivium.wiring.catalogue import StoredParts
    from trivium.wiring.metrics import Metrics


class PriceParts(NamedTuple):
    """What compares prices, and what reads those of vendors."""

    prices: "PriceService"
    looks: "PriceLooks"


def price_parts(
    settings: Settings,
    database: "Database",
    clock: Clock,
    catalogue: "CatalogueService",
    models: Callable[[], Iterable[Model]],
    read: "ListReader",
) -> PriceParts:
    """The parts of a worker. ``models``: returns those in force; ``read``: asks a vendor."""
    from trivium.catalogue.pricing.bundled import BundledPrices
    from trivium.catalogue.pricing.looks import PriceLooks
    from trivium.catalogue.pricing.service import PriceService

    bundled = BundledPrices(place(settings.storage.journal))
    prices = PriceService(database, clock, catalogue, models, bundled)
    return PriceParts(prices, PriceLooks(database, clock, prices, models, read))


async def look_nightly(
    settings: Settings,
    services: "Services",
    database: "Database",
    stored: "StoredParts",
    metrics: "Metrics | None",
    stack: contextlib.AsyncExitStack,
) -> None:
    """Look at what vendors list, each night on one node, where the settings want it."""
    if not settings.prices.nightly:
        return
    from trivium.catalogue.pricing.looks import NightlyLook
    from trivium.pipeline.vendor_models import vendor_list

    clock = services.clock
    parts = price_parts(
        settings,
        database,
        clock,
        stored.service(clock),
        lambda: services.router.models(),  # noqa: PLW0108 - a reload makes another router
        functools.partial(vendor_list, services.client, services.composer, clock),
    )
    night = NightlyLook(database, parts.looks, clock)
    if metrics is not None:
        metrics.tell_prices(night)
    await background(stack, night.run)
