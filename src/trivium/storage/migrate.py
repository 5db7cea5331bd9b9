"""Brings the tables to what this version needs, or says why not.

An empty database gets the tables of the schema and is at the last step; the steps are for those of
earlier versions.

A step runs in one transaction under a lock, so that of two nodes that migrate at once the second
finds nothing left to do: SQLite's ``BEGIN IMMEDIATE`` is that lock, on PostgreSQL it is an advisory
lock that ends with the transaction (a session's would not survive PgBouncer). On PostgreSQL a step
that cannot get a table lock soon gives up instead of queueing every request behind itself.

Alembic is imported only when there is something to do: a start on current tables does not wait
for it.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, text

from trivium.storage.errors import SchemaStale

if TYPE_CHECKING:
    from trivium.storage.database import Database

_LAST: Final = 1
REVISIONS: Final = tuple(f"r{number:04}" for number in range(1, _LAST + 1))
"""Every step there is, oldest first; a test compares with the files. Builds before 0.1.0 had steps
of their own, named without the letter, so a database of theirs is never taken for a current one."""
_BEFORE_RELEASE: Final = re.compile("[0-9]{4}")
_SAME_TABLES: Final = "0025"
"""The last step of those builds. Its tables are those of the first step now."""
_TAKE_OVER: Final = "UPDATE alembic_version SET version_num = 'r0001'"

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
    """Run every step this database has not seen. Raises ``SchemaStale`` when no step leads on."""
    _refuse_unknown(await current(db))
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
    _refuse_unknown(step)
    if (not db.is_sqlite) if is_shared is None else is_shared:
        has = "no tables yet" if step is None else f"the tables of step {step}"
        raise SchemaStale(
            f"the database has {has}, this version needs step {REVISIONS[-1]}: "
            "run `trivium migrate` once, then start again"
        )
    await upgrade(db)


def unknown(step: str | None) -> str:
    """Why this version cannot migrate a database at this step, and what to do; empty: it can."""
    if step is None or step in REVISIONS:
        return ""
    if not _BEFORE_RELEASE.fullmatch(step):
        return (
            f"the database is at step {step}, which this version does not know (it ends at "
            f"{REVISIONS[-1]}): start the newer trivium that migrated it, or restore the backup "
            "taken before"
        )
    if step == _SAME_TABLES:
        return (
            f"the database was made by a build before 0.1.0 (step {step}). Its tables are those of "
            f"step {REVISIONS[0]}. To go on with it, back it up and run this SQL in it: "
            + _TAKE_OVER
        )
    return (
        f"the database was made by a build before 0.1.0 (step {step}), and no step leads on from "
        f"there: either let the last of those builds migrate it to step {_SAME_TABLES}, or set "
        "storage.url to a new, empty database"
    )


def _refuse_unknown(step: str | None) -> None:
    why = unknown(step)
    if why:
        raise SchemaStale(why)


def _run(connection: Connection) -> None:
    """Make the tables of an empty database, or take the steps that are missing."""
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    if MigrationContext.configure(connection).get_current_revision() is None:
        from trivium.storage.create import create

        create(connection)
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")
