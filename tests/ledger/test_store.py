"""The statements below the bookings."""

import pytest

from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.model import Entry, EntryKind


def entry(user_id, amount, kind=EntryKind.TOP_UP, request_id=None):
    return Entry(
        id=0, user_id=user_id, kind=kind, amount_nanos=amount, request_id=request_id, created_at=5
    )


@pytest.fixture
def user(database, clock):
    async def make():
        return (await Identity(database, clock).create_user("ada", "ada@example.com")).id

    return make


@pytest.mark.asyncio
async def test_an_entry_reads_back_as_it_was_booked(database, user):
    """Found by its request, absent for another."""
    made = entry(await user(), -3, EntryKind.USAGE, "r1")
    async with database.write() as conn:
        entry_id = await store.insert_entry(conn, made)
        found = await store.entry_of(conn, "r1")
        assert None is await store.entry_of(conn, "r2")
    assert (entry_id, -3, EntryKind.USAGE, "r1", 5) == (
        found.id,
        found.amount_nanos,
        found.kind,
        found.request_id,
        found.created_at,
    )


@pytest.mark.asyncio
async def test_a_request_that_is_there_is_not_inserted(database, user):
    """Any number of entries without a request are."""
    ada = await user()
    async with database.write() as conn:
        assert None is not await store.insert_entry(conn, entry(ada, 1, request_id="r1"))
        assert None is await store.insert_entry(conn, entry(ada, 1, request_id="r1"))
        assert None is not await store.insert_entry(conn, entry(ada, 1))
        assert None is not await store.insert_entry(conn, entry(ada, 1))


@pytest.mark.asyncio
async def test_moving_a_balance_returns_the_new_one(database, user):
    """The first movement opens the account."""
    ada = await user()
    async with database.write() as conn:
        balances = [await store.add_to_account(conn, entry(ada, n)) for n in (5, -7, 0, 3)]
        assert [5, -2, -2, 1] == balances
        assert (1, 0) == (await store.balance_of(conn, ada), await store.balance_of(conn, ada + 1))


@pytest.mark.asyncio
async def test_only_users_have_accounts(database, user):
    """Asked before an entry would break a reference."""
    ada = await user()
    async with database.read() as conn:
        assert (True, False) == (await store.has_user(conn, ada), await store.has_user(conn, 99))
