#!/usr/bin/env python
"""Writes the catalogue of suggested prices from an unpacked wheel of genai-prices.

    pip download --no-deps genai-prices==0.2.3 && unzip genai_prices-0.2.3-*.whl -d /tmp/wheel
    scripts/price_catalogue.py /tmp/wheel 0.2.3 2026-11-10 > catalogue.json

and the file goes into src/trivium/ledger/suggestions.

The package is a source of data and no dependency: it takes half a second to import and its client
wants more packages. Only what our prices can say is taken; what is left out is named on each row.
"""

import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from trivium.ledger.suggestions.model import (
    PriceCatalogue,
    PriceList,
    SuggestedTier,
    Suggestion,
    check,
)
from trivium.settings.prices import gap

LEFT_OUT = {
    "web_searches_kcount": "web searches",
    "storage_searches_kcount": "file searches",
    "cache_write_mtok": "cache writes, whose price is no decimal of twelve places",
    "cache_audio_read_mtok": "audio read from a cache",
    "cache_image_read_mtok": "images read from a cache",
    "input_video_mtok": "video tokens of input",
    "output_video_mtok": "video tokens of output",
    "output_citation_mtok": "citation tokens",
    "audio_hours": "audio by the hour, whose price by the second is no decimal of twelve places",
}

PROVIDERS = {
    **{name: name for name in (
        "anthropic", "azure", "baseten", "cerebras", "cloudflare", "cohere", "deepseek",
        "fireworks", "groq", "minimax", "mistral", "openai", "openrouter", "ovhcloud",
        "perplexity", "together",
    )},
    "google": "gemini",
    "moonshotai": "moonshot",
    "x-ai": "xai",
    "zhipuai": "zhipu",
}  # fmt: skip
"""Their name for a vendor to ours; vendors we have no provider for are left out."""

KINDS = {
    "input_mtok": ("input", 1),
    "cache_read_mtok": ("cache_read", 1),
    "cache_write_mtok": ("cache_write", 1),
    "cache_write_1h_mtok": ("cache_write_1h", 1),
    "output_mtok": ("output", 1),
    "output_reasoning_mtok": ("reasoning", 1),
    "input_audio_mtok": ("audio_input", 1),
    "output_audio_mtok": ("audio_output", 1),
    "input_image_mtok": ("image_input", 1),
    "output_image_mtok": ("image_output", 1),
    "requests_kcount": ("per_request", 1_000),
    "input_mchars": ("per_character", 1_000_000),
    "audio_hours": ("per_second", 3_600),
    "input_audio_hours": ("per_second", 3_600),
}
"""Their unit to our kind of price, and by what it is divided."""


def names(clause: Any) -> Iterator[str]:
    """What a model is called exactly, or up to a date: equalities and beginnings."""
    for value in vars(clause).values():
        if isinstance(value, str):
            if type(clause).__name__ in ("ClauseEquals", "ClauseStartsWith"):
                yield value.rstrip("-@")
        elif isinstance(value, list) and type(clause).__name__ == "ClauseOr":
            for inner in value:
                yield from names(inner)


def price_list(since: str, prices: Any) -> tuple[PriceList, set[str]]:
    """One list of prices and the units that it cannot say."""
    base: dict[str, str] = {}
    above: dict[int, dict[str, str]] = {}
    left_out: set[str] = set()
    for unit, value in vars(prices).items():
        if value is None or unit.startswith("_"):
            continue
        steps = [(0, value)] if isinstance(value, Decimal) else [
            (0, value.base), *((tier.start, tier.price) for tier in value.tiers)
        ]  # fmt: skip
        texts = [(start, text(price, KINDS[unit][1])) for start, price in steps if unit in KINDS]
        if not texts or any(each is None for _, each in texts):
            left_out.add(LEFT_OUT.get(unit.replace("input_audio_h", "audio_h"), unit))
            continue
        for start, each in texts:
            (above.setdefault(start, {}) if start else base)[KINDS[unit][0]] = each
    split_lives(base)
    for tier in above.values():
        split_lives(tier, base)
    tiers = tuple(SuggestedTier(above=start, price=above[start]) for start in sorted(above))
    return PriceList(since=since, price=base, tiers=tiers), left_out


def split_lives(price: dict[str, str], base: dict[str, str] | None = None) -> None:
    """Their cache write is the short one where the long one has a price of its own."""
    if (
        "cache_write_1h" in (price if base is None else {**base, **price})
        and "cache_write" in price
    ):
        price["cache_write_5m"] = price.pop("cache_write")


def text(price: Decimal, divisor: int) -> str | None:
    """An exact decimal of at most twelve places; None when there is none."""
    whole = Fraction(price) / divisor * 10**12
    if whole.denominator != 1:
        return None
    return format((Decimal(whole.numerator) / 10**12).normalize(), "f")


def suggestion(model: Any, taken: set[str], today: str) -> Suggestion | None:
    """One model's lists in force or to come; None when nothing can be said of it."""
    lists: list[PriceList] = []
    hours: list[PriceList] = []
    left_out: set[str] = set()
    conditions = model.prices if isinstance(model.prices, list) else [None]
    for condition in conditions:
        prices = model.prices if condition is None else condition.prices
        constraint = None if condition is None else condition.constraint
        if constraint is not None and not hasattr(constraint, "start_date"):
            hours.append(price_list("", prices)[0])
            left_out.add("cheaper hours of the day")
            continue
        since = "" if constraint is None else constraint.start_date.isoformat()
        found, missing = price_list(since, prices)
        lists.append(found)
        left_out |= missing
    if model.price_variants:
        left_out.add("prices by request option, such as a service tier")
    lists.sort(key=lambda each: each.since)
    begun = [each for each in lists if each.since <= today]
    lists = begun[-1:] + [each for each in lists if each.since > today]
    if hours and lists:  # whichever hours are the rule, the dearer price is suggested
        dearest = max(lists[0], *hours, key=lambda each: Decimal(each.price.get("output", "0")))
        lists[0] = msgspec.structs.replace(dearest, since=lists[0].since)
    if not lists or any(not each.price or gap(each.price) for each in lists):
        return None
    if any(set(map(float, each.price.values())) == {0.0} for each in lists):
        return None  # nothing is free by suggestion
    own = [name for name in dict.fromkeys(names(model.match)) if name not in taken]
    taken.update(own)
    return Suggestion(
        names=tuple(name for name in own if name != model.id),
        lists=tuple(lists),
        left_out=tuple(sorted(left_out)),
    )


def main(folder: str, version: str, published: str) -> None:
    """The catalogue as JSON on standard output."""
    sys.path.insert(0, folder)
    sys.modules.setdefault("httpx2", ModuleType("httpx2"))  # its updater's, which is not wanted
    from genai_prices.data import providers

    today = date.fromisoformat(published).isoformat()
    found = {}
    for provider in providers:
        ours = PROVIDERS.get(provider.id)
        if ours is None:
            continue
        taken = {model.id for model in provider.models}
        rows = {model.id: suggestion(model, taken, today) for model in provider.models}
        found[ours] = {name: row for name, row in sorted(rows.items()) if row is not None}
    catalogue = PriceCatalogue(
        format=1,
        source=f"genai-prices {version}",
        date=today,
        licence="MIT, Copyright (c) Pydantic Services Inc. 2025 to present",
        providers=dict(sorted(found.items())),
    )
    check(catalogue)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(catalogue), indent=1).decode() + "\n")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
