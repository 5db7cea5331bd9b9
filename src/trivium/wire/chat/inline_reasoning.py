"""Reasoning that a server writes into the content: between tags, or as entries of a list.

Tags (``<think>``, ``</think>``) only where the channel is known to write them, and only at the very
start: anywhere else they are the model's own words. The line ends beside them belong to them.
"""

from enum import Enum, unique
from typing import Any, Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"
_HELD_MAX: Final = 256
"""Characters held back: a text of nothing but line ends is passed on like any other."""


@unique
class _At(Enum):
    """Where in the content we are."""

    START = "start"  # nothing but the opening tag counts
    OPENED = "opened"  # its line ends are still to come
    INSIDE = "inside"
    CLOSED = "closed"  # the line ends of the closing tag are still to come
    TEXT = "text"


class Tagged:
    """Splits growing content into reasoning and text."""

    __slots__ = ("_at", "_held")

    def __init__(self) -> None:
        self._held = ""
        self._at = _At.START

    def feed(self, content: str) -> tuple[str, str]:
        """Reasoning and text of the next piece; what may be part of a tag is held back."""
        rest = self._held + content
        self._held = ""
        if self._at is _At.START:
            rest = self._start(rest)
        if self._at is _At.OPENED:
            rest = rest.lstrip("\n")
            if rest:
                self._at = _At.INSIDE
        reasoning = ""
        if self._at is _At.INSIDE:
            reasoning, rest = self._inside(rest)
        if self._at is _At.CLOSED:
            rest = rest.lstrip("\n")
            if rest:
                self._at = _At.TEXT
        return reasoning, rest if self._at is _At.TEXT else ""

    def _start(self, rest: str) -> str:
        begin = rest.lstrip()
        if begin.startswith(OPEN):
            self._at = _At.OPENED
            return begin[len(OPEN) :]
        if OPEN.startswith(begin) and len(rest) <= _HELD_MAX:
            self._held = rest
            return ""
        self._at = _At.TEXT
        return rest

    def _inside(self, rest: str) -> tuple[str, str]:
        at = rest.find(CLOSE)
        if at >= 0:
            self._at = _At.CLOSED
            return rest[:at].rstrip("\n"), rest[at + len(CLOSE) :]
        keep = len(rest) - _tail(rest)
        self._held = rest[keep:]
        return rest[:keep], ""

    def rest(self) -> tuple[str, str]:
        """What was held back when the content ended."""
        held, self._held = self._held, ""
        return (held, "") if self._at is _At.INSIDE else ("", held)


def _tail(text: str) -> int:
    """How many characters at the end may begin the closing tag, with the line ends before it."""
    most = min(len(CLOSE) - 1, len(text))
    size = next((size for size in range(most, 0, -1) if CLOSE.startswith(text[-size:])), 0)
    kept = len(text) - len(text[: len(text) - size].rstrip("\n"))
    return min(kept, _HELD_MAX)


def thought(content: list[Any], odd: list[Any]) -> tuple[str, str]:
    """Reasoning and text of a content list (Mistral: ``thinking`` and ``text`` entries).

    Entries that are neither go to ``odd``.
    """
    reasoning: list[str] = []
    text: list[str] = []
    for entry in content:
        if isinstance(entry, str):
            text.append(entry)
        elif not isinstance(entry, dict):
            odd.append(entry)
        elif isinstance(words := entry.get("text"), str):
            text.append(words)
        elif isinstance(inner := entry.get("thinking"), list):
            reasoning.append(thought(inner, odd)[1])
        elif isinstance(inner, str):
            reasoning.append(inner)
        else:
            odd.append(entry)
    return "".join(reasoning), "".join(text)
