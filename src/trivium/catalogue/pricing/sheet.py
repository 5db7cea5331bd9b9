"""All models with what they cost, what others say, and what could be adopted. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, unique
from fractions import Fraction
from typing import Any

import msgspec

from trivium.catalogue.file_entries import FileEntry
from trivium.catalogue.model import CatalogueEntry, CatalogueKind, EntryName
from trivium.catalogue.pricing.margins import SetMargin, TokenCost, costs_of, set_margins
from trivium.catalogue.pricing.offers import (
    PriceOffer,
    VendorWord,
    bindings_of,
    offers_of,
    word_of,
)
from trivium.catalogue.pricing.origin import PriceOrigin, is_by_hand, origin_of
from trivium.ledger.cost import row_at
from trivium.ledger.suggestions.compare import PriceLine
from trivium.ledger.suggestions.model import PriceCatalogue
from trivium.ledger.suggestions.vendor import VendorList
from trivium.routing.model import Model, PriceRow


@unique
class PriceState(Enum):
    """How what is set stands to the best known offer."""

    FREE = "free"
    UNKNOWN = "unknown"
    """Nobody says a price."""
    SAME = "same"
    SCHEDULED = "scheduled"
    """It will be the same from a later day on."""
    DIFFERS = "differs"


class OfferView(msgspec.Struct, frozen=True, kw_only=True):
    """One offer beside what is set."""

    offer: PriceOffer
    lines: tuple[PriceLine, ...]
    digest: str
    """Of what is offered: who adopts it names this, and gets what was looked at."""

    @property
    def differs(self) -> bool:
        """Whether the two would bill differently now."""
        return any(line.differs for line in self.lines)


class PriceStanding(msgspec.Struct, frozen=True, kw_only=True):
    """What is set for one model, beside everything that is known of it."""

    name: str
    place: str
    """Where the file has it; empty: it is the database's."""
    version: int | None
    """Of the database's entry; ``None``: the file has it."""
    is_by_hand: bool
    origin: PriceOrigin | None
    """Whose price was adopted; ``None``: nobody's."""
    state: PriceState
    row: PriceRow | None
    """What is set and in force; ``None``: nothing."""
    changes: tuple[int, ...]
    """When further prices begin that are set, in seconds since the epoch."""
    offers: tuple[OfferView, ...]
    """The best known first."""
    words: tuple[VendorWord, ...]
    """What each channel's vendor says of the model."""
    costs: tuple[TokenCost, ...]
    margins: tuple[SetMargin, ...]

    @property
    def best(self) -> OfferView | None:
        """What is adopted where nobody says which; ``None``: there is no offer."""
        return self.offers[0] if self.offers else None

    @property
    def kept(self) -> str:
        """Why nothing can be adopted at all; empty: it can."""
        if self.version is None:
            return f"{self.place} has it, which is yours to change"
        if self.state is PriceState.FREE:
            return "it is free"
        return "" if self.offers else "nobody says a price of it"


def standings(
    models: Iterable[Model],
    file: Sequence[FileEntry],
    entries: Mapping[EntryName, CatalogueEntry],
    catalogue: PriceCatalogue,
    lists: Mapping[str, VendorList],
    multiplier: Fraction,
    now: float,
) -> list[PriceStanding]:
    """Every model by name. ``multiplier``: of the price group whose margin is told; ``now``: in
    seconds since the epoch.
    """
    kind = CatalogueKind.MODEL.value
    places = {each.at.name: each for each in file if each.at.kind == kind}
    found = []
    for model in sorted(models, key=lambda each: each.name):
        entry = entries.get(EntryName(kind, model.name))
        if entry is not None:
            document, place, version = entry.body.document, "", entry.version
        elif model.name in places:
            document, place = places[model.name].document, places[model.name].place
            version = None
        else:
            continue  # changed since the router's catalogue was made
        found.append(_standing(model, document, place, version, catalogue, lists, multiplier, now))
    return found


def _standing(
    model: Model,
    document: Mapping[str, Any],
    place: str,
    version: int | None,
    catalogue: PriceCatalogue,
    lists: Mapping[str, VendorList],
    multiplier: Fraction,
    now: float,
) -> PriceStanding:
    row = row_at(model.prices, now) if model.prices else None
    offers = tuple(offers_of(model, catalogue, lists))
    costs = costs_of(model, offers, now)
    views = tuple(
        OfferView(offer=each, lines=each.compared(row, now), digest=each.digest(now))
        for each in offers
    )
    return PriceStanding(
        name=model.name,
        place=place,
        version=version,
        is_by_hand=is_by_hand(document),
        origin=origin_of(document),
        state=_state(model, views, now),
        row=row,
        changes=tuple(each.since for each in model.prices if each.since > now),
        offers=views,
        words=tuple(word_of(binding, lists) for binding in bindings_of(model)),
        costs=tuple(costs),
        margins=tuple(set_margins(model, costs, multiplier, now)),
    )


def _state(model: Model, views: Sequence[OfferView], now: float) -> PriceState:
    if model.free:
        return PriceState.FREE
    if not views:
        return PriceState.UNKNOWN
    best = views[0]
    if not best.differs:
        return PriceState.SAME
    later = [each for each in model.prices if each.since > now]
    if later and not any(line.differs for line in best.offer.compared(later[-1], later[-1].since)):
        return PriceState.SCHEDULED
    return PriceState.DIFFERS
