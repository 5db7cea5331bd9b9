"""Tokens for machines in SQL, on both engines."""

import pytest

from trivium.oauth.admin import store
from trivium.oauth.credential import digest
from trivium.settings.workloads import AdminScope
from trivium.storage import schema

pytestmark = pytest.mark.asyncio
READ = frozenset({AdminScope.READ})
DAY = 86_400


async def test_only_a_digest_is_kept(world):
    """Nowhere in the row is the secret."""
    _, secret = await world.machines.create("m", READ, world.act_log)
    async with world.database.read() as conn:
        (row,) = await conn.execute(schema.metadata.tables["admin_tokens"].select())
    assert digest(secret) == row.digest
    assert secret not in str(tuple(row))


async def test_what_ended_long_ago_is_swept(world, clock):
    """Expired or revoked; what is live stays."""
    await world.machines.create("old", READ, world.act_log, days=1)
    gone, _ = await world.machines.create("gone", READ, world.act_log)
    await world.machines.revoke(gone.id, world.act_log)
    kept, _ = await world.machines.create("kept", READ, world.act_log)
    now = int(clock.now())
    async with world.database.write() as conn:
        assert 0 == await store.sweep(conn, now)
        assert 2 == await store.sweep(conn, now + DAY + 1)
    assert [kept.id] == [token.id for token in await world.machines.everything()]


async def test_tokens_are_counted(world, clock):
    """Those that are good, and those made since."""
    await world.machines.create("a", READ, world.act_log, days=1)
    clock.advance(DAY)
    made, _ = await world.machines.create("b", READ, world.act_log)
    await world.machines.revoke(made.id, world.act_log)
    await world.machines.create("c", READ, world.act_log)
    now = int(clock.now())
    async with world.database.read() as conn:
        assert (1, 2) == await store.counts(conn, now, now)
        assert (1, 3) == await store.counts(conn, now, 0)


async def test_what_a_token_made_is_found_however_deep(world):
    """Upwards for whoever asks, downwards for what ends; in one statement each."""
    both = frozenset({AdminScope.READ, AdminScope.USERS})
    chain, maker = [], None
    for name in "abcd":
        token, secret = await world.machines.create(name, both, world.act_log, maker=maker)
        chain.append(token.id)
        maker = await world.machines.authenticate(secret)
    other, _ = await world.machines.create("other", READ, world.act_log)
    async with world.database.write() as conn:
        assert await store.is_below(conn, chain[3], chain[0])
        assert not await store.is_below(conn, chain[0], chain[3])
        assert not await store.is_below(conn, chain[0], chain[0])
        assert not await store.is_below(conn, other.id, chain[0])
        assert chain[1:] == await store.revoke(conn, chain[1], 5)
        assert chain[:1] == await store.revoke(conn, chain[0], 6)
