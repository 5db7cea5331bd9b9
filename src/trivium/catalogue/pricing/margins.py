"""What is earned on a model: its price in a group less what it costs. Pure.

*Set* is the difference of the prices. What it costs is ``cost`` of the binding, one number for all
tokens; where that is not said, what the vendor's list has, else what the catalogue suggests.

*Actual* is of the sums of what was billed: for each model and channel what users paid and how many
tokens went in and out. No record keeps what the vendor took, so the cost is reckoned by the same
prices as they are now, with cached tokens as dear as others: it is rather too high than too low.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import msgspec

from trivium.catalogue.pricing.offers import PriceOffer, bindings_of
from trivium.catalogue.pricing.origin import PriceSource
from trivium.ledger.cost import row_at
from trivium.ledger.spending.model import SpendRow
from trivium.ledger.suggestions.compare import cost
from trivium.routing.model import Binding, Model

NANOS_A_TOKEN: Final = 1000
"""A dollar a million tokens."""
SOLD: Final = ("input", "output")
"""Kinds of price whose margin is told: all others are parts of these."""
SET: Final = "set"
"""The basis of a cost that a binding says; the others are values of ``PriceSource``."""


class TokenCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a model costs at one channel, in US dollars a million tokens."""

    channel: str
    basis: str
    """``set``, ``vendor`` or ``bundled``: who says so."""
    input: Decimal
    output: Decimal | None
    """``None``: there is none, as of embeddings."""


class SetMargin(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of price at one channel."""

    kind: str
    income: Decimal
    """What users of the group pay, in US dollars a million tokens."""
    cost: Decimal
    basis: str
    channel: str

    @property
    def margin(self) -> Decimal:
        """What is left of the income, in US dollars a million tokens."""
        return self.income - self.cost

    @property
    def share(self) -> float | None:
        """What part of the income is left; ``None``: there is no income."""
        return float(self.margin / self.income) if self.income else None


class EarnedMargin(msgspec.Struct, frozen=True, kw_only=True):
    """What a model brought in within some days, in nano-dollars."""

    requests: int
    income_nanos: int
    known_nanos: int
    """What of it was by channels whose cost is known."""
    cost_nanos: int
    """What that cost, about."""

    @property
    def margin_nanos(self) -> int:
        """What is left of the part that is known."""
        return self.known_nanos - self.cost_nanos

    @property
    def is_whole(self) -> bool:
        """Whether the cost of everything is known."""
        return self.known_nanos == self.income_nanos

    @property
    def share(self) -> float | None:
        """What part of the known income is left; ``None``: there is none."""
        return self.margin_nanos / self.known_nanos if self.known_nanos else None


def costs_of(model: Model, offers: Sequence[PriceOffer], now: float) -> list[TokenCost]:
    """What a model costs at each of its channels where that is known, first choice first."""
    found = (_cost(binding, offers, now) for binding in bindings_of(model))
    return [each for each in found if each is not None]


def said_costs(models: Iterable[Model]) -> dict[str, list[TokenCost]]:
    """What models cost where their bindings say so: at channels where all of them say the same."""
    return {
        model.name: [
            TokenCost(channel=channel, basis=SET, input=cost, output=cost)
            for channel, several in _said(model).items()
            if len(several) == 1 and (cost := next(iter(several))) is not None
        ]
        for model in models
    }


def _said(model: Model) -> dict[str, set[Decimal | None]]:
    found: dict[str, set[Decimal | None]] = {}
    for binding in model.bindings:
        found.setdefault(binding.channel.name, set()).add(binding.cost)
    return found


def _cost(binding: Binding, offers: Sequence[PriceOffer], now: float) -> TokenCost | None:
    channel = binding.channel.name
    if binding.cost is not None:
        return TokenCost(channel=channel, basis=SET, input=binding.cost, output=binding.cost)
    mine = [each for each in offers if each.channel == channel]
    for source in PriceSource:
        for each in mine:
            price = each.suggestion.at(now).price
            if each.origin.source is source and "input" in price:
                output = price.get("output")
                return TokenCost(
                    channel=channel,
                    basis=source.value,
                    input=Decimal(price["input"]),
                    output=None if output is None else Decimal(output),
                )
    return None


def set_margins(
    model: Model, costs: Sequence[TokenCost], multiplier: Fraction, now: float
) -> list[SetMargin]:
    """Of each kind that is sold by the token the margin at the dearest channel; empty for what is
    free, and where no cost is known.
    """
    if not model.prices:
        return []
    price = row_at(model.prices, now).price
    found = []
    for kind in SOLD:
        listed = cost(price, kind)
        known = [
            (value, each)
            for each in costs
            if (value := each.input if kind == "input" else each.output) is not None
        ]
        if listed is None or not known:
            continue
        dear, each = max(known, key=lambda pair: pair[0])
        income = listed * multiplier.numerator / multiplier.denominator
        found.append(
            SetMargin(kind=kind, income=income, cost=dear, basis=each.basis, channel=each.channel)
        )
    return found


def earned(
    rows: Iterable[SpendRow], costs: Mapping[str, Sequence[TokenCost]]
) -> dict[str, EarnedMargin]:
    """What each model brought in. ``rows``: sums by model and channel; ``costs``: by model."""
    by_place = {(model, each.channel): each for model, several in costs.items() for each in several}
    sums: dict[str, list[int]] = {}
    for row in rows:
        model, channel = str(row.values[0]), str(row.values[1])
        of = sums.setdefault(model, [0, 0, 0, 0])
        of[0] += row.sums.requests
        of[1] += row.sums.nanos
        at = by_place.get((model, channel))
        if at is None:
            continue
        of[2] += row.sums.nanos
        dollars = row.sums.input_tokens * at.input + row.sums.output_tokens * (at.output or 0)
        of[3] += int(dollars * NANOS_A_TOKEN)
    return {
        model: EarnedMargin(requests=of[0], income_nanos=of[1], known_nanos=of[2], cost_nanos=of[3])
        for model, of in sums.items()
    }


def together(several: Iterable[EarnedMargin]) -> EarnedMargin:
    """What several models brought in."""
    every = list(several)
    return EarnedMargin(
        requests=sum(each.requests for each in every),
        income_nanos=sum(each.income_nanos for each in every),
        known_nanos=sum(each.known_nanos for each in every),
        cost_nanos=sum(each.cost_nanos for each in every),
    )
