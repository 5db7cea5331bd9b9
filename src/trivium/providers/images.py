"""Image models by name: their class, whether they draw by generate-content, what a size means.

Read from ``images.toml`` once, at first use.
"""

import re
import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from trivium.providers.profiles import exactness, pattern, plain
from trivium.wire.images.rules import ImageClass

_NEAR: Final = 0.03
"""By how much a size's ratio may differ from the one it is written as."""


class ImagesRow(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True,
    rename={"of": "class"},
):  # fmt: skip
    """One table of ``images.toml``."""

    models: tuple[str, ...]
    of: ImageClass
    source: str
    read: date
    draws: bool = False
    """Whether it answers generateContent with pictures."""
    tokens: int = 0
    """Output tokens of one picture at most; 0: not known."""
    secondary: bool = False
    """Whether the page is not the vendor's own."""


class Defaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The models of requests that name none."""

    legacy: str
    gpt: str
    tokens: int = 0
    """Of one picture of a model of which nothing is known."""


class _Ratios(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: tuple[str, ...]
    source: str
    read: date


class _Resolutions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: tuple[tuple[int, str], ...]
    source: str
    read: date


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of image models, with what holds for all of them."""

    defaults: Defaults
    row: tuple[ImagesRow, ...]
    ratios: _Ratios
    resolutions: _Resolutions


@cache
def table() -> Table:
    """The table as it is written."""
    text = files("trivium.providers").joinpath("images.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Table)


@cache
def row_of(model: str) -> ImagesRow | None:
    """What is known of a model by its name; ``None`` when nothing is."""
    name = plain(model)
    found = [
        (exactness(one), at, row)
        for at, row in enumerate(table().row)
        for one in row.models
        if pattern(one).fullmatch(name)
    ]
    return max(found)[2] if found else None


def frame(size: str) -> tuple[str, str, bool] | None:
    """Aspect ratio and resolution of ``WIDTHxHEIGHT``, and whether the ratio is just that one.

    ``None`` for what is no size and for a ratio that there is not.
    """
    found = re.fullmatch(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})", size)
    if found is None:
        return None
    width, height = int(found[1]), int(found[2])
    near = min(table().ratios.known, key=lambda one: abs(_ratio(one) * height / width - 1))
    off = abs(_ratio(near) * height / width - 1)
    if off > _NEAR:
        return None
    edge = max(width, height)
    fits = (name for most, name in table().resolutions.known if edge <= most)
    return near, next(fits, table().resolutions.known[-1][1]), off < 1e-6


def _ratio(text: str) -> float:
    width, _, height = text.partition(":")
    return int(width) / int(height)
