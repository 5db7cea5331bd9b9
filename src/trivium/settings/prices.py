"""The kinds of price a model may have. Decimal strings, because a float cannot hold money.

A kind that is not given falls back by one written rule, in favour of no surprise: what is special
costs what the ordinary costs. Reading from a cache costs ``input``; writing to one ``cache_write``,
else ``input``; reasoning costs ``output``; audio and image tokens cost ``input`` or ``output``. Two
gaps have no fall-back, because it would be a guess below the vendor's price, and are refused: no
``input`` or ``output`` beside kinds that lean on it, and one life of cache writes alone.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

KINDS: Final[dict[str, str]] = {
    "input": "a million input tokens that no cache had a part in",
    "cache_read": "a million input tokens read from a prompt cache",
    "cache_write": "a million input tokens written to a prompt cache, whatever its life",
    "cache_write_5m": "a million input tokens written to a cache of five minutes",
    "cache_write_1h": "a million input tokens written to a cache of one hour",
    "output": "a million output tokens",
    "reasoning": "a million output tokens spent on reasoning",
    "audio_input": "a million audio tokens of input",
    "audio_output": "a million audio tokens of output",
    "image_input": "a million image tokens of input",
    "image_output": "a million image tokens of output",
    "per_request": "one request",
    "per_second": "one second of audio or video",
    "per_character": "one character of text spoken",
    "per_search": "one search unit of a rerank: a query with up to 100 documents",
    "per_image": "one generated image, of any size and quality without a row of its own",
}
"""What one price of each kind buys, in US dollars."""

DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?")
"""Plain decimals: no sign, exponent or separator; nine digits and twelve places are plenty."""

FALL_BACK: Final[dict[str, tuple[str, ...]]] = {
    "cache_read": ("input",),
    "cache_write": ("input",),
    "cache_write_5m": ("cache_write", "input"),
    "cache_write_1h": ("cache_write", "input"),
    "audio_input": ("input",),
    "image_input": ("input",),
    "reasoning": ("output",),
    "audio_output": ("output",),
    "image_output": ("output",),
}
"""Which price holds where a kind has none of its own: the first that is given."""

LIVES: Final = ("cache_write_5m", "cache_write_1h")
PRICE_ORIGIN: Final = re.compile(
    r"(?P<source>vendor|bundled) (?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}) (?P<digest>[0-9a-f]{16}) "
    r"(?P<place>[^\x00-\x1f\x7f]{1,401})"
)
"""How a model says that its price was adopted: whose, of which day, a fingerprint of the prices,
and where it was found."""
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FRACTION: Final = re.compile(r"[0-9]{1,9}/[1-9][0-9]{0,8}")


def gap(kinds: Iterable[str]) -> str | None:
    """What is missing beside these kinds of price; ``None`` when every gap has its fall-back."""
    given = set(kinds)
    for kind in KINDS:
        last = FALL_BACK[kind][-1] if kind in FALL_BACK else None
        if kind in given and last is not None and last not in given:
            return f"has {kind} without {last}: tokens of the ordinary kind would cost nothing"
    if "output" in given and "input" not in given:
        return "has output without input: the prompt would cost nothing"
    lives = given.intersection(LIVES)
    if len(lives) == 1 and "cache_write" not in given:
        (there,) = lives
        other = LIVES[1 - LIVES.index(there)]
        return f"has {there} without {other}, and no cache_write for both"
    return None


def day(text: str) -> int:
    """The first second of a day in UTC, since the epoch. Raises ValueError for no such day."""
    if not _DAY.fullmatch(text):
        raise ValueError("not a day")
    return int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())


def multiplier(text: str) -> Fraction:
    """An exact factor: ``0.8``, ``4/5``. Raises ValueError for anything else."""
    if not DECIMAL.fullmatch(text) and not _FRACTION.fullmatch(text):
        raise ValueError("not a factor")
    return Fraction(text)


def list_price(_group: str) -> Fraction:
    """The multiplier of every price group where none is set: 1."""
    return Fraction(1)
