"""Suggested beside adopted prices: what each kind really costs on either side."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

import msgspec

from trivium.ledger.cost import row_at
from trivium.ledger.suggestions.model import PriceCatalogue, Suggestion
from trivium.routing.model import Model, PriceRow
from trivium.settings.prices import FALL_BACK, KINDS

_PLACES: Final = Decimal("0.1")
_LARGE: Final = 10_000
"""Percent from which a ratio says nothing any more."""


class PriceLine(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of price in one tier."""

    kind: str
    above: int
    """Input tokens above which it holds; 0: from the first."""
    adopted: Decimal | None
    """US dollars by the unit of the kind; ``None``: not priced."""
    suggested: Decimal | None
    """``None``: the catalogue does not price it."""

    @property
    def difference(self) -> Decimal | None:
        """Suggested less adopted; ``None`` where one of them is missing."""
        if self.adopted is None or self.suggested is None:
            return None
        return self.suggested - self.adopted

    @property
    def differs(self) -> bool:
        """Whether the two would bill differently."""
        return self.adopted != self.suggested

    @property
    def percent(self) -> str:
        """Of what is adopted, for people; empty where that says nothing."""
        if not self.difference or not self.adopted:
            return ""
        percent = (self.difference * 100 / self.adopted).quantize(_PLACES)
        return f"{percent:+}%" if abs(percent) < _LARGE else ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One model over one channel."""

    model: str
    channel: str
    provider: str
    upstream_model: str
    """The channel's own name."""
    free: bool
    entry: str | None
    """The catalogue's name for it; ``None``: the catalogue has none."""
    left_out: tuple[str, ...]
    """Charges of the vendor's that no price row can say."""
    lines: tuple[PriceLine, ...]

    @property
    def state(self) -> str:
        """``free``, ``unknown``, ``same`` or ``differs``."""
        if self.free:
            return "free"
        if self.entry is None:
            return "unknown"
        return "differs" if any(line.differs for line in self.lines) else "same"


def compare(catalogue: PriceCatalogue, model: Model, now: float) -> Iterator[Comparison]:
    """A model beside the suggestions for each channel that serves it, first choice first.

    ``now``: seconds since the epoch; on both sides the prices in force are compared.
    """
    seen: set[tuple[str, str]] = set()
    for binding in sorted(model.bindings, key=lambda each: each.priority):
        channel = binding.channel
        if (channel.name, binding.model) in seen:
            continue
        seen.add((channel.name, binding.model))
        found = catalogue.find(channel.provider.name, binding.model)
        yield Comparison(
            model=model.name,
            channel=channel.name,
            provider=channel.provider.name,
            upstream_model=binding.model,
            free=model.free,
            entry=None if found is None else found[0],
            left_out=() if found is None else found[1].left_out,
            lines=()
            if found is None or model.free
            else tuple(lines(row_at(model.prices, now), found[1], now)),
        )


def lines(row: PriceRow | None, suggestion: Suggestion, now: float) -> Iterator[PriceLine]:
    """Every kind that either side prices, tier by tier. ``row``: ``None`` when none is adopted."""
    listed = suggestion.at(now)
    ours = {0: {}} if row is None else {0: dict(row.price)}
    if row is not None:
        ours |= {tier.above: {**row.price, **tier.price} for tier in row.tiers}
    base = _decimals(listed.price)
    theirs = {0: base} | {each.above: {**base, **_decimals(each.price)} for each in listed.tiers}
    for above in sorted(ours.keys() | theirs.keys()):
        one, other = _tier(ours, above), _tier(theirs, above)
        for kind in KINDS:
            if kind not in one and kind not in other:
                continue
            line = PriceLine(
                kind=kind, above=above, adopted=cost(one, kind), suggested=cost(other, kind)
            )
            if not above or line.differs:
                yield line


def cost(price: Mapping[str, Decimal], kind: str) -> Decimal | None:
    """What a kind costs, by itself or by what it falls back to; ``None``: nothing is said."""
    for name in (kind, *FALL_BACK.get(kind, ())):
        if name in price:
            return price[name]
    return None


def _tier(tiers: Mapping[int, dict[str, Decimal]], above: int) -> dict[str, Decimal]:
    return tiers[max(start for start in tiers if start <= above)]


def _decimals(price: Mapping[str, str]) -> dict[str, Decimal]:
    return {kind: Decimal(text) for kind, text in price.items()}
