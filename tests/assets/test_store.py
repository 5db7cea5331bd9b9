"""Rows of generated files."""

import msgspec
import pytest

from trivium.assets import store
from trivium.assets.model import Asset, AssetError

ONE = Asset(
    id="ab" * 20,
    user_id=3,
    kind="image",
    content_type="image/png",
    size_bytes=0,
    created_at=100,
    expires_at=200,
)


@pytest.mark.asyncio
async def test_a_row_is_found_once_its_object_is_whole(database):
    """And until it expires."""
    async with database.write() as conn:
        await store.announce(conn, ONE)
        assert await store.find(conn, ONE.id, 100) is None
        await store.complete(conn, ONE.id, 12)
    async with database.read() as conn:
        row = await store.find(conn, ONE.id, 199)
        assert msgspec.structs.replace(ONE, size_bytes=12) == Asset(**row._mapping)
        assert await store.find(conn, ONE.id, 200) is None


@pytest.mark.asyncio
async def test_an_object_whose_row_is_gone_is_not_completed(database):
    """The sweeper was faster."""
    async with database.write() as conn:
        with pytest.raises(AssetError, match="expired"):
            await store.complete(conn, ONE.id, 12)


@pytest.mark.asyncio
async def test_the_oldest_expire_first(database):
    """Also those that never became whole."""
    async with database.write() as conn:
        for number, end in ((1, 50), (2, 40), (3, 60)):
            row = msgspec.structs.replace(ONE, id=f"{number}" * 40, expires_at=end)
            await store.announce(conn, row)
        await store.complete(conn, "1" * 40, 1)
        assert ["2" * 40, "1" * 40] == await store.expired(conn, 50, 10)
        assert ["2" * 40] == await store.expired(conn, 50, 1)
        assert 2 == await store.remove(conn, ["2" * 40, "1" * 40, "9" * 40])
        assert ["3" * 40] == await store.expired(conn, 99, 10)
