"""Whether the database file is whole, as SQLite itself can tell."""

from typing import TYPE_CHECKING, Final

from sqlalchemy import text

if TYPE_CHECKING:
    from trivium.storage.database import Database

LIMIT_S: Final = 600.0
"""The check reads the whole file; some 200 MB a second from a warm cache."""
SHOWN: Final = 20
"""Problems told; one broken page can make thousands."""


async def damage(db: "Database") -> tuple[str, ...]:
    """What is broken, one line each; empty when the file is whole.

    PostgreSQL checks its pages as it reads them, so there is nothing to ask it.
    """
    if not db.is_sqlite:
        return ()
    async with db.read(LIMIT_S) as conn:
        found = await conn.execute(text(f"PRAGMA integrity_check({SHOWN})"))
        broken = [line for (line,) in found if line != "ok"]
        loose = await conn.execute(text("PRAGMA foreign_key_check"))
        broken += [
            f"row {row.rowid} of {row.table} refers to a missing row of {row.parent}"
            for row in loose.fetchmany(SHOWN)
        ]
    return tuple(broken[:SHOWN])
