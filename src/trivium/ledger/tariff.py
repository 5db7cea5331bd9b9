"""A price list made ready to reckon with: what ``cost.py`` makes and multiplies.

No structs: compiled code reads the fields of its own classes without asking for them by name, and a
request reads thirty.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ATOMS: Final = 10**9
"""Atoms a nano-dollar."""
NANOS_MAX: Final = 10**18
"""A bill of a billion dollars: what a column can hold, and more than anybody meant."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Atoms a token by class, for requests of one tier."""

    above: int
    """Input tokens above which this tier holds; 0 for the first."""
    fresh: int
    cache_read: int
    cache_write_short: int
    cache_write_long: int
    output: int
    reasoning: int
    audio_input: int
    audio_output: int
    image_input: int
    image_output: int
    input_max: int
    """The dearest class a text prompt can fall into."""
    output_max: int
    """The dearest class a text answer can fall into."""
    label: str
    """Model, tier and prices as the first members of a JSON object: the explained bill's head."""


@dataclass(frozen=True, kw_only=True)
class Tariff:
    """One model's prices from a moment on, for one group of users."""

    model: str
    """The model's public name."""
    tiers: tuple[Rates, ...]
    """Ascending; the last whose ``above`` is exceeded holds for the whole request."""
    request: int
    millisecond: int
    character: int
    search: int
    image: int
    images: Mapping[tuple[str, str], int]
    """Atoms an image by size and quality; either may be empty for any."""
    videos: Mapping[str, int]
    """Atoms a millisecond of video by size; any other costs ``millisecond``."""
    numerator: int
    """Of the group's multiplier."""
    denominator: int
    """Of the group's multiplier, times the atoms of a nano-dollar."""
    kinds: frozenset[str]
    """The kinds of price the model has (``settings/prices.py``)."""
    meters_input: bool
    """Whether input tokens, or the request itself, have a price."""
    meters_output: bool
    """Whether output tokens, or the request itself, have a price."""

    def rates(self, input_tokens: int) -> Rates:
        """The tier a request falls into by its whole input."""
        found = self.tiers[0]
        for tier in self.tiers:
            if input_tokens > tier.above:
                found = tier
        return found

    def price_of_image(self, size: str, quality: str) -> int:
        """Atoms: the row of that size and quality, else of either, else the price of any, else the
        dearest there is: no picture is free because its kind was forgotten.
        """
        images = self.images
        for kind in ((size, quality), (size, ""), ("", quality), ("", "")):
            if kind in images:
                return images[kind]
        return self.image or max(images.values(), default=0)

    def dearest_image(self, size: str, quality: str) -> int:
        """Atoms an image can cost at most; an empty size or quality may turn out to be any."""
        if size and quality:
            return self.price_of_image(size, quality)
        fitting = [
            atoms
            for (one, other), atoms in self.images.items()
            if (not size or one in ("", size)) and (not quality or other in ("", quality))
        ]
        return max((self.price_of_image(size, quality), *fitting))

    def price_of_video(self, size: str) -> int:
        """Atoms a millisecond of video; of audio, whose size is empty, too."""
        return self.videos.get(size, self.millisecond)

    def nanos(self, atoms: int) -> int:
        """The price of a sum in nano-dollars, rounded up: the one rounding there is."""
        nanos = -(-atoms * self.numerator // self.denominator)
        return min(NANOS_MAX, nanos)
