"""Codes in SQL: what is claimed is claimed once, on both engines."""

import pytest

from trivium.identity.service import Identity
from trivium.ledger.codes import store


async def made(database, *digests, expires_at=None):
    """A batch of codes with these digests; its id."""
    async with database.write() as conn:
        rows = [(digest, "hnt") for digest in digests]
        return await store.insert(conn, 10, "note", expires_at, 1, rows)


async def ada(database, clock):
    return (await Identity(database, clock).create_user("ada", "ada@example.com")).id


@pytest.mark.asyncio
async def test_only_open_codes_are_claimed(database, clock):
    """Once; not when revoked; not from the second it expires."""
    user_id = await ada(database, clock)
    batch = await made(database, b"a", b"b", b"c", expires_at=50)
    async with database.write() as conn:
        assert 1 == await store.revoke(conn, 5, digest=b"b")
        assert None is await store.claim(conn, b"b", user_id, 10)
        assert None is await store.claim(conn, b"a", user_id, 50)
        assert None is await store.claim(conn, b"nothing", user_id, 10)
        code = await store.claim(conn, b"a", user_id, 49)
        assert (batch, 10, 49, "ada") == (
            code.batch_id,
            code.amount_nanos,
            code.redeemed_at,
            code.user,
        )
        assert None is await store.claim(conn, b"a", user_id, 49)


@pytest.mark.asyncio
async def test_batches_are_counted(database, clock):
    """Each code in its own column."""
    user_id = await ada(database, clock)
    first = await made(database, b"a", b"b", b"c")
    second = await made(database, b"d")
    async with database.write() as conn:
        await store.claim(conn, b"a", user_id, 2)
        await store.revoke(conn, 3, batch_id=first)
    async with database.read() as conn:
        counted = [(b.id, b.codes, b.redeemed, b.revoked) for b in await store.batches(conn)]
        codes = await store.codes_of(conn, first)
    assert [(first, 3, 1, 2), (second, 1, 0, 0)] == counted
    assert [(2, None), (None, 3), (None, 3)] == [(c.redeemed_at, c.revoked_at) for c in codes]


@pytest.mark.asyncio
async def test_what_is_redeemed_or_revoked_is_not_revoked_again(database, clock):
    """The first moment stays."""
    user_id = await ada(database, clock)
    await made(database, b"a", b"b")
    async with database.write() as conn:
        code = await store.claim(conn, b"a", user_id, 2)
        assert 0 == await store.revoke(conn, 3, code_id=code.id)
        assert 1 == await store.revoke(conn, 4, digest=b"b")
        assert 0 == await store.revoke(conn, 5, digest=b"b")
        assert 4 == (await store.find(conn, b"b")).revoked_at
