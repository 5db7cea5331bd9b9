"""What a vendor's own list of models says that they cost, as a suggestion like those of the
catalogue. Pure: the list is fetched elsewhere.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

import msgspec

from trivium.ledger.suggestions.model import PriceList, Suggestion
from trivium.providers.listed_prices import ListedPrice, listed_price
from trivium.settings.prices import DECIMAL, KINDS, gap
from trivium.wire.model_lists import VendorEntry

_PLACES: Final = Decimal("1e-12")
_LARGE: Final = 10**9
LEFT_OUT_MAX: Final = 20
"""Charges of one model that are told."""
OFFERS_MAX: Final = 20_000
"""Models of one page that are looked at where all are wanted."""


class VendorOffer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model of a vendor's list."""

    suggestion: Suggestion | None = None
    """``None``: the list says no price that can be taken over."""
    is_free: bool = False
    """It says 0 for input and output."""
    left_out: tuple[str, ...] = ()
    """What it charges besides, or says in a way that is no price."""


class VendorList(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one channel's vendor lists, as far as somebody asked."""

    at: int
    """When it was read, in seconds since the epoch."""
    models: dict[str, VendorOffer] = msgspec.field(default_factory=dict)
    """Those that were asked for and that it has, by the vendor's own name."""
    listed: int = 0
    """Models of the whole list."""
    unread: int = 0
    """Entries that are none."""
    is_whole: bool = True
    """Whether it was read to its end."""
    why: str = ""
    """Why it could not be read; empty: it was."""


def offers(
    provider: str, entries: Iterable[VendorEntry], wanted: frozenset[str] | None
) -> dict[str, VendorOffer]:
    """What a list says of the wanted models (without Google's ``models/``), in its order; of the
    first where one occurs twice. ``None``: of all that there are, up to ``OFFERS_MAX``.
    """
    found: dict[str, VendorOffer] = {}
    if wanted is None:
        entries = itertools.islice(entries, OFFERS_MAX)
    for entry in entries:
        if (wanted is None or entry.name in wanted) and entry.name not in found:
            found[entry.name] = offer(listed_price(provider, bytes(entry.raw)))
    return found


def offer(said: ListedPrice | None) -> VendorOffer:
    """A price that a list says, as a suggestion."""
    if said is None:
        return VendorOffer()
    left_out = list(said.left_out)
    price = dict(_taken(said.price, left_out))
    problem = gap(price) if price else None
    if problem is not None:
        left_out.append(problem)
        price = {}
    told = tuple(left_out[:LEFT_OUT_MAX])
    is_free = said.price.get("input") == 0 and not said.price.get("output")
    suggestion = Suggestion(lists=(PriceList(price=price),), left_out=told) if price else None
    return VendorOffer(suggestion=suggestion, is_free=is_free, left_out=told)


def _taken(price: Mapping[str, Decimal], left_out: list[str]) -> Iterator[tuple[str, str]]:
    """The prices as the settings have them. A 0 beside others says that there is none of its own:
    what then holds is the ordinary price of the kind, which is not below.
    """
    is_zero = not any(price.values())
    for kind in KINDS:
        if kind not in price:
            continue
        value = price[kind]
        if value == 0 and (is_zero or kind not in ("input", "output")):
            continue
        rounded = value.quantize(_PLACES, ROUND_HALF_UP) if value < _LARGE else value
        said = format(rounded.normalize(), "f") if value < _LARGE else ""
        if DECIMAL.fullmatch(said) and (said != "0" or value == 0):
            yield kind, said
        else:
            left_out.append(f"{kind} that is no price")
