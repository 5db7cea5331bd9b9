"""Holds that are rows: they fit the balance, end once, and move what their account has leased."""

import asyncio

import pytest

from trivium.ledger.entries import Entries
from trivium.ledger.holds import store
from trivium.ledger.holds.model import StoredHold
from trivium.ledger.model import Entry, EntryKind, LeaseRequest
from trivium.ledger.store import turn
from trivium.storage.schema.core import accounts, holds


def held(user_id, amount, request_id="r1"):
    return StoredHold(
        request_id=request_id, user_id=user_id, amount_nanos=amount, bill="{}", created_at=5
    )


def entry(user_id, amount, request_id="r1"):
    return Entry(
        id=0, user_id=user_id, kind=EntryKind.USAGE, amount_nanos=-amount, request_id=request_id
    )


async def placed(database, *args, **more):
    async with database.write() as conn:
        return await store.place(conn, held(*args, **more)) is None


async def leased(database, user_id):
    async with database.read() as conn:
        query = accounts.select().where(accounts.c.user_id == user_id)
        return (await conn.execute(query)).one().leased_nanos


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("balance", "overdraft", "amount", "fits"),
    [(10, 0, 10, True), (10, 0, 11, False), (10, 5, 15, True), (0, 0, 1, False), (0, 0, 0, True)],
)
async def test_a_hold_fits_what_is_left(account, database, balance, overdraft, amount, fits):
    """The balance and what it may go below zero; an unlimited account's hold is of nothing."""
    ada = await account(balance, overdraft)
    assert fits is await placed(database, ada, amount)
    assert (amount if fits else 0) == await leased(database, ada)


@pytest.mark.asyncio
async def test_what_is_held_no_worker_can_lease(account, database):
    """And what a worker has leased cannot be held."""
    ada = await account(10)
    assert await placed(database, ada, 6)
    async with database.write() as conn:
        standing = (await turn(conn, "w", [], {ada: LeaseRequest(0, 9, 0)}))[ada]
    assert (4, 4) == (standing.leased, standing.pool)
    assert not await placed(database, ada, 1, "r2")
    assert [] == await Entries(database, None).misleased()


@pytest.mark.asyncio
async def test_many_holds_at_once_never_exceed_the_balance(account, database):
    """Ten of three each on a balance of ten."""
    ada = await account(10)
    tries = [placed(database, ada, 3, f"r{number}") for number in range(10)]
    assert 3 == sum(await asyncio.gather(*tries))
    assert 9 == await leased(database, ada)


@pytest.mark.asyncio
async def test_a_hold_ends_once(account, database):
    """Whoever takes it books; the next finds nothing."""
    ada = await account(10)
    await placed(database, ada, 6)

    async def end():
        async with database.write() as conn:
            found = await store.take(conn, "r1")
            if found is not None:
                await store.book(conn, found, entry(ada, 4))
            return found

    found = await asyncio.gather(*(end() for _ in range(4)))
    assert [held(ada, 6)] == [each for each in found if each is not None]
    assert 0 == await leased(database, ada)
    books = Entries(database, None)
    assert (6, []) == (await books.balance(ada), await books.verify())


@pytest.mark.asyncio
async def test_an_entry_that_is_there_is_not_booked_again(account, database):
    """Should its request have been booked by other means."""
    ada = await account(10)
    await placed(database, ada, 6)
    for _ in range(2):
        async with database.write() as conn:
            await store.book(conn, held(ada, 6), entry(ada, 4))
    assert 6 == await Entries(database, None).balance(ada)


@pytest.mark.asyncio
async def test_a_leased_amount_that_no_hold_explains_is_found(account, database):
    """What ``trivium ledger verify`` prints."""
    ada = await account(10)
    await placed(database, ada, 6)
    async with database.write() as conn:
        await conn.execute(holds.update().values(amount_nanos=5))
    assert [(ada, 6, 5)] == await Entries(database, None).misleased()
