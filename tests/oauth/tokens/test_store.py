"""Tokens in SQL."""

import pytest

from trivium.oauth import credential
from trivium.oauth.tokens import store

pytestmark = pytest.mark.asyncio
DAY = 86_400


async def test_what_is_over_is_swept(world, clock):
    """Tokens at their end, families when nothing of them is left and nobody asks any more."""
    first = await world.issued()
    await world.refresh(first.refresh_token)
    now = int(clock.at)
    async with world.database.write() as conn:
        assert 0 == await store.sweep(conn, now, now, 100)
        assert 2 == await store.sweep(conn, now + 7200, now, 100)
        # used refresh tokens stay: that is how reuse is recognised
        assert 0 == await store.sweep(conn, now + 30 * DAY - 1, now, 100)
        assert 1 == await store.sweep(conn, now + 30 * DAY, now, 1)
        assert 1 == await store.sweep(conn, now + 30 * DAY, now, 1)
        assert 1 == await store.sweep(conn, now + 30 * DAY, now + 1, 100)


async def test_a_code_is_claimed_once(world, clock):
    """Whoever comes second is told."""
    digest = credential.digest(await world.code())
    async with world.database.write() as conn:
        assert await store.claim_code(conn, digest, int(clock.at))
        assert not await store.claim_code(conn, digest, int(clock.at))


async def test_what_is_unknown_is_not_found(world):
    """Nowhere."""
    async with world.database.read() as conn:
        assert [None] * 4 == [
            await store.find_code(conn, b"x"),
            await store.find_refresh(conn, b"x"),
            await store.find_access(conn, b"x", 0),
            await store.owner_of_access(conn, b"x"),
        ]
