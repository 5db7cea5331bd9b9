"""Prices that vendors put into their lists of models, as kinds of ours. Pure.

Most say none. OpenRouter's words, dollars a token as texts, are also those of several others. What
a vendor says of its own accord may be anything: a number that is no price, or too fine, or the
``-1`` of what varies is left out and named, and never taken for free.

Sources, read on 2026-11-28: https://openrouter.ai/docs/client-sdks/go/models/components/pricing.md;
the gateway package of Vercel's AI SDK (``gatewayAvailableModelsResponseSchema``); ``PricingObject``
of Together's SDKs; DeepInfra's ``/v1/openai/models``.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

_MILLION: Final = Decimal(1_000_000)
_NUMBER: Final = re.compile(r"[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?")
_NAMES_MAX: Final = 40
"""Members of one entry's prices that are looked at."""


class ListedPrice(NamedTuple):
    """What an entry says that its model costs."""

    price: Mapping[str, Decimal]
    """By kind: tokens by the million. As said, however large or small."""
    left_out: tuple[str, ...] = ()
    """What it charges besides, or says in a way that is no number."""


class _Words(NamedTuple):
    """How a vendor says prices."""

    where: tuple[str, ...]
    tokens: Mapping[str, str]
    """Kind of ours by its word, for what costs by the token."""
    factor: Decimal
    """From its number to one of a million tokens."""
    each: Mapping[str, str] = {}
    """The same for what costs by the piece."""
    silent: frozenset[str] = frozenset()
    """Words that say nothing of what a request costs."""


_OPENROUTER: Final = _Words(
    where=("pricing",),
    tokens={
        "prompt": "input",
        "completion": "output",
        "input_cache_read": "cache_read",
        "input_cache_write": "cache_write",
        "internal_reasoning": "reasoning",
        "audio": "audio_input",
        "audio_output": "audio_output",
        "image_token": "image_input",
        "image_output": "image_output",
    },
    factor=_MILLION,
    each={"request": "per_request"},
    silent=frozenset({"discount"}),
)
_VERCEL: Final = _Words(
    where=("pricing",),
    tokens={
        "input": "input",
        "output": "output",
        "input_cache_read": "cache_read",
        "input_cache_write": "cache_write",
    },
    factor=_MILLION,
)
_TOGETHER: Final = _Words(
    where=("pricing",),
    tokens={"input": "input", "output": "output", "cached_input": "cache_read"},
    factor=Decimal(1),
    silent=frozenset({"hourly", "base", "finetune"}),
)
_DEEPINFRA: Final = _Words(
    where=("metadata", "pricing"),
    tokens={
        "input_tokens": "input",
        "output_tokens": "output",
        "cache_read_tokens": "cache_read",
    },
    factor=Decimal(1),
)
_TABLE: Final[Mapping[str, _Words]] = {
    "vercel": _VERCEL,
    "together": _TOGETHER,
    "deepinfra": _DEEPINFRA,
}
"""By provider; all others are read with OpenRouter's words."""

_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_text: Final = msgspec.json.Decoder(str).decode


def listed_price(provider: str, entry: bytes) -> ListedPrice | None:
    """What an entry of a provider's list says of prices; ``None``: nothing."""
    words = _TABLE.get(provider, _OPENROUTER)
    found = _inner(entry, words.where)
    if found is None:
        return None
    if not found.keys() & words.tokens.keys():
        return None
    price: dict[str, Decimal] = {}
    left_out: list[str] = []
    for name, raw in list(found.items())[:_NAMES_MAX]:
        kind = words.tokens.get(name) or words.each.get(name)
        value = _value(bytes(raw))
        if value is None:
            if bytes(raw) != b"null" and name not in words.silent:
                left_out.append(_named(name))
        elif kind is None:
            if value and name not in words.silent:
                left_out.append(_named(name))
        else:
            price[kind] = value * words.factor if name in words.tokens else value
    return ListedPrice(price, tuple(left_out))


def _inner(entry: bytes, where: tuple[str, ...]) -> dict[str, msgspec.Raw] | None:
    raw = entry
    try:
        for step in where:
            found = _members(raw)
            if step not in found:
                return None
            raw = bytes(found[step])
        return _members(raw) if raw[:1] == b"{" else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return None


def _value(raw: bytes) -> Decimal | None:
    """A number as it is written, or in quotes; ``None``: neither, below zero, or beyond reason."""
    if len(raw) > 80:
        return None
    text = raw.decode("ascii", "replace")
    if text.startswith('"'):
        try:
            text = _text(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _named(name: str) -> str:
    return name[:40] if name.isprintable() else "something without a name"
