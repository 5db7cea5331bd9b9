"""The catalogue that the database has: read at the start, followed, changed."""

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING

import msgspec

from trivium.clock import Clock
from trivium.routing.model import Catalogue
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.settings.model import Settings
from trivium.storage.root_key import RootKeys
from trivium.wiring.background import background
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.catalogue.sealing import CredentialSeal
    from trivium.catalogue.service import CatalogueService
    from trivium.storage.database import Database

TABLES = ("routing", "groups", "channels", "models")
"""What the database may have a part of."""


class StoredParts:
    """What one worker has of it."""

    def __init__(
        self,
        database: "Database",
        seal: "CredentialSeal",
        reader: SettingsReader,
        watch: FileWatch,
    ) -> None:
        from trivium.catalogue.snapshot import CatalogueSnapshot
        from trivium.catalogue.watch import CatalogueWatch

        self.database = database
        self.seal = seal
        self.reader = reader
        self._files = watch
        self.snapshot = CatalogueSnapshot(database, seal)
        self.watch = CatalogueWatch(self.snapshot, watch.take_entries)

    async def begin(self, settings: Settings, catalogue: Catalogue) -> tuple[Settings, Catalogue]:
        """Settings and catalogue with what the database has now. Raises SettingsError where they do
        not fit together, and what the database raises.
        """
        await self.snapshot.refresh()
        if self.snapshot.entries:
            self.reader.entries = self.snapshot.whole
            read, catalogue = await asyncio.to_thread(self.reader.read, anew=False)
            members = {name: getattr(read, name) for name in TABLES}
            settings = msgspec.structs.replace(settings, **members)
            self._files.begin(settings, catalogue)
        self.watch.begin()
        return settings, catalogue

    async def follow(self, poll_s: float, stack: contextlib.AsyncExitStack) -> None:
        """Take up what is changed, from now on."""
        stack.push_async_callback(self.watch.close)
        await background(stack, functools.partial(self.watch.run, poll_s))

    def service(self, clock: Clock) -> "CatalogueService":
        """What checks and writes changes of entries."""
        from trivium.catalogue.service import CatalogueService

        return CatalogueService(
            self.database,
            clock,
            self.seal,
            self.snapshot,
            self.reader.tried,
            self.watch.in_force,
            lambda: (self.reader.file, self.reader.path),
        )


def seal_of(keys: RootKeys) -> "CredentialSeal":
    """What seals credentials with the deployment's secret."""
    from trivium.catalogue.sealing import MARKS, PURPOSE, CredentialSeal
    from trivium.storage.vault import Vault

    return CredentialSeal(Vault(keys.ring(PURPOSE)), keys.ring(MARKS))


def stored_parts(
    settings: Settings, database: "Database", reader: SettingsReader, watch: FileWatch
) -> StoredParts:
    """The parts of a worker that reads these settings."""
    return StoredParts(database, seal_of(keys_of(settings)), reader, watch)


def parts_without_file(database: "Database", keys: RootKeys) -> StoredParts:
    """The parts beside no settings file: whoever only changes what the database has."""
    reader = SettingsReader(None, {})
    return StoredParts(
        database, seal_of(keys), reader, FileWatch(reader, reader.read(), lambda *_: None)
    )


def service_beside(
    database: "Database", keys: RootKeys, reader: SettingsReader, clock: Clock
) -> "CatalogueService":
    """What checks and writes changes for whoever serves nothing, beside a file that has been read:
    gateways that run take up what it writes.
    """
    from trivium.catalogue.service import CatalogueService
    from trivium.catalogue.snapshot import CatalogueSnapshot

    async def in_force() -> None:
        """Nothing is served here."""

    seal = seal_of(keys)
    snapshot = CatalogueSnapshot(database, seal)
    return CatalogueService(
        database, clock, seal, snapshot, reader.tried, in_force,
        lambda: (reader.file, reader.path),
    )  # fmt: skip
