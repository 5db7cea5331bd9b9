"""Files that outlive the request that made them: kept, found, read and removed.

A row first, then the object, then the row is completed (docs/decisions/0013-assets.md): an object
without a row cannot be, and a row without an object goes with its expiry.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from trivium.assets.address import SignatureCheck, SignedAddresses
from trivium.assets.model import ID, Asset, AssetError
from trivium.assets.objects import Objects
from trivium.clock import Clock
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule
from trivium.storage.periodic import Sweeper
from trivium.storage.structs import struct_of

if TYPE_CHECKING:
    from trivium.assets import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.assets.store")


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


URL_S: Final = 3_600
"""How long the address of a generated image is valid: 60 minutes, by the specification."""


class Assets:
    """Keeps generated files: puts, finds, reads and removes them, and signs their addresses."""

    __slots__ = ("_addresses", "_clock", "_db", "_objects")

    def __init__(
        self, db: "Database", objects: Objects, addresses: SignedAddresses, clock: Clock
    ) -> None:
        self._db = db
        self._objects = objects
        self._addresses = addresses
        self._clock = clock

    async def put(
        self,
        data: bytes | AsyncIterator[bytes],
        *,
        user_id: int,
        kind: str,
        content_type: str,
        lifetime_s: int,
    ) -> Asset:
        """Keep a file for ``lifetime_s`` seconds. Raises AssetError and the storage errors; then,
        or when cancelled, nothing is left behind.
        """
        now = int(self._clock.now())
        asset = Asset(
            id=secrets.token_hex(20),
            user_id=user_id,
            kind=kind,
            content_type=content_type,
            size_bytes=0,
            created_at=now,
            expires_at=now + lifetime_s,
        )
        async with self._db.write() as conn:
            await store.announce(conn, asset)
        try:
            size = await self._objects.put(asset.id, data)
            async with self._db.write() as conn:
                await store.complete(conn, asset.id, size)
        except BaseException:
            # where even that fails, the sweeper finds the row
            with contextlib.suppress(Exception):
                await asyncio.shield(self.delete(asset.id))
            raise
        return msgspec.structs.replace(asset, size_bytes=size)

    async def find(self, asset_id: str) -> Asset | None:
        """Return a complete file that has not expired, else ``None``. Raises the storage errors."""
        if not ID.fullmatch(asset_id):
            return None
        async with self._db.read() as conn:
            row = await store.find(conn, asset_id, int(self._clock.now()))
        return None if row is None else struct_of(Asset, row)

    def read(self, asset: Asset, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from ``start`` to before ``end`` (``None``: the last), in pieces.

        Raises AssetError while they are read.
        """
        return self._objects.read(asset.id, start, asset.size_bytes if end is None else end)

    async def delete(self, asset_id: str) -> None:
        """Remove a file, if it is there. Raises AssetError and the storage errors."""
        if not ID.fullmatch(asset_id):
            return
        await self._objects.delete(asset_id)
        async with self._db.write() as conn:
            await store.remove(conn, [asset_id])

    def address(self, asset: Asset) -> str:
        """Return an address that needs no key and is good until the file expires."""
        return self._addresses.sign(asset.id, asset.expires_at)

    def check(self, asset_id: str, exp: str | None, sig: str | None) -> SignatureCheck:
        """Check whether an address is one of ours and has not expired."""
        return self._addresses.check(asset_id, exp, sig, self._clock.now())
