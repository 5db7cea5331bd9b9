"""Notes of what rests, on both engines."""

import pytest

from trivium.routing import store
from trivium.routing.store import Resting

pytestmark = pytest.mark.asyncio


def resting(model="m", until=10, channel="a"):
    return Resting(
        channel=channel, account="x", model=model, fault="f", told=False, openings=1,
        until_at=until, written_at=1,
    )  # fmt: skip


async def test_rows_are_replaced_by_their_key_and_listed_by_channel(database):
    """Two models of an account are two rows."""
    async with database.write() as conn:
        await store.put(conn, [resting("n", channel="b"), resting("m"), resting("k")])
        await store.put(conn, [resting("m", until=20)])
        await store.put(conn, [])
    async with database.read() as conn:
        found = await store.listed(conn)
    assert [("a", "k", 10), ("a", "m", 20), ("b", "n", 10)] == [
        (row.channel, row.model, row.until_at) for row in found
    ]


async def test_rows_go_by_key_by_age_or_all(database):
    """Nothing else goes with them."""
    async with database.write() as conn:
        await store.put(conn, [resting("m", 10), resting("n", 20), resting("o", 30)])
        await store.remove(conn, [("a", "x", "m"), ("a", "y", "n")])
        await store.remove(conn, [])
        await store.remove_all(conn, before=30)
    async with database.read() as conn:
        assert ["o"] == [row.model for row in await store.listed(conn)]
    async with database.write() as conn:
        await store.remove_all(conn)
    async with database.read() as conn:
        assert [] == await store.listed(conn)


async def test_thousands_may_be_well_again_at_once(database):
    """After an outage of everything: SQLite reads no statement with so many alternatives."""
    async with database.write() as conn:
        await store.put(conn, [resting("m", 10), resting("n", 20)])
        await store.remove(conn, [("a", "x", f"m{n}") for n in range(3_000)] + [("a", "x", "m")])
    async with database.read() as conn:
        assert ["n"] == [row.model for row in await store.listed(conn)]
