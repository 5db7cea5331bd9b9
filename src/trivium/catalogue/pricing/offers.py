"""Whose prices a model could have: its channels' vendors', and the bundled catalogue's. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from trivium.catalogue.pricing.origin import (
    PriceOrigin,
    PriceSource,
    day_of,
    price_digest,
    with_price,
)
from trivium.ledger.suggestions.compare import PriceLine, lines
from trivium.ledger.suggestions.model import PriceCatalogue, Suggestion
from trivium.ledger.suggestions.vendor import VendorList
from trivium.routing.model import Binding, Model, PriceRow


class PriceOffer(msgspec.Struct, frozen=True, kw_only=True):
    """One price of a model, as somebody else says it."""

    channel: str
    origin: PriceOrigin
    suggestion: Suggestion

    def adopted(
        self, document: Mapping[str, Any], now: float, since: str | None = None
    ) -> dict[str, Any]:
        """A model's document with this price. As ``with_price``."""
        return with_price(document, self.suggestion, self.origin, now, since)

    def digest(self, now: float) -> str:
        """A fingerprint of what it says now and of later days."""
        return price_digest(with_price({}, self.suggestion, self.origin, now))

    def compared(self, row: PriceRow | None, now: float) -> tuple[PriceLine, ...]:
        """Every kind that either side prices. ``row``: what is set; ``None``: nothing."""
        return tuple(lines(row, self.suggestion, now))


class VendorWord(msgspec.Struct, frozen=True, kw_only=True):
    """What the vendor of one channel says of a model."""

    channel: str
    provider: str
    upstream_model: str
    read_at: int | None
    """When its list was read, in seconds since the epoch; ``None``: never."""
    is_listed: bool | None
    """Whether it lists the model; ``None``: not known."""
    is_free: bool = False
    left_out: tuple[str, ...] = ()
    why: str = ""
    """Why its list is not known; empty: it is."""


def bare(name: str) -> str:
    """A channel's name of a model without the prefix that Google's lists have."""
    return name.removeprefix("models/")


def bindings_of(model: Model) -> Iterator[Binding]:
    """Each channel and name once, first choice first."""
    seen: set[tuple[str, str]] = set()
    for binding in sorted(model.bindings, key=lambda each: each.priority):
        place = binding.channel.name, binding.model
        if place not in seen:
            seen.add(place)
            yield binding


def word_of(binding: Binding, lists: Mapping[str, VendorList]) -> VendorWord:
    """What the vendor said of the model when its list was read last."""
    channel = binding.channel
    found = lists.get(channel.name)
    if found is None:
        return VendorWord(
            channel=channel.name,
            provider=channel.provider.name,
            upstream_model=binding.model,
            read_at=None,
            is_listed=None,
        )
    offer = found.models.get(bare(binding.model))
    return VendorWord(
        channel=channel.name,
        provider=channel.provider.name,
        upstream_model=binding.model,
        read_at=found.at,
        is_listed=True if offer is not None else False if found.is_whole else None,
        is_free=offer is not None and offer.is_free,
        left_out=() if offer is None else offer.left_out,
        why=found.why,
    )


def offers_of(
    model: Model, catalogue: PriceCatalogue, lists: Mapping[str, VendorList]
) -> Iterator[PriceOffer]:
    """The prices that a model could have, the best known first: by channel in the order in which
    they are tried, what its vendor lists before what the catalogue has.
    """
    for binding in bindings_of(model):
        channel = binding.channel
        said = vendor_offer(lists.get(channel.name), channel.name, binding.model)
        if said is not None:
            yield said
        known = suggested_offer(catalogue, channel.name, channel.provider.name, binding.model)
        if known is not None:
            yield known


def vendor_offer(found: VendorList | None, channel: str, model: str) -> PriceOffer | None:
    """What the list of a channel's vendor says that a model costs; ``None``: nothing."""
    said = None if found is None else found.models.get(bare(model))
    if found is None or said is None or said.suggestion is None:
        return None
    origin = PriceOrigin(
        source=PriceSource.VENDOR, day=day_of(found.at), place=_place(channel, model)
    )
    return PriceOffer(channel=channel, origin=origin, suggestion=said.suggestion)


def suggested_offer(
    catalogue: PriceCatalogue, channel: str, provider: str, model: str
) -> PriceOffer | None:
    """What the catalogue of suggestions has for a model of a provider; ``None``: nothing."""
    known = catalogue.find(provider, model)
    return None if known is None else bundled_offer(catalogue, channel, provider, *known)


def bundled_offer(
    catalogue: PriceCatalogue, channel: str, provider: str, entry: str, row: Suggestion
) -> PriceOffer:
    """An entry of the catalogue of suggestions, for a channel."""
    origin = PriceOrigin(
        source=PriceSource.BUNDLED, day=catalogue.date, place=_place(provider, entry)
    )
    return PriceOffer(channel=channel, origin=origin, suggestion=row)


def _place(whose: str, name: str) -> str:
    return f"{whose}/{name}"[:401]
