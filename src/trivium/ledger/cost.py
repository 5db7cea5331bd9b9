"""Prices as the ledger reckons with them: whole numbers, and one rounding an entry.

A price is a decimal of at most twelve places, so a million times a million of it is a whole number:
an *atom* is the billionth part of a nano-dollar, and every price is a whole number of atoms a token
(or a second, a character, a request, an image). A bill is a sum of products of integers, times the
group's exact fraction, rounded **up** to the next nano-dollar, once. So the sum of a thousand small
entries is the sum of what is shown, and nothing that costs something costs nothing.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from trivium.conversation.usage import TEXT_COUNTERS, TEXT_ONLY, Usage
from trivium.ledger.model import Quote
from trivium.ledger.tariff import ATOMS, NANOS_MAX, Rates, Tariff
from trivium.routing.model import ImagePrice, PriceRow, VideoPrice
from trivium.settings.prices import FALL_BACK

_TOKEN: Final = 10**12
"""Atoms a token for one dollar a million tokens."""
_UNIT: Final = 10**18
"""Atoms for one dollar."""
_NONE: Final = Decimal(0)


def cost(tariff: Tariff, usage: Usage) -> tuple[int, Rates]:
    """What an answer costs in nano-dollars, and the tier it fell into."""
    rates = tariff.tiers[0] if len(tariff.tiers) == 1 else tariff.rates(usage.input_total)
    # HOT: 8,120 -> 5,040 instructions, as what is alike in unreported_usage.py (2026-11-24,
    # callgrind, docs/decisions/0022-hot-marks.md): one call takes all counters of a struct, each of
    # which costs as much, and what most have nothing of is asked for once
    counts = astuple(usage)
    fresh: int = counts[0]
    cached: int = counts[1]
    short: int = counts[2]
    long: int = counts[3]
    output: int = counts[4]
    reasoning: int = counts[5]
    atoms = (
        fresh * rates.fresh
        + cached * rates.cache_read
        + output * rates.output
        + reasoning * rates.reasoning
        + tariff.request
    )
    if short or long:
        atoms += short * rates.cache_write_short + long * rates.cache_write_long
    if counts[TEXT_COUNTERS:-1] != TEXT_ONLY:
        atoms += _other_atoms(tariff, rates, usage)
    nanos = -(-atoms * tariff.numerator // tariff.denominator)  # as ``Tariff.nanos``
    return nanos if nanos < NANOS_MAX else NANOS_MAX, rates  # noqa: FURB136 - min() is a call


def _other_atoms(tariff: Tariff, rates: Rates, usage: Usage) -> int:
    """Atoms of whatever is no text, and of further requests."""
    atoms = usage.audio_input * rates.audio_input + usage.audio_output * rates.audio_output
    atoms += usage.image_input * rates.image_input + usage.image_output * rates.image_output
    atoms += (usage.requests - 1) * tariff.request
    if usage.seconds is not None:
        atoms += round(usage.seconds * 1000) * tariff.price_of_video(usage.video_size)
    atoms += (usage.characters or 0) * tariff.character + (usage.searches or 0) * tariff.search
    for images in usage.images:
        atoms += images.count * tariff.price_of_image(images.size, images.quality)
    return atoms


def input_cost(quote: Quote) -> int:
    """What an input that nothing answered costs in nano-dollars: ``cost`` of it alone."""
    tariff, tokens = quote.tariff, quote.input_tokens
    if tariff is None or quote.own_nanos == 0:
        return 0
    # a usage of one class costs as much to make as to reckon with
    rates = tariff.tiers[0] if len(tariff.tiers) == 1 else tariff.rates(tokens)
    atoms = tokens * rates.fresh + tariff.request
    nanos = -(-atoms * tariff.numerator // tariff.denominator)  # as ``Tariff.nanos``
    return nanos if nanos < NANOS_MAX else NANOS_MAX  # noqa: FURB136 - min() is a call


def _all_of_it(quote: Quote) -> int:
    return quote.amount_nanos if quote.own_nanos is None else quote.own_nanos


def _nothing(_: Quote) -> int:
    return 0


INTERRUPTED: Final[Mapping[str, Callable[[Quote], int]]] = {
    "free": _nothing,
    "input": input_cost,
    "hold": _all_of_it,
}
"""What a request costs that its worker died with, by ``ledger.interrupted`` of the settings."""


def tariff_of(model: str, row: PriceRow, multiplier: Fraction = Fraction(1)) -> Tariff:
    """A price list made ready to reckon with."""
    head: dict[str, Any] = {"model": model}
    if row.since:
        head["since"] = row.since
    if multiplier != 1:
        head["multiplier"] = str(multiplier)
    if row.images:
        head["images"] = [(image.size, image.quality, _text(image.price)) for image in row.images]
    if row.videos:
        head["videos"] = [(video.size, _text(video.price)) for video in row.videos]
    tiers = [_rates(0, row.price, head)]
    tiers += [_rates(tier.above, {**row.price, **tier.price}, head) for tier in row.tiers]
    price = row.price
    flat = bool(price.get("per_request"))
    return Tariff(
        model=model,
        tiers=tuple(tiers),
        request=_exact(price.get("per_request", _NONE) * _UNIT),
        millisecond=_exact(price.get("per_second", _NONE) * _UNIT / 1000),
        character=_exact(price.get("per_character", _NONE) * _UNIT),
        search=_exact(price.get("per_search", _NONE) * _UNIT),
        image=_exact(price.get("per_image", _NONE) * _UNIT),
        images=_images(row.images),
        videos=_videos(row.videos),
        numerator=multiplier.numerator,
        denominator=multiplier.denominator * ATOMS,
        kinds=frozenset(price),
        meters_input=flat or "input" in price,
        meters_output=flat or "output" in price,
    )


def row_at(rows: tuple[PriceRow, ...], now: float) -> PriceRow:
    """The list in force: the last that has begun."""
    found = rows[0]
    for row in rows:
        if row.since <= now:
            found = row
    return found


def _rates(above: int, price: Mapping[str, Decimal], head: Mapping[str, Any]) -> Rates:
    def atoms(kind: str) -> int:
        for name in (kind, *FALL_BACK.get(kind, ())):
            if name in price:
                return _exact(price[name] * _TOKEN)
        return 0

    told = {kind: _text(value) for kind, value in price.items()}
    label = {**head, **({"tier": above} if above else {}), "prices": told}
    into = [atoms(kind) for kind in ("input", "cache_read", "cache_write_5m", "cache_write_1h")]
    return Rates(
        above=above,
        input_max=max(into),
        output_max=max(atoms("output"), atoms("reasoning")),
        fresh=into[0],
        cache_read=into[1],
        cache_write_short=into[2],
        cache_write_long=into[3],
        output=atoms("output"),
        reasoning=atoms("reasoning"),
        audio_input=atoms("audio_input"),
        audio_output=atoms("audio_output"),
        image_input=atoms("image_input"),
        image_output=atoms("image_output"),
        label=msgspec.json.encode(label)[:-1].decode(),
    )


def _text(price: Decimal) -> str:
    return format(price.normalize(), "f")


def _images(rows: tuple[ImagePrice, ...]) -> dict[tuple[str, str], int]:
    return {(row.size, row.quality): _exact(row.price * _UNIT) for row in rows}


def _videos(rows: tuple[VideoPrice, ...]) -> dict[str, int]:
    return {row.size: _exact(row.price * _UNIT / 1000) for row in rows}


def _exact(atoms: Decimal) -> int:
    """Whole by construction: a price has at most twelve places."""
    whole = int(atoms)
    if whole != atoms:
        raise ValueError(f"a price has more than twelve places: {atoms} atoms")
    return whole
