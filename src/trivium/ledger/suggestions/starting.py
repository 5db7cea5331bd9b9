"""Which models of a vendor somebody begins with, each with a suggested price."""

import functools
import tomllib
from importlib.resources import files
from typing import Any


@functools.cache
def starting_models() -> dict[str, list[str]]:
    """Models to begin with, by provider."""
    place = files("trivium.ledger.suggestions").joinpath("starting_models.toml")
    found: dict[str, Any] = tomllib.loads(place.read_text(encoding="utf-8"))
    return found
