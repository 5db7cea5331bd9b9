"""Developer tokens in SQL."""

import pytest

from trivium.oauth.developer import store

pytestmark = pytest.mark.asyncio


async def test_ended_tokens_are_swept(world, clock):
    """Expired and revoked ones; live ones stay."""
    now = int(clock.at)
    revoked, _ = await world.developer.create(world.ada.id, "a", 300)
    await world.developer.create(world.ada.id, "b", 1)
    live, _ = await world.developer.create(world.ada.id, "c", 300)
    await world.developer.revoke(world.ada.id, revoked.id)
    async with world.database.write() as conn:
        assert 0 == await store.sweep(conn, now)
        assert 2 == await store.sweep(conn, now + 2 * 86_400)
        assert [live.id] == [token.id for token in await store.owned_by(conn, world.ada.id)]
