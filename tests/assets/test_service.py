"""Files that outlive their request: kept, found, read, removed, and never half there."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest

from assets.stores import folder_objects
from trivium.assets import store
from trivium.assets.address import SignatureCheck, SignedAddresses
from trivium.assets.model import AssetError
from trivium.assets.service import Assets
from trivium.secret import Keyring


@pytest.fixture
def assets(database, tmp_path, clock):
    """Files in a folder of this test's own."""
    return made(database, folder_objects(tmp_path), clock)


def made(database, objects, clock):
    return Assets(
        database, objects, SignedAddresses(Keyring(b"k" * 32), "https://x.example"), clock
    )


async def kept(assets, data=b"picture", lifetime_s=60):
    return await assets.put(
        data, user_id=3, kind="image", content_type="image/png", lifetime_s=lifetime_s
    )


@pytest.mark.asyncio
async def test_a_file_is_found_and_read_until_it_expires(assets, clock):
    """By its id alone."""
    asset = await kept(assets)
    assert asset == await assets.find(asset.id)
    assert (7, 3, "image", "image/png") == (
        asset.size_bytes, asset.user_id, asset.kind, asset.content_type,
    )  # fmt: skip
    assert b"picture" == b"".join([piece async for piece in assets.read(asset)])
    assert b"ctu" == b"".join([piece async for piece in assets.read(asset, 2, 5)])
    clock.advance(60)
    assert await assets.find(asset.id) is None


@pytest.mark.asyncio
async def test_ids_are_never_the_same(assets):
    """Two files of one content are two files."""
    assert (await kept(assets)).id != (await kept(assets)).id


@pytest.mark.asyncio
async def test_an_address_ends_with_its_file(assets, clock):
    """60 seconds here."""
    asset = await kept(assets)
    query = parse_qs(urlsplit(assets.address(asset)).query)
    told = (asset.id, query["exp"][0], query["sig"][0])
    assert SignatureCheck.GOOD is assets.check(*told)
    clock.advance(60)
    assert SignatureCheck.EXPIRED is assets.check(*told)


@pytest.mark.asyncio
async def test_a_deleted_file_is_gone(assets):
    """Deleting it again is no error, nor is deleting what is no id."""
    asset = await kept(assets)
    await assets.delete(asset.id)
    await assets.delete(asset.id)
    await assets.delete("../secret")
    assert await assets.find(asset.id) is None
    assert await assets.find("../secret") is None


@pytest.mark.asyncio
async def test_what_cannot_be_kept_leaves_no_row(database, clock):
    """The error passes."""

    class Full:
        async def put(self, asset_id, data):
            raise AssetError("no space left")

        async def delete(self, asset_id):
            return

    with pytest.raises(AssetError, match="no space left"):
        await kept(made(database, Full(), clock))
    async with database.read() as conn:
        assert [] == await store.expired(conn, 2**40, 10)


@pytest.mark.asyncio
async def test_a_caller_who_leaves_leaves_nothing(assets, database, tmp_path):
    """Neither a row nor a file."""
    reached = asyncio.Event()

    async def endless():
        yield b"x" * 6_000_000
        reached.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(kept(assets, endless()))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.read() as conn:
        assert [] == await store.expired(conn, 2**40, 10)
    assert [] == [path for path in (tmp_path / "assets").rglob("*") if path.is_file()]
