"""Where generated files lie, and who removes them."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trivium.clock import SystemClock
from trivium.settings.model import Settings
from trivium.settings.section import AssetsSettings
from trivium.wiring.background import background
from trivium.wiring.secret import keys_of

if TYPE_CHECKING:
    from trivium.assets.service import Assets
    from trivium.storage.database import Database


async def assets_of(
    settings: Settings, database: "Database", origin: str, stack: contextlib.AsyncExitStack
) -> "Assets":
    """Generated files and their sweeper. ``origin`` stands in for ``server.public_url``."""
    from trivium.assets.address import SignedAddresses
    from trivium.assets.objects import Objects
    from trivium.assets.service import Assets, AssetSweeper

    objects = Objects(place(settings))
    ring = keys_of(settings).ring("assets")
    addresses = SignedAddresses(ring, settings.server.public_url or origin)
    await background(stack, AssetSweeper(database, objects, SystemClock()).run)
    return Assets(database, objects, addresses, SystemClock())


def is_apart(settings: Settings) -> bool:
    """Whether files lie in this machine's default folder, which no other node can see."""
    return not settings.assets.url and not settings.storage.url.startswith("sqlite")


def place(settings: Settings) -> AssetsSettings:
    """Return where the settings put objects, the default folder by its name."""
    if settings.assets.url:
        return settings.assets
    folder = Path(settings.storage.journal).absolute().parent / "assets"
    return msgspec.structs.replace(settings.assets, url=folder.as_uri())
