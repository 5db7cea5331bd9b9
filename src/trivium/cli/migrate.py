"""``trivium migrate``: bring the database's tables to what this version needs."""

import asyncio
from typing import Annotated

import typer

from trivium.cli import config
from trivium.cli.database import exists, unchecked
from trivium.cli.output import NONE, note
from trivium.settings.model import Settings, StorageSettings


def migrate(
    config_: config.ConfigOption = None,
    *,
    new_secret: Annotated[
        bool,
        typer.Option(
            "--new-secret",
            help="Give up the secret that the nodes had in common, for this machine's.",
        ),
    ] = False,
) -> None:
    """Bring the tables up to date.

    A database of this machine alone is migrated at start; one that several nodes share waits for
    this command.
    """
    settings = config.settings_of(config_)
    before, after = asyncio.run(_migrate(settings.storage))
    if new_secret:
        asyncio.run(_own_secret(settings))
        note("the nodes of this database have the secret of this machine from now on")
    note(
        f"the schema was current already (step {after})"
        if before == after
        else f"migrated from step {before or NONE} to {after}"
    )


async def _migrate(storage: StorageSettings) -> tuple[str | None, str | None]:
    from trivium.storage import migrate as steps

    async with unchecked(storage) as database:
        before = await steps.current(database) if exists(database.path) else None
        await steps.upgrade(database)
        return before, await steps.current(database)


async def _own_secret(settings: Settings) -> None:
    from trivium.storage.fingerprint import replace
    from trivium.storage.root_key import root_keys
    from trivium.wiring.secret import key_file, present

    async with unchecked(settings.storage) as database:
        await replace(database, present(settings) or root_keys(None, key_file(settings)))
