"""The common name of a browser, from its ``User-Agent``. Pure; a hint for people only."""

from typing import Final

_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
NAME_CHARS_MAX: Final = 40


def name(agent: str) -> str:
    """``Firefox, Linux``; its first word for other programs; empty when it says nothing."""
    browser = next((label for mark, label in _BROWSERS if mark in agent), "")
    system = next((label for mark, label in _SYSTEMS if mark in agent), "")
    found = ", ".join(part for part in (browser, system) if part)
    return found or next(iter(agent.split()), "")[:NAME_CHARS_MAX]
