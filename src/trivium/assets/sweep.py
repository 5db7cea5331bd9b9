"""Deletes files that have expired: the object first, then its row, so that none is forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from trivium.assets.model import AssetError
from trivium.assets.objects import Objects
from trivium.clock import Clock
from trivium.storage.errors import StorageError
from trivium.storage.rounds import rounds

if TYPE_CHECKING:
    from trivium.storage.database import Database

BATCH: Final = 100
"""Files a transaction."""
SECONDS_MAX: Final = 60.0
"""Seconds a round."""
ROUND_S: Final = 60.0
"""Between two rounds."""

log = structlog.get_logger()


class Sweeper:
    """Deletes files from the object store when they have expired."""

    def __init__(
        self,
        db: "Database",
        objects: Objects,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._objects = objects
        self._clock = clock
        self._sleep = sleep

    async def run(self) -> None:
        """Sweep at intervals, without end. Logs one line when the store or the database goes or
        comes back.
        """
        await rounds(
            "assets",
            self.round,
            ROUND_S,
            self._sleep,
            db=self._db,
            clock=self._clock,
            away=(AssetError, StorageError),
        )

    async def round(self, now: float | None = None) -> int:
        """Delete expired files until the budget of seconds is used up; returns how many files.
        Raises AssetError and the storage errors; what was deleted until then stays deleted.
        """
        from trivium.assets import store

        began = self._clock.monotonic()
        now = int(self._clock.now() if now is None else now)
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
