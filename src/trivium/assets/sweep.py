"""Deletes files that have expired: the object first, then its row, so that none is forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.assets.model import AssetError
from trivium.assets.objects import Objects
from trivium.clock import Clock
from trivium.storage.errors import StorageError
from trivium.storage.rounds import Sweeper

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 100
"""Files a transaction."""
SECONDS_MAX: Final = 60.0
"""Seconds a round."""

log = structlog.get_logger()


class AssetSweeper(Sweeper):
    """Deletes files from the object store when they have expired."""

    what = "assets"
    every_s = 60.0
    away = (AssetError, StorageError)

    def __init__(
        self,
        db: "Database",
        objects: Objects,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(db, clock, sleep)
        self._objects = objects

    async def round(self, now: float | None = None) -> int:
        """Delete expired files until the budget of seconds is used up; returns how many files.
        Raises AssetError and the storage errors; what was deleted until then stays deleted.
        """
        from trivium.assets import store

        began = self._clock.monotonic()
        now = self._second(now)
        swept = 0
        while self._clock.monotonic() - began < SECONDS_MAX:
            async with self._db.read() as conn:
                ids = await store.expired(conn, now, BATCH)
            for asset_id in ids:
                await self._objects.delete(asset_id)
            if ids:
                async with self._db.write() as conn:
                    await store.remove(conn, ids)
            swept += len(ids)
            if len(ids) < BATCH:
                break
        if swept:
            log.info("assets_swept", files=swept)
        return swept
