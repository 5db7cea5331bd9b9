"""Opening the configured database for one command, and closing it whatever happens."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.cli.output import CommandFailed
from trivium.clock import SystemClock
from trivium.settings.model import StorageSettings

if TYPE_CHECKING:
    from trivium.identity.service import Identity
    from trivium.storage.database import Database


@asynccontextmanager
async def unchecked(storage: StorageSettings) -> AsyncIterator["Database"]:
    """The database, whatever state its tables are in. Raises Failed for a wrong address."""
    from trivium.storage.database import Database

    try:
        database = Database(storage.url, storage.pool)
    except ValueError as exc:
        raise CommandFailed(str(exc)) from None
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def opened(storage: StorageSettings) -> AsyncIterator["Database"]:
    """The database with the tables of this version; raises the storage errors.

    A file of this machine is created and migrated here as at a start of the gateway.
    """
    from trivium.storage import migrate

    async with unchecked(storage) as database:
        await migrate.ensure(database)
        yield database


@asynccontextmanager
async def users_and_keys(storage: StorageSettings) -> AsyncIterator["tuple[Identity, Database]"]:
    """What there is to do with users and keys, and the database."""
    from trivium.identity.service import Identity

    async with opened(storage) as database:
        yield Identity(database, SystemClock()), database


def exists(path: str | None) -> bool:
    """Whether there is a file, which reading would make, or a server (``None``) to look at."""
    return path is None or Path(path).exists()
