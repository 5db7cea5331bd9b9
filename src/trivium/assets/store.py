"""Rows of generated files. Every function works in the transaction it is given."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.assets.model import Asset, AssetError
from trivium.storage.schema.requests import assets
from trivium.storage.structs import values_of


async def announce(conn: AsyncConnection, asset: Asset) -> None:
    """Insert the row before the object is written: one that is cut short is found by its row."""
    await conn.execute(insert(assets).values(values_of(asset, size_bytes=None)))


async def complete(conn: AsyncConnection, asset_id: str, size_bytes: int) -> None:
    """Note that the object is complete. Raises AssetError when its row is gone meanwhile."""
    done = await conn.execute(
        update(assets).where(assets.c.id == asset_id).values(size_bytes=size_bytes)
    )
    if done.rowcount != 1:
        raise AssetError("the file expired before it was whole")


async def find(conn: AsyncConnection, asset_id: str, now: int) -> Row[Any] | None:
    """Return a complete file that has not expired, else ``None``."""
    found = await conn.execute(
        select(assets).where(
            assets.c.id == asset_id, assets.c.size_bytes.is_not(None), assets.c.expires_at > now
        )
    )
    return found.first()


async def expired(conn: AsyncConnection, now: int, limit: int) -> list[str]:
    """Return ids of files that have expired, the oldest first."""
    found = await conn.execute(
        select(assets.c.id)
        .where(assets.c.expires_at <= now)
        .order_by(assets.c.expires_at)
        .limit(limit)
    )
    return list(found.scalars())


async def remove(conn: AsyncConnection, ids: Sequence[str]) -> int:
    """Delete rows; returns how many there were."""
    done = await conn.execute(delete(assets).where(assets.c.id.in_(ids)))
    return done.rowcount
