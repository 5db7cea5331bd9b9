"""Second factors are kept one a user."""

import pytest

from trivium.identity.accounts.mfa import store


@pytest.mark.asyncio
async def test_an_enrolment_under_way_is_replaced(database, user):
    """Until one is finished; steps only go forward."""
    ada = await user()
    async with database.write() as conn:
        await store.begin(conn, ada.id, b"one", 10)
        await store.begin(conn, ada.id, b"two", 11)
        assert (b"two", None, 0) == await store.find(conn, ada.id)
        assert await store.confirm(conn, ada.id, 12)
        assert not await store.confirm(conn, ada.id, 13)
        assert [True, False, False, True] == [
            await store.use_step(conn, ada.id, step) for step in (5, 5, 4, 6)
        ]
        assert (b"two", 12, 6) == await store.find(conn, ada.id)


@pytest.mark.asyncio
async def test_codes_belong_to_their_user(database, user):
    """The same digest at another is another code."""
    ada, bob = await user("ada"), await user("bob")
    async with database.write() as conn:
        await store.replace_codes(conn, ada.id, [b"1", b"2"])
        assert not await store.use_code(conn, bob.id, b"1", 10)
        assert await store.use_code(conn, ada.id, b"1", 10)
        assert 1 == await store.codes_left(conn, ada.id)
        await store.remove(conn, ada.id)
        assert 0 == await store.codes_left(conn, ada.id)
