"""The statements below the bookings."""

import contextlib
import sqlite3

import pytest

from trivium.clock import FixedClock
from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.model import Entry, EntryKind, Settlement


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


REPLACED = "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE id = 1"
REPLACING = {
    "by its id": REPLACED,
    "by its request": "INSERT OR REPLACE INTO entries (user_id, kind, amount_nanos, note, "
    "request_id, created_at) SELECT user_id, kind, 1, note, request_id, created_at FROM entries",
    "in short": "REPLACE INTO entries SELECT id, user_id, kind, 1, note, request_id, created_at, "
    "detail FROM entries",
    "by an update": "UPDATE OR REPLACE entries SET amount_nanos = 1",
    "its deletion": "DELETE FROM entries",
}


@pytest.mark.parametrize("name", REPLACING)
@pytest.mark.asyncio
async def test_an_entry_cannot_be_replaced(sqlite_database, name):
    """By whatever speaks with the file: SQLite deletes what is in a replacement's way unasked."""
    user = await Identity(sqlite_database, FixedClock()).create_user("ada", "ada@example.org")
    async with sqlite_database.write() as conn:
        await store.insert_entry(conn, entry(user.id, -5, EntryKind.USAGE, "r1"))
    with contextlib.closing(sqlite3.connect(sqlite_database.path)) as outside:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            outside.execute(REPLACING[name])
        assert [(1, -5)] == outside.execute("SELECT id, amount_nanos FROM entries").fetchall()


@pytest.mark.asyncio
async def test_an_act_cannot_be_replaced(sqlite_database):
    """As an entry cannot."""
    with contextlib.closing(sqlite3.connect(sqlite_database.path)) as outside:
        names = [row[1] for row in outside.execute("PRAGMA table_info(acts)")]
        marks = ", ".join("?" * len(names))
        outside.execute(f"INSERT INTO acts VALUES ({marks})", [1] * len(names))
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            outside.execute(f"INSERT OR REPLACE INTO acts VALUES ({marks})", [1] * len(names))


def settled(request_id, cost, note=""):
    return Settlement(request_id, 1, cost, 5, note, "")


@pytest.mark.parametrize("interrupted", [0, 30, 90])
@pytest.mark.parametrize("order", ["journal first", "repeat first"])
@pytest.mark.asyncio
async def test_an_interrupted_request_that_was_made_again_costs_its_answer(
    database, user, clock, interrupted, order
):
    """Once, whichever is booked first and however often a turn is repeated."""
    user_id = await user()
    assert 1 == user_id
    both = [settled("r1", interrupted, "interrupted"), settled("r1", 57)]
    for one in (both if order == "journal first" else both[::-1]) * 2:
        async with database.write() as conn:
            await store.turn(conn, "w1", [one], {})
    async with database.read() as conn:
        found = [e async for _, e in store.entries_after(conn, 0, 10, None, 0, 10**12)]
        assert (-57, -57) == (
            sum(each.amount_nanos for each in found),
            await store.balance_of(conn, user_id),
        )
    names = ["r1", "r1:repeated"] if order == "journal first" else ["r1"]
    assert names == [each.request_id for each in found]
