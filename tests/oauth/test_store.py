"""Accounts as applications are told of them, on both engines."""

import pytest

from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.oauth import store

pytestmark = pytest.mark.asyncio


async def test_the_ledger_says_what_is_left(world):
    """Nothing, before the first entry."""
    async with world.database.read() as conn:
        assert None is await store.account(conn, 999)
        before = await store.account(conn, world.ada.id)
    assert ("ada", "ada@example.org", 0, 0) == (
        before.name,
        before.email,
        before.balance_nanos,
        before.used_nanos,
    )
    await Entries(world.database, world.clock).book(world.ada.id, EntryKind.TOP_UP, 2_500_000_000)
    async with world.database.read() as conn:
        assert 2_500_000_000 == (await store.account(conn, world.ada.id)).balance_nanos
