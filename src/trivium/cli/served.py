"""The catalogue that a worker serves: of the settings file, and of the database beside it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.cli import config
from trivium.cli.database import exists, unchecked
from trivium.cli.output import warn
from trivium.settings.load import Loaded, environment, load_with_source
from trivium.settings.model import Settings
from trivium.settings.stored import StoredEntry

if TYPE_CHECKING:
    from collections.abc import Sequence


def read(config_: Path | None) -> tuple[Loaded, Path | None]:
    """The settings with what the database has of the catalogue laid beside the file's, as a start
    reads them, and the file. Raises SettingsError where they do not fit together.

    Where the database cannot be read that is said, and the file is all there is.
    """
    return asyncio.run(read_now(config_))


async def read_now(config_: Path | None) -> tuple[Loaded, Path | None]:
    """As ``read``, within a loop."""
    loaded, path = config.read(config_)
    entries = await _entries(loaded.settings)
    if not entries:
        return loaded, path
    return load_with_source(path, environment(), stored=entries), path


async def _entries(settings: Settings) -> "Sequence[StoredEntry]":
    """What the database has; nothing before it was made or where it cannot be read."""
    from trivium.catalogue.snapshot import CatalogueSnapshot
    from trivium.storage.errors import StorageError
    from trivium.storage.root_key import RootKeys
    from trivium.wiring.catalogue import seal_of
    from trivium.wiring.secret import present

    async with unchecked(settings.storage) as database:
        if not exists(database.path):
            return ()
        # without a secret nothing was sealed, else what cannot be opened is told of each entry
        snapshot = CatalogueSnapshot(database, seal_of(present(settings) or RootKeys(bytes(32))))
        try:
            await snapshot.refresh()
        except StorageError as error:
            warn(f"what the database has of the catalogue is left out: {error}")
            return ()
        return snapshot.whole
