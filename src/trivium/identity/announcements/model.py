"""Announcements as the rest of the gateway sees them."""

from enum import Enum, unique
from typing import Final

import msgspec

TEXT_CHARS_MAX: Final = 1000
KEPT_MAX: Final = 100
"""All together, also those that are over."""
SHOWN_MAX: Final = 5
"""On one page, the newest."""
MOMENT_MAX: Final = 253_402_300_799
"""The last second of the year 9999."""


@unique
class Level(Enum):
    """How much an announcement matters, and so how it is coloured."""

    INFO = "info"
    WARN = "warn"
    BAD = "bad"


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """A text that people see on their pages. Times in seconds since the epoch."""

    id: int
    text: str
    level: Level
    starts_at: int
    ends_at: int | None
    """When it is over; ``None``: once it is removed."""
    created_at: int

    def state(self, now: float) -> str:
        """``waiting``, ``shown`` or ``over``."""
        if now < self.starts_at:
            return "waiting"
        return "over" if self.ends_at is not None and self.ends_at <= now else "shown"
