"""What the address of a file says about it, as far as it can be read.

Callers choose addresses, so one that is none says nothing, and a very long one neither: the
standard library remembers what it has taken apart.
"""

from typing import Final
from urllib.parse import SplitResult, urlsplit

ADDRESS_MAX: Final = 8192
"""Characters; signed addresses have one or two thousand."""
WATCHED: Final = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"})
"""Hosts of pages that a vendor watches; there is no file behind them."""


def host(url: str) -> str | None:
    """Return the host in lower case; ``None`` where the address has none that can be read."""
    found = _split(url)
    try:
        return None if found is None else found.hostname
    except ValueError:
        return None


def ending(url: str) -> str:
    """Return the text after the last dot of the path, in lower case; empty where there is no
    dot.
    """
    found = _split(url)
    return "" if found is None else found.path.rpartition(".")[2].lower()


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url) if len(url) <= ADDRESS_MAX else None
    except ValueError:
        return None
