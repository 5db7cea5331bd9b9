"""Bookings: exact, once, and always adding up."""

import asyncio

import pytest
from sqlalchemy import text

from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.errors import BookedError, LedgerError
from trivium.ledger.model import EntryKind
from trivium.storage.errors import StorageError

TOP_UP, USAGE, REFUND = EntryKind.TOP_UP, EntryKind.USAGE, EntryKind.REFUND


@pytest.fixture
def entries(database, clock):
    return Entries(database, clock)


@pytest.fixture
def user(database, clock):
    """Makes users; returns the id."""

    async def make(name="ada"):
        return (await Identity(database, clock).create_user(name, f"{name}@example.com")).id

    return make


@pytest.mark.asyncio
async def test_a_balance_is_the_sum_of_the_entries(entries, user, clock):
    """Top-ups add, usage takes, refunds give back."""
    ada, bob = await user("ada"), await user("bob")
    assert 0 == await entries.balance(ada)
    entry = await entries.book(ada, TOP_UP, 100, " first ")
    assert ("first", int(clock.now()), 100) == (entry.note, entry.created_at, entry.amount_nanos)
    await entries.book(ada, USAGE, -130)
    await entries.book(ada, REFUND, 5)
    await entries.book(bob, TOP_UP, 7)
    assert (-25, 7) == (await entries.balance(ada), await entries.balance(bob))
    assert [] == await entries.verify()


@pytest.mark.asyncio
async def test_a_request_is_booked_once(entries, user):
    """A repeated booking returns the first one and moves nothing."""
    ada = await user()
    first = await entries.book(ada, USAGE, -5, "one", request_id="r1")
    assert first == await entries.book(ada, USAGE, -5, "two", request_id="r1")
    await entries.book(ada, USAGE, -5, request_id="r2")
    assert -10 == await entries.balance(ada)
    assert [] == await entries.verify()


@pytest.mark.asyncio
async def test_a_request_booked_at_the_same_time_is_booked_once(entries, user):
    """Of ten concurrent bookings one is made, and all return it."""
    ada = await user()
    booked = await asyncio.gather(
        *(entries.book(ada, USAGE, -5, request_id="r1") for _ in range(10))
    )
    assert 1 == len({entry.id for entry in booked})
    assert -5 == await entries.balance(ada)


@pytest.mark.asyncio
async def test_concurrent_bookings_lose_nothing(entries, user):
    """Every one of them is in the balance."""
    ada = await user()
    await asyncio.gather(*(entries.book(ada, TOP_UP, 1) for _ in range(20)))
    assert 20 == await entries.balance(ada)
    assert [] == await entries.verify()


@pytest.mark.parametrize(("kind", "amount"), [(USAGE, -6), (TOP_UP, -5)])
@pytest.mark.asyncio
async def test_a_request_cannot_be_booked_otherwise(entries, user, kind, amount):
    """A second booking that differs is a mistake somebody should see."""
    ada = await user()
    await entries.book(ada, USAGE, -5, request_id="r1")
    with pytest.raises(LedgerError, match="r1"):
        await entries.book(ada, kind, amount, request_id="r1")
    assert -5 == await entries.balance(ada)


@pytest.mark.parametrize(
    ("amount", "note"),
    [(1.0, ""), (True, ""), ("1", ""), (10**18 + 1, ""), (-(10**18) - 1, ""), (1, "x" * 501),
     (1, "a\x00b"), (1, "a\nb")],
)  # fmt: skip
@pytest.mark.asyncio
async def test_a_bad_booking_is_refused(entries, user, amount, note):
    """Floats, out-of-range amounts and unprintable notes leave no entry."""
    ada = await user()
    with pytest.raises(LedgerError):
        await entries.book(ada, TOP_UP, amount, note)
    assert 0 == await entries.balance(ada)


@pytest.mark.asyncio
async def test_an_unknown_user_has_no_account(entries):
    """Nothing is booked on an id that nobody has."""
    with pytest.raises(LedgerError, match="999"):
        await entries.book(999, TOP_UP, 1)


@pytest.mark.asyncio
async def test_a_balance_never_leaves_its_range(entries, user):
    """The ninth billion is the last, on both engines, and the ledger still adds up."""
    ada = await user()
    for _ in range(9):
        await entries.book(ada, TOP_UP, 10**18)
    with pytest.raises((LedgerError, StorageError)):
        await entries.book(ada, TOP_UP, 10**18)
    assert 9 * 10**18 == await entries.balance(ada)
    assert [] == await entries.verify()


@pytest.mark.parametrize(
    ("statement", "numbers"),
    [
        ("UPDATE accounts SET balance_nanos = balance_nanos + 1", (71, 70, 30, 30)),
        ("UPDATE accounts SET used_nanos = 0", (70, 70, 0, 30)),
        ("DELETE FROM accounts", (0, 70, 0, 30)),
        (
            """INSERT INTO entries (user_id, kind, amount_nanos, note, created_at)
            SELECT id, 'usage', -10, '', 0 FROM users""",
            (70, 60, 30, 40),
        ),
    ],
    ids=["balance", "used", "account", "entry"],
)
@pytest.mark.asyncio
async def test_a_tampered_account_is_found(entries, user, database, statement, numbers):
    """With what it says and what its entries add up to."""
    ada = await user()
    await entries.book(ada, TOP_UP, 100)
    await entries.book(ada, USAGE, -30)
    async with database.write() as conn:
        await conn.execute(text(statement))
    [found] = await entries.verify()
    assert (ada, *numbers) == (
        found.user_id,
        found.balance_nanos,
        found.entries_nanos,
        found.used_nanos,
        found.entries_used_nanos,
    )


@pytest.mark.asyncio
async def test_what_goes_along_is_done_once_or_not_at_all(entries, user):
    """With the first booking of a request and no other; and nothing is booked where it fails."""
    ada, seen = await user(), []

    async def along(_, entry):
        seen.append(entry)

    first = await entries.book(ada, TOP_UP, 5, request_id="r1", along=along)
    assert first == await entries.book(ada, TOP_UP, 5, request_id="r1", along=along)
    with pytest.raises(BookedError):
        await entries.book(ada, TOP_UP, 6, request_id="r1", along=along)
    assert [first] == seen

    async def fails(_, __):
        raise ValueError

    with pytest.raises(ValueError):
        await entries.book(ada, TOP_UP, 7, along=fails)
    assert 5 == await entries.balance(ada)
