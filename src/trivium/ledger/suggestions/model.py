"""The catalogue of suggestions as a file, read strictly: wrong prices are worse than none.

It is data and no authority. Every row comes from the source and the day that the file names, and
nothing in it applies to a request: an operator adopts a price by writing it into the settings.
"""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final, Literal

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.settings.prices import DECIMAL, KINDS, day, gap

BYTES_MAX: Final = 8 * 2**20
"""A catalogue of 20 vendors takes half a MiB."""
NAME_CHARS_MAX: Final = 200
LISTS_MAX: Final = 20
"""Lists, or tiers, of one model."""

_DATED: Final = re.compile(r"(.+?)[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest)")
"""A version of a model; vendors bill them as the model itself."""


def undated(model: str) -> str:
    """The name of a model without a version."""
    dated = _DATED.fullmatch(model)
    return dated[1] if dated else model


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A member nobody knows may be a price nobody asks."""


class SuggestedTier(_Strict, frozen=True, kw_only=True):
    """Other prices for requests with a long context."""

    above: int
    """Input tokens above which they hold for the whole request."""
    price: dict[str, str]


class PriceList(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """All prices from a day on; kinds, units and fall-backs as in ``settings/prices.py``."""

    since: str = ""
    """``2027-01-01``; empty: always."""
    price: dict[str, str]
    """US dollars as decimals."""
    tiers: tuple[SuggestedTier, ...] = ()


class Suggestion(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """One model of one vendor."""

    lists: tuple[PriceList, ...]
    """Oldest first: the one in force on the catalogue's day, then those announced."""
    names: tuple[str, ...] = ()
    """What else it is called."""
    left_out: tuple[str, ...] = ()
    """Charges of the vendor's that a price row of ours cannot say."""

    def at(self, now: float) -> PriceList:
        """The list in force. ``now``: seconds since the epoch."""
        found = self.lists[0]
        for each in self.lists:
            if each.since and day(each.since) <= now:
                found = each
        return found


class PriceCatalogue(_Strict, frozen=True, kw_only=True):
    """The whole file of suggested prices."""

    format: Literal[1]
    source: str
    date: str
    """The day up to which the source is known to be right."""
    licence: str
    providers: dict[str, dict[str, Suggestion]]
    """By provider, then by the vendor's own name for the model."""

    def find(self, provider: str, model: str) -> tuple[str, Suggestion] | None:
        """A vendor's model by its name, one of its other names, or either with a version."""
        return found_in(self.named(provider), model)

    def named(self, provider: str) -> dict[str, tuple[str, Suggestion]]:
        """A vendor's models by each of their names."""
        rows = self.providers.get(provider, {})
        also = {other: (name, row) for name, row in rows.items() for other in row.names}
        return also | {name: (name, row) for name, row in rows.items()}


def found_in(
    named: Mapping[str, tuple[str, Suggestion]], model: str
) -> tuple[str, Suggestion] | None:
    """A model by one of its names, with a version or without; ``None``: it is not there."""
    return named.get(model) or named.get(undated(model))


_decode: Final = msgspec.json.Decoder(PriceCatalogue).decode


def read(data: bytes) -> PriceCatalogue:
    """A catalogue out of its file. Raises ``LedgerError`` naming what is wrong with it."""
    if len(data) > BYTES_MAX:
        raise LedgerError(f"is above {BYTES_MAX} bytes, which no price catalogue is")
    try:
        catalogue = _decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as exc:
        raise LedgerError(f"is no price catalogue: {exc}") from None
    check(catalogue)
    return catalogue


def check(catalogue: PriceCatalogue) -> None:
    """Raises ``LedgerError`` with the first row that cannot be a price, and why."""
    _day(catalogue.date, "date")
    for text in (catalogue.source, catalogue.licence):
        _printable(text, "source and licence")
    for provider, rows in catalogue.providers.items():
        _printable(provider, "the name of a provider")
        called: set[str] = set(rows)
        for model, row in rows.items():
            where = f"{provider}/{model}"
            for name in (model, *row.names, *row.left_out):
                _printable(name, where)
            if called.intersection(row.names):
                raise LedgerError(f"{where} shares one of its names with another model")
            called.update(row.names)
            for problem in _problems(row):
                raise LedgerError(f"{where} {problem}")


def _problems(row: Suggestion) -> Iterator[str]:
    if not 1 <= len(row.lists) <= LISTS_MAX:
        yield f"must have 1 to {LISTS_MAX} price lists"
    for i, each in enumerate(row.lists):
        if each.since or i:
            _day(each.since, "since")
        if i and each.since <= row.lists[i - 1].since:
            yield "has price lists that are not in the order of their days"
        if not each.price:
            yield "has a list without a price"
        yield from _prices(each)


def _prices(each: PriceList) -> Iterator[str]:
    if len(each.tiers) > LISTS_MAX:
        yield f"must have at most {LISTS_MAX} tiers"
    below = 0
    for tier in each.tiers:
        if tier.above <= below:
            yield "has tiers that do not ascend from above zero"
        below = tier.above
    for price in (each.price, *({**each.price, **tier.price} for tier in each.tiers)):
        yield from _kinds(price)
        missing = gap(price)
        if missing:
            yield missing


def _kinds(price: dict[str, str]) -> Iterator[str]:
    for kind, text in price.items():
        if kind not in KINDS:
            yield f"has a price of the unknown kind {kind!r:.80}"
        if not DECIMAL.fullmatch(text):
            yield f"has {kind} = {text!r:.80}, which is no decimal"


def _day(text: str, what: str) -> None:
    try:
        day(text)
    except ValueError:
        raise LedgerError(f"{what} must be a day such as 2027-01-01, not {text!r:.80}") from None


def _printable(text: str, where: str) -> None:
    if not text or len(text) > NAME_CHARS_MAX or not text.isprintable():
        raise LedgerError(f"{where!r:.250} has a name that is empty, too long or not printable")


def bundled() -> PriceCatalogue:
    """The catalogue that this version came with."""
    return read(files("trivium.ledger.suggestions").joinpath("catalogue.json").read_bytes())
