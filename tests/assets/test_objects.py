"""Bytes under an id, in a folder and in a bucket."""

import asyncio

import pytest

from assets.stores import bucket, folder_objects
from trivium.assets.model import AssetError, MissingAssetError
from trivium.assets.objects import Objects
from trivium.settings.section import AssetsSettings

ID = "ab" * 20
OTHER = "cd" * 20


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def objects(request, tmp_path):
    """One store of each kind."""
    if request.param == "folder":
        yield folder_objects(tmp_path)
        return
    with bucket(tmp_path) as place:
        yield Objects(place)


async def read(objects, asset_id, start, end):
    return b"".join([piece async for piece in objects.read(asset_id, start, end)])


async def pieces(count, size=1000):
    for number in range(count):
        await asyncio.sleep(0)
        yield bytes([number % 256]) * size


@pytest.mark.asyncio
async def test_bytes_come_back_whole_and_in_part(objects):
    """From any place to any other."""
    data = bytes(range(256)) * 4000
    assert len(data) == await objects.put(ID, data)
    assert data == await read(objects, ID, 0, len(data))
    assert data[1000:1500] == await read(objects, ID, 1000, 1500)
    assert data[-1:] == await read(objects, ID, len(data) - 1, len(data))


@pytest.mark.asyncio
async def test_a_stream_is_kept_as_it_comes(objects):
    """Parts are sent while it runs; how long it was is known at its end."""
    assert 7_000_000 == await objects.put(ID, pieces(7000))
    assert bytes([6]) * 1000 == await read(objects, ID, 6000, 7000)


@pytest.mark.asyncio
async def test_what_is_deleted_is_gone(objects):
    """Once and for all; deleting it again is no error."""
    await objects.put(ID, b"one")
    await objects.put(OTHER, b"two")
    assert [True, True] == [await objects.exists(ID), await objects.exists(OTHER)]
    await objects.delete(ID)
    await objects.delete(ID)
    assert [False, True] == [await objects.exists(ID), await objects.exists(OTHER)]
    with pytest.raises(MissingAssetError):
        await read(objects, ID, 0, 3)


@pytest.mark.asyncio
async def test_a_stream_that_breaks_off_leaves_nothing(objects):
    """What it raised passes."""

    async def breaking():
        yield b"x" * 6_000_000
        raise ValueError("the source ended")

    with pytest.raises(ValueError, match="the source ended"):
        await objects.put(ID, breaking())
    assert not await objects.exists(ID)


@pytest.mark.asyncio
async def test_a_cancelled_stream_leaves_nothing(tmp_path):
    """Neither the object nor half of one."""
    objects = folder_objects(tmp_path)
    reached = asyncio.Event()

    async def endless():
        yield b"x" * 6_000_000
        reached.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(objects.put(ID, endless()))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [] == [path for path in (tmp_path / "assets").rglob("*") if path.is_file()]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["../../etc/passwd", "", "ab/../" + "c" * 34, "A" * 40])
async def test_only_ids_reach_the_store(tmp_path, name):
    """Nothing outside of the folder is read, written or deleted."""
    objects = folder_objects(tmp_path)
    (tmp_path / "secret").write_text("kept")
    with pytest.raises(MissingAssetError):
        await objects.put(name, b"x")
    with pytest.raises(MissingAssetError):
        await read(objects, name, 0, 1)
    assert not await objects.exists(name)
    await objects.delete(name)
    assert ["secret"] == sorted(p.name for p in tmp_path.rglob("*") if p.is_file())


@pytest.mark.asyncio
async def test_the_folder_is_its_owners_alone(tmp_path):
    """It holds what callers asked for."""
    await folder_objects(tmp_path).put(ID, b"x")
    assert 0o700 == (tmp_path / "assets").stat().st_mode & 0o777


@pytest.mark.asyncio
async def test_a_store_that_cannot_be_used_is_our_error(tmp_path):
    """Without the path or the address that the library would print."""
    (tmp_path / "file").write_text("in the way")
    objects = Objects(AssetsSettings(url=(tmp_path / "file" / "below").as_uri()))
    with pytest.raises(AssetError) as told:
        await objects.put(ID, b"x")
    assert str(tmp_path) not in str(told.value)


def test_keys_are_never_shown():
    """A place may be printed."""
    assert "hunter2" not in repr(AssetsSettings(url="s3://b", access_key="a", secret_key="hunter2"))


@pytest.mark.asyncio
async def test_a_store_can_be_looked_into(objects):
    """Empty or not."""
    await objects.look()
    await objects.put(ID, b"one")
    await objects.look()
