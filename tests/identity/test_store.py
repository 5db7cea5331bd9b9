"""What the snapshots rely on: identity writes are visible in the order of their revisions."""

import asyncio

import pytest

from trivium.identity import store
from trivium.identity.service import Identity


@pytest.mark.asyncio
async def test_identity_writes_queue(database):
    """A second write gets its revision only after the first has committed: no gap ever fills up."""
    order = []

    async def write(name, hold):
        async with database.write() as conn:
            raised = await store.bump(conn)
            order.append((name, raised))
            await hold.wait()
            order.append((name, "commits"))

    first, second = asyncio.Event(), asyncio.Event()
    second.set()
    slow = asyncio.create_task(write("slow", first))
    while not order:
        await asyncio.sleep(0.001)
    fast = asyncio.create_task(write("fast", second))
    await asyncio.sleep(0.05)
    assert [("slow", 1)] == order
    async with database.read() as conn:
        assert 0 == await store.current_revision(conn)
    first.set()
    await asyncio.gather(slow, fast)
    assert [("slow", 1), ("slow", "commits"), ("fast", 2), ("fast", "commits")] == order


@pytest.mark.asyncio
async def test_keys_are_paged_by_revision_and_id(database, clock):
    """A page begins where the last one ended, and a key that changed comes again at the end."""
    identity = Identity(database, clock)
    await identity.create_user("ada", "ada@example.com")
    first, second, third = [(await identity.create_key("ada", n))[0].id for n in ("a", "b", "c")]

    async def page(position, limit):
        async with database.read() as conn:
            rows = await store.changes_after(conn, position, limit)
        return [row.id for row in rows], (rows[-1].revision, rows[-1].id)

    ids, position = await page((-1, -1), 2)
    assert [first, second] == ids
    await identity.revoke_key(f"id:{first}")
    ids, position = await page(position, 2)
    assert [third, first] == ids
    await identity.disable_user("ada")
    ids, position = await page(position, 2)
    assert [first, second] == ids
    assert [third] == (await page(position, 2))[0]
