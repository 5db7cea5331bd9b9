"""``trivium migrate``: bring the database's tables to what this version needs."""

import asyncio

from trivium.cli import config
from trivium.cli.database import exists, unchecked
from trivium.cli.output import NONE, note
from trivium.settings.model import Storage


def migrate(config_: config.ConfigOption = None) -> None:
    """Bring the tables up to date.

    A database of this machine alone is migrated at start; one that several nodes share waits for
    this command.
    """
    loaded, _ = config.read(config_)
    before, after = asyncio.run(_migrate(loaded.settings.storage))
    note(
        f"the schema was current already (step {after})"
        if before == after
        else f"migrated from step {before or NONE} to {after}"
    )


async def _migrate(storage: Storage) -> tuple[str | None, str | None]:
    from trivium.storage import migrate as steps

    async with unchecked(storage) as database:
        before = await steps.current(database) if exists(database.path) else None
        await steps.upgrade(database)
        return before, await steps.current(database)
