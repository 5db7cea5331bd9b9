"""Models that a new channel may begin with: what its vendor lists, and has a price. Pure.

What the vendor's own list says comes first, then the catalogue of suggestions. Where the list was
not read, the suggestions are all there is, as without one.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from trivium.catalogue.pricing.offers import PriceOffer, bare, bundled_offer, vendor_offer
from trivium.ledger.suggestions.model import PriceCatalogue, found_in, undated
from trivium.ledger.suggestions.starting import starting_models
from trivium.ledger.suggestions.vendor import VendorList

HANDFUL: Final = 5
"""Models that are proposed where nobody says which."""


class ModelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A model that a channel could serve, at a price that somebody says."""

    name: str
    """The vendor's own."""
    offer: PriceOffer


class ModelChoices(msgspec.Struct, frozen=True, kw_only=True):
    """Models of one channel."""

    found: tuple[ModelChoice, ...]
    """All that have a price, those first that people begin with, then in the vendor's order."""
    proposed: tuple[str, ...]
    """Names to begin with; without a list also those that no price is known for."""
    left_out: tuple[str, ...]
    """Models that people begin with, and that the vendor does not list."""


def choices(
    channel: str, provider: str, suggestions: PriceCatalogue, found: VendorList | None
) -> ModelChoices:
    """Models that a channel could begin with. ``found``: all that its vendor lists; ``None``, or a
    list that was not read or is empty: nobody knows, and the suggestions are what there is.
    """
    starting = tuple(starting_models().get(provider, ()))
    if found is None or not is_known(found):
        names: Iterable[str] = (*starting, *suggestions.providers.get(provider, ()))
        return ModelChoices(
            found=_priced(channel, provider, suggestions, None, names),
            proposed=starting,
            left_out=(),
        )
    left_out = tuple(unlisted(found, starting))
    begin = tuple(name for name in starting if name not in left_out)
    priced = _priced(channel, provider, suggestions, found, (*begin, *found.models))
    known = {each.name for each in priced}
    first = tuple(name for name in begin if name in known)
    if not first or any(said.suggestion is not None for said in found.models.values()):
        more = (each.name for each in priced if each.name not in first)
        first = (*first, *more)[: max(HANDFUL, len(first))]
    return ModelChoices(found=priced, proposed=first, left_out=left_out)


def is_known(found: VendorList) -> bool:
    """Whether a list was read and has models."""
    return bool(found.models) and not found.why


def unlisted(found: VendorList, names: Iterable[str]) -> list[str]:
    """Those that the vendor does not list, also not with a version; of a list that was not read to
    its end that is known of none.
    """
    if not is_known(found) or not found.is_whole:
        return []
    listed = found.models.keys() | {undated(name) for name in found.models}
    return [name for name in names if bare(name) not in listed]


def offer_of(
    channel: str, provider: str, suggestions: PriceCatalogue, found: VendorList | None, model: str
) -> PriceOffer | None:
    """What the vendor's list says that a model costs, else the suggestions; ``None``: neither."""
    priced = _priced(channel, provider, suggestions, found, (model,))
    return priced[0].offer if priced else None


def _priced(
    channel: str,
    provider: str,
    suggestions: PriceCatalogue,
    found: VendorList | None,
    names: Iterable[str],
) -> tuple[ModelChoice, ...]:
    named, priced = suggestions.named(provider), []
    for name in dict.fromkeys(names):
        offer, known = vendor_offer(found, channel, name), found_in(named, name)
        if offer is None and known is not None:
            offer = bundled_offer(suggestions, channel, provider, *known)
        if offer is not None:
            priced.append(ModelChoice(name=name, offer=offer))
    return tuple(priced)
