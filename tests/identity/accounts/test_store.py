"""What is over is deleted, a little at a time."""

import pytest

from trivium.identity.accounts import store, throttle
from trivium.identity.accounts.tickets import KEPT_S


@pytest.mark.asyncio
async def test_what_is_over_is_swept(
    accounts, user, enter, database, clock, visitor, seconds, letters
):
    """Sessions, tickets and counts; what is live stays."""
    ada = await user()
    await enter()
    await accounts.recovery.ask_reset("ada", visitor)
    await letters.all()

    async def sweep(most=10):
        async with database.write() as conn:
            return await store.sweep(conn, int(clock.now()), 12 * 3600, KEPT_S, most)

    assert 0 == await sweep()
    seconds(KEPT_S + 1800)
    token = await enter()
    assert await sweep(most=1) == 3
    while await sweep():
        pass
    assert [ada] == [s.user for s in await accounts.sessions.of_user(ada.id)]
    assert await accounts.sessions.find(token) is not None


@pytest.mark.asyncio
async def test_ways_in_are_counted(user, database):
    """A password is one."""
    async with database.read() as conn:
        pass
    ada, bob = await user("ada"), await user("bob", password="")
    async with database.read() as conn:
        assert [1, 0] == [await store.ways_in(conn, u.id) for u in (ada, bob)]


@pytest.mark.asyncio
async def test_a_row_of_counts_is_made_once(database):
    """Also by two at the same moment: the second one waits and finds it."""
    _, subject = throttle.of_user(1)
    async with database.write() as conn:
        assert 0 == (await store.seen(conn, subject)).count
        assert 0 == (await store.seen(conn, subject)).count
