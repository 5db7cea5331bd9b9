"""Brings the tables to what this version needs, or says why not.

A step runs in one transaction under a lock, so that of two nodes that migrate at once the second
finds nothing left to do: SQLite's ``BEGIN IMMEDIATE`` is that lock, on PostgreSQL it is an advisory
lock that ends with the transaction (a session's would not survive PgBouncer). On PostgreSQL a step
that cannot get a table lock soon gives up instead of queueing every request behind itself.

Alembic is imported only when there is something to do: a start on current tables does not wait
for it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, text

from trivium.storage.errors import SchemaStale

if TYPE_CHECKING:
    from trivium.storage.database import Database

_LAST: Final = 25
REVISIONS: Final = tuple(f"{number:04}" for number in range(1, _LAST + 1))
"""Every step there is, oldest first; a test compares with the files."""

LIMIT_S: Final = 3600.0
"""A whole upgrade. Filling a new column of a large table takes minutes."""
_LOCK: Final = 0x7472_6976_6975_6D  # "trivium": any number that others do not use
_TABLE_LOCK_MS: Final = 5_000


async def current(db: "Database") -> str | None:
    """The last step this database has seen; ``None`` when it has no tables of ours."""
    exists = (
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
        if db.is_sqlite
        else "SELECT count(*) FROM pg_class WHERE oid = to_regclass('alembic_version')"
    )
    async with db.read() as conn:
        if not await conn.scalar(text(exists)):
            return None
        step = await conn.scalar(text("SELECT version_num FROM alembic_version"))
        return None if step is None else str(step)


async def upgrade(db: "Database") -> None:
    """Run every step this database has not seen. Raises ``SchemaStale`` when it is newer."""
    _refuse_newer(await current(db))
    async with db.write(limit_s=LIMIT_S) as conn:
        if not db.is_sqlite:
            await conn.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            await conn.execute(text(f"SET LOCAL lock_timeout = {_TABLE_LOCK_MS}"))
        await conn.run_sync(_run)


async def ensure(db: "Database", is_shared: bool | None = None) -> None:
    """Make sure the tables fit, before anything is served.

    A database of this machine's own is migrated on the spot. A shared one never is in passing,
    because other nodes may still run the older version: raises ``SchemaStale`` with what to do.
    ``is_shared``: ``None`` means that PostgreSQL is and SQLite is not.
    """
    step = await current(db)
    if step == REVISIONS[-1]:
        return
    _refuse_newer(step)
    if (not db.is_sqlite) if is_shared is None else is_shared:
        has = "no tables yet" if step is None else f"the tables of step {step}"
        raise SchemaStale(
            f"the database has {has}, this version needs step {REVISIONS[-1]}: "
            "run `trivium migrate` once, then start again"
        )
    await upgrade(db)


def _refuse_newer(step: str | None) -> None:
    if step is not None and step not in REVISIONS:
        raise SchemaStale(
            f"the database is at step {step}, which this version does not know (it ends at "
            f"{REVISIONS[-1]}): start the newer trivium that migrated it, or restore the backup "
            "taken before"
        )


def _run(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
