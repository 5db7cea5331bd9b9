"""Language and colours of the pages, stored with the account, so that every browser has them."""

from enum import Enum, unique
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.storage.database import Database


@unique
class Theme(Enum):
    """The colours in which a user sees the pages."""

    SYSTEM = "system"
    """As the system has it, whatever the browser's cookie says."""
    LIGHT = "light"
    DARK = "dark"


class Preferences:
    """Stores the preferences of one user at a time. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def keep(
        self, user_id: int, *, language: str | None = None, theme: Theme | None = None
    ) -> None:
        """Store what was chosen; ``None`` leaves a value as it is. ``language``: a tag that the
        pages know.
        """
        from trivium.identity.accounts import store

        chosen = {} if language is None else {"language": language}
        if theme is not None:
            chosen["theme"] = theme.value
        if chosen:
            async with self._db.write() as conn:
                await store.set_preferences(conn, user_id, chosen)
