"""What the operator earned on what was billed, as far as the settings say what it cost. Pure.

Known is what users were billed, and by which channel each model was served, with all its tokens. A
binding's ``cost`` is one number a million tokens, as it is now: what a vendor takes for cached,
written or reasoned tokens, for pictures or seconds, what requests cost that nobody was billed for,
and what a price was then, is not known here. ``trivium reconcile`` compares with a vendor's bill.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

import msgspec

from trivium.ledger.spending.model import SpendRow
from trivium.routing.model import Model

NANOS_A_TOKEN: Final = 1000
"""A dollar a million tokens."""


class Margin(msgspec.Struct, frozen=True, kw_only=True):
    """Income and cost, in nano-dollars."""

    income_nanos: int
    """All that was billed."""
    known_nanos: int
    """What of it was for a model and channel whose cost the settings say."""
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


def costs(models: Iterable[Model]) -> dict[tuple[str, str], Decimal]:
    """Cost a million tokens by model and channel, where all its bindings there say the same."""
    found: dict[tuple[str, str], set[Decimal | None]] = {}
    for model in models:
        for binding in model.bindings:
            found.setdefault((model.name, binding.channel.name), set()).add(binding.cost)
    return {
        place: cost
        for place, several in found.items()
        if len(several) == 1 and (cost := next(iter(several))) is not None
    }


def margin(rows: Iterable[SpendRow], cost_of: Mapping[tuple[str, str], Decimal]) -> Margin:
    """Income and cost of sums by model and channel."""
    income = known = cost = 0
    for row in rows:
        income += row.sums.nanos
        model, channel = row.values
        each = cost_of.get((str(model), str(channel)))
        if each is not None:
            known += row.sums.nanos
            cost += int((row.sums.input_tokens + row.sums.output_tokens) * each * NANOS_A_TOKEN)
    return Margin(income_nanos=income, known_nanos=known, cost_nanos=cost)
