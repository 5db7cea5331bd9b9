"""What has expired goes, object and row."""

import asyncio

import pytest
from structlog.testing import capture_logs

from assets.stores import folder_objects
from assets.test_service import kept, made
from trivium.assets import service as module
from trivium.assets import store
from trivium.assets.model import AssetError
from trivium.assets.service import AssetSweeper


@pytest.mark.asyncio
async def test_what_has_expired_goes(database, tmp_path, clock, monkeypatch):
    """Batch after batch; what has not stays."""
    monkeypatch.setattr(module, "BATCH", 2)
    objects = folder_objects(tmp_path)
    assets = made(database, objects, clock)
    old = [await kept(assets, lifetime_s=10) for _ in range(5)]
    young = await kept(assets, lifetime_s=100)
    clock.advance(10)
    assert 5 == await AssetSweeper(database, objects, clock).round()
    assert [False] * 5 == [await objects.exists(asset.id) for asset in old]
    assert young == await assets.find(young.id)
    assert 0 == await AssetSweeper(database, objects, clock).round()


@pytest.mark.asyncio
async def test_a_row_stays_while_its_object_cannot_be_deleted(
    database, tmp_path, clock, monkeypatch
):
    """Else nobody would know of the object any more. It is told once, and tried again."""
    assets = made(database, folder_objects(tmp_path), clock)
    asset = await kept(assets, lifetime_s=10)
    clock.advance(10)
    rounds = []

    async def nothing():
        return None

    monkeypatch.setattr(database, "now", nothing)  # the test's clock is not the server's

    class Away:
        async def delete(self, asset_id):
            raise AssetError("the object store is away")

    async def pause(seconds):
        rounds.append(seconds)
        if len(rounds) > 3:
            await asyncio.Event().wait()

    with capture_logs() as logs:
        task = asyncio.ensure_future(AssetSweeper(database, Away(), clock, pause).run())
        while len(rounds) < 4:
            await asyncio.sleep(0.01)
        task.cancel()
    assert [("sweep_waits", "assets")] == [(line["event"], line["what"]) for line in logs]
    async with database.read() as conn:
        assert [asset.id] == await store.expired(conn, int(clock.now()), 10)
