"""``[audit]``: how long security-relevant acts are kept."""

from typing import Final

from trivium.settings.section import Section
from trivium.settings.syntax import between

RETENTION_DAYS_MIN: Final = 30
"""The database refuses to delete what is younger, whoever asks."""


class Audit(Section, frozen=True):
    """The log of security-relevant acts."""

    retention_days: int = 400
    """Older acts are swept: a year, and time to notice. At least 30; 0 keeps them for ever."""


def retention(value: int) -> str | None:
    """A retention in days: long enough for the database, or for ever."""
    if 0 < value < RETENTION_DAYS_MIN:
        return f"must be 0 or at least {RETENTION_DAYS_MIN}: the database keeps acts that long"
    return between(0, 100_000)(value)
