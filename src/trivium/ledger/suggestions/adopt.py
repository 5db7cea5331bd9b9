"""A suggestion as lines of TOML, for an operator to paste: adopting a price is their decision.

The settings file is theirs, with its comments and its order, and running gateways read it the
second it changes. So nothing writes into it.
"""

from collections.abc import Iterator, Mapping

from trivium.ledger.suggestions.model import Catalogue, PriceList, Suggestion, Tier
from trivium.settings.prices import KINDS, day


def toml(
    model: str, catalogue: Catalogue, provider: str, entry: str, row: Suggestion, now: float
) -> str:
    """The lines of a ``[[models]]`` table that say what it costs, from today and from later days.

    ``now``: seconds since the epoch.
    """
    return "\n".join(_lines(model, catalogue, f"{provider}/{entry}", row, now)) + "\n"


def _lines(
    model: str, catalogue: Catalogue, entry: str, row: Suggestion, now: float
) -> Iterator[str]:
    listed = row.at(now)
    yield f"# {model}: {entry}, by {catalogue.source} of {catalogue.date}"
    for charge in row.left_out:
        yield f"# not said by these prices: {charge}"
    yield f"price = {_table(listed.price)}"
    if listed.tiers:
        yield f"tiers = [{_tiers(listed.tiers)}]"
    later = [each for each in row.lists if each.since and day(each.since) > now]
    if later:
        yield f"price_changes = [{', '.join(map(_change, later))}]"


def _change(each: PriceList) -> str:
    tiers = f", tiers = [{_tiers(each.tiers)}]" if each.tiers else ""
    return f'{{ since = "{each.since}", price = {_table(each.price)}{tiers} }}'


def _tiers(tiers: tuple[Tier, ...]) -> str:
    return ", ".join(f"{{ above = {tier.above}, price = {_table(tier.price)} }}" for tier in tiers)


def _table(price: Mapping[str, str]) -> str:
    ordered = (f'{kind} = "{price[kind]}"' for kind in KINDS if kind in price)
    return f"{{ {', '.join(ordered)} }}"
