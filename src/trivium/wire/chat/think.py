"""Reasoning that a server writes into the text, between ``<think>`` and ``</think>``.

Only where the channel is known to do so, and only at the very start: anywhere else the tags are
the model's own words.
"""

from typing import Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class Tagged:
    """Splits growing content into reasoning and text."""

    __slots__ = ("_held", "_state")

    def __init__(self) -> None:
        self._held = ""
        self._state = OPEN

    def feed(self, content: str) -> tuple[str, str]:
        """Reasoning and text of the next piece; what may be part of a tag is held back."""
        if not self._state:
            return "", content
        held = self._held + content
        self._held = ""
        reasoning = ""
        if self._state is OPEN:
            start = held.lstrip()
            if OPEN.startswith(start[: len(OPEN)]) and len(start) < len(OPEN):
                self._held = held
                return "", ""
            if not start.startswith(OPEN):
                self._state = ""
                return "", held
            self._state = CLOSE
            held = start[len(OPEN) :].removeprefix("\n")
        at = held.find(CLOSE)
        if at >= 0:
            self._state = ""
            return held[:at].rstrip("\n"), held[at + len(CLOSE) :].lstrip("\n")
        keep = _overlap(held)
        reasoning = held[: len(held) - keep]
        self._held = held[len(held) - keep :]
        return reasoning, ""

    def rest(self) -> tuple[str, str]:
        """What was held back when the content ended."""
        held, self._held = self._held, ""
        return (held, "") if self._state is CLOSE else ("", held)


def _overlap(text: str) -> int:
    """How many characters at the end may begin the closing tag, with the line ends before it."""
    for size in range(min(len(CLOSE) - 1, len(text)), 0, -1):
        if CLOSE.startswith(text[-size:]):
            break
    else:
        size = 0
    while size < len(text) and text[-size - 1] == "\n":
        size += 1
    return size
