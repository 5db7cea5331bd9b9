"""Prices as the page and the API show them: side by side, with what is earned in a price group."""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.catalogue.pricing.margins import EarnedMargin, earned
from trivium.catalogue.pricing.service import PriceSheet
from trivium.catalogue.pricing.sheet import PriceStanding, PriceState
from trivium.console.context import Console
from trivium.ledger.spending.model import DAY_S, Dimension, SpendScope

DAYS: Final = 30
"""Over which it is told what was earned, where nobody asks for others."""
DAYS_MAX: Final = 400


class PricedSheet(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of prices, for one price group."""

    sheet: PriceSheet
    groups: tuple[str, ...]
    """All that there are."""
    earned: Mapping[str, EarnedMargin]
    """By model, where anything was billed."""

    def found(self, text: str, *, differing: bool) -> list[PriceStanding]:
        """Models whose name has the text in it; ``differing``: only what could be another price."""
        wanted = text.casefold()
        return [
            each
            for each in self.sheet.standings
            if wanted in each.name.casefold()
            and (not differing or each.state is PriceState.DIFFERS)
        ]


async def priced(console: Console, group: str, days: int = DAYS) -> PricedSheet:
    """Look at all prices. ``group``: whose margins are told; empty: everybody's, at list prices.

    Raises KeyError for a group that there is not.
    """
    groups = tuple(console.gateway.settings()[0].groups)
    if group and group not in groups:
        raise KeyError(group)
    sheet = await console.prices.sheet(console.multiplier(group))
    today = int(console.clock.now()) // DAY_S
    scope = SpendScope(since=today - days + 1, until=today, payer_group=group or None)
    rows = await console.spending.rows(scope, (Dimension.MODEL, Dimension.CHANNEL))
    costs = {each.name: each.costs for each in sheet.standings}
    return PricedSheet(sheet=sheet, groups=groups, earned=earned(rows, costs))
