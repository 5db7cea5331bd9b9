"""What one reading of the settings leaves for the next, so that what has not changed is not read
and checked again: one edited model among thousands takes no longer than one.

What is known is known of an object itself, which is kept so that no other can have its place in
memory. Not for several threads at once.
"""

from typing import Any

from trivium.settings.entries import ChannelEntry, ModelEntry
from trivium.settings.errors import Path


class ParsedFile:
    """A settings file as it was parsed. Nothing of it is ever changed."""

    def __init__(self, text: str, data: dict[str, Any], lines: dict[Path, int]) -> None:
        self.text = text
        self.data = data
        self.lines = lines
        self.is_sound = False
        """Whether its settings, without those of the database, have been found right."""


class ReadMemory:
    """Entries by the raw tables that they were read from, and which models were found right."""

    def __init__(self) -> None:
        self.file: ParsedFile | None = None
        self._entries: dict[int, tuple[Any, ChannelEntry | ModelEntry]] = {}
        self._sound: dict[int, ModelEntry] = {}
        self._used: set[int] = set()

    def find(self, raw: Any) -> ChannelEntry | ModelEntry | None:
        """What was read from this very table."""
        known = self._entries.get(id(raw))
        if known is None or known[0] is not raw:
            return None
        self._used.add(id(raw))
        return known[1]

    def keep(self, raw: Any, entry: ChannelEntry | ModelEntry) -> None:
        """Remember what was read from a table without anything wrong in it."""
        self._entries[id(raw)] = (raw, entry)
        self._used.add(id(raw))

    def is_sound(self, model: ModelEntry) -> bool:
        """Whether nothing was wrong between the members of this very model."""
        return self._sound.get(id(model)) is model

    def sound(self, model: ModelEntry) -> None:
        """Remember that nothing was wrong with it."""
        self._sound[id(model)] = model

    def forget_unused(self) -> None:
        """Drop what no reading has used since the last call."""
        self._entries = {key: self._entries[key] for key in self._used}
        self._used = set()
        left = {id(entry) for _, entry in self._entries.values()}
        self._sound = {key: model for key, model in self._sound.items() if key in left}
