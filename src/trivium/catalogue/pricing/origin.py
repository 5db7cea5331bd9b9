"""Whether a model's price was adopted or made by hand, as its document says. Pure.

Adopting writes ``price_origin``: whose price it is, of which day, and a fingerprint of the prices
themselves. Whoever changes a price by hand changes the fingerprint, whether or not they leave the
member where it is: so nobody's own price is ever taken for an adopted one.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum, unique
from typing import Any, Final

import msgspec

from trivium.ledger.suggestions.model import PriceList, Suggestion
from trivium.settings.prices import PRICE_ORIGIN, day

MEMBERS: Final = ("price", "tiers", "images", "videos", "price_changes")
"""Members of a model that say what it costs."""
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


@unique
class PriceSource(Enum):
    """Who says what a model costs."""

    VENDOR = "vendor"
    """The list of the channel's vendor."""
    BUNDLED = "bundled"
    """The catalogue of suggestions that the gateway came with, or a newer one."""


class PriceOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Whose price was adopted."""

    source: PriceSource
    day: str
    """Of the list, as ``2027-01-01``."""
    place: str
    """The channel, or the provider, and its name for the model."""


def price_digest(document: Mapping[str, Any]) -> str:
    """A fingerprint of what a model's document says of prices; the same in any order."""
    said = {name: document[name] for name in MEMBERS if document.get(name)}
    return hashlib.sha256(_encode(said)).hexdigest()[:16]


def origin_of(document: Mapping[str, Any]) -> PriceOrigin | None:
    """Whose price a model's document has; ``None``: it was made by hand, or changed since."""
    said = document.get("price_origin")
    found = PRICE_ORIGIN.fullmatch(said) if isinstance(said, str) else None
    if found is None or found["digest"] != price_digest(document):
        return None
    return PriceOrigin(source=PriceSource(found["source"]), day=found["day"], place=found["place"])


def is_by_hand(document: Mapping[str, Any]) -> bool:
    """Whether somebody made the price: it has one, and nobody's was adopted."""
    return any(document.get(name) for name in MEMBERS) and origin_of(document) is None


def with_price(
    document: Mapping[str, Any],
    suggestion: Suggestion,
    origin: PriceOrigin,
    now: float,
    since: str | None = None,
) -> dict[str, Any]:
    """A model's document with a suggested price, and whose it is. Pictures and videos keep theirs,
    as no suggestion prices them.

    ``since``: the day from which it holds; until then everything stays. ``None``: at once. ``now``:
    seconds since the epoch.
    """
    begins = now if since is None else float(day(since))
    changed = dict(document)
    changes = []
    if since is None:
        changed |= _members(suggestion.at(now), {})
    else:
        changes = [
            each for each in document.get("price_changes", ()) if each.get("since", "") < since
        ]
        changes.append({"since": since} | _members(suggestion.at(begins), document))
    changes += [
        {"since": each.since} | _members(each, document)
        for each in suggestion.lists
        if each.since and day(each.since) > begins
    ]
    changed["price_changes"] = changes
    for name in MEMBERS:
        if not changed.get(name):
            changed.pop(name, None)
    said = f"{origin.source.value} {origin.day} {price_digest(changed)} {origin.place}"
    changed["price_origin"] = said
    return changed


def _members(listed: PriceList, document: Mapping[str, Any]) -> dict[str, Any]:
    """What a list says, beside what ``document`` says of pictures and videos."""
    tiers = [{"above": tier.above, "price": dict(tier.price)} for tier in listed.tiers]
    said: dict[str, Any] = {"price": dict(listed.price)} | ({"tiers": tiers} if tiers else {})
    if not document:
        said["tiers"] = tiers
    return said | {name: document[name] for name in ("images", "videos") if document.get(name)}


def day_of(second: float) -> str:
    """The day of a moment in UTC."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d")
