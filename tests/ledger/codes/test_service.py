"""A code is worth its amount once, whoever tries it, however often and at once."""

import asyncio

import pytest
from sqlalchemy import text

from trivium.identity.service import Identity
from trivium.ledger.codes.model import CodeError, CodeRefusal, issue
from trivium.ledger.codes.service import Codes
from trivium.ledger.entries import Entries
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import NANOS, EntryKind
from trivium.storage.database import Database
from trivium.storage.errors import StorageError


@pytest.fixture
def codes(database, clock):
    return Codes(database, clock)


@pytest.fixture
def entries(database, clock):
    return Entries(database, clock)


@pytest.fixture
def user(database, clock):
    """Makes users; returns the id."""

    async def make(name="ada"):
        return (await Identity(database, clock).create_user(name, f"{name}@example.com")).id

    return make


async def refusal(codes, user_id, code):
    """Why a code brings nothing."""
    with pytest.raises(CodeError) as caught:
        await codes.redeem(user_id, code)
    return caught.value.why


@pytest.mark.asyncio
async def test_a_code_becomes_balance(codes, entries, user):
    """As an entry of its own kind, which the proof of the books counts."""
    ada = await user()
    batch, (code,) = await codes.create(10 * NANOS, 1, note="spring")
    entry = await codes.redeem(ada, code.lower())
    assert (EntryKind.REDEMPTION, 10 * NANOS) == (entry.kind, entry.amount_nanos)
    assert f"code 1 of batch {batch}" == entry.note
    assert 10 * NANOS == await entries.balance(ada)
    assert [] == await entries.verify()


@pytest.mark.asyncio
async def test_a_second_time_it_brings_nothing(codes, entries, user):
    """Neither to the same user nor to another."""
    ada, bob = await user("ada"), await user("bob")
    _, (code, other) = await codes.create(5, 2)
    await codes.redeem(ada, code)
    assert [CodeRefusal.REDEEMED] * 2 == [await refusal(codes, who, code) for who in (ada, bob)]
    await codes.redeem(bob, other)
    assert (5, 5) == (await entries.balance(ada), await entries.balance(bob))


@pytest.mark.asyncio
async def test_tried_at_once_it_is_booked_once(database_url, codes, entries, user, clock):
    """By ten at a time over two processes' worth of connections."""
    users = [await user(f"user{i}") for i in range(5)]
    _, made = await codes.create(7, 3)
    second = Database(database_url)
    other = Codes(second, clock)
    try:
        for code in made:
            tries = [each.redeem(who, code) for who in users for each in (codes, other)]
            done = await asyncio.gather(*tries, return_exceptions=True)
            lost = [each.why for each in done if isinstance(each, CodeError)]
            assert ([CodeRefusal.REDEEMED] * 9, 10) == (lost, len(done))
    finally:
        await second.close()
    assert 21 == sum([await entries.balance(who) for who in users])
    assert [] == await entries.verify()


@pytest.mark.asyncio
async def test_what_brings_nothing_says_why(codes, user, clock):
    """And a slip is told from a guess."""
    ada = await user()
    _, (late, gone) = await codes.create(5, 2, expires_at=int(clock.now()) + 10)
    assert 1 == await codes.revoke(gone)
    slipped = late[:-1] + ("0" if late[-1] != "0" else "1")
    guessed = issue(lambda n: b"\x07" * n)
    clock.advance(10)
    found = [await refusal(codes, ada, code) for code in (late, gone, slipped, guessed)]
    assert [
        CodeRefusal.EXPIRED,
        CodeRefusal.REVOKED,
        CodeRefusal.MISTYPED,
        CodeRefusal.UNKNOWN,
    ] == found


@pytest.mark.asyncio
async def test_a_booking_that_fails_leaves_the_code_open(codes, entries, user):
    """The mark and the entry are one transaction."""
    ada, bob = await user("ada"), await user("bob")
    for _ in range(9):
        await entries.book(ada, EntryKind.TOP_UP, 10**18)
    _, (code,) = await codes.create(10**18, 1)
    with pytest.raises((LedgerError, StorageError)):
        await codes.redeem(ada, code)
    with pytest.raises(LedgerError, match="999"):
        await codes.redeem(999, code)
    await codes.redeem(bob, code)
    assert 10**18 == await entries.balance(bob)
    assert [] == await entries.verify()


@pytest.mark.asyncio
async def test_a_code_whose_mark_was_taken_away_is_not_booked_again(codes, entries, user, database):
    """The entry's request id is unique, whatever became of the mark."""
    ada = await user()
    _, (code,) = await codes.create(5, 1)
    await codes.redeem(ada, code)
    async with database.write() as conn:
        await conn.execute(text("UPDATE codes SET redeemed_at = NULL"))
    with pytest.raises(LedgerError, match="booked already"):
        await codes.redeem(ada, code)
    assert 5 == await entries.balance(ada)


@pytest.mark.asyncio
async def test_no_code_is_stored(codes, database):
    """Whoever reads the database can redeem nothing."""
    _, made = await codes.create(5, 3)
    async with database.read() as conn:
        rows = str((await conn.execute(text("SELECT * FROM codes"))).all())
    assert 3 == len(set(made))
    assert not [code for code in made if code in rows or code.replace("-", "") in rows]


@pytest.mark.parametrize(("which", "gone"), [("batch:1", 3), ("id:2", 1), ("batch:01", 3)])
@pytest.mark.asyncio
async def test_codes_are_revoked_by_name(codes, which, gone):
    """A batch, or one of it; what is revoked is not open any more."""
    await codes.create(5, 3)
    assert gone == await codes.revoke(which)
    with pytest.raises(LedgerError, match="no open code"):
        await codes.revoke(which)
    assert gone == (await codes.batches())[0].revoked
    assert gone == [c.state(0) for c in await codes.codes_of(1)].count("revoked")


@pytest.mark.parametrize(
    ("amount", "count", "seconds", "note", "said"),
    [
        (0, 1, None, "", "more than zero"),
        (-1, 1, None, "", "more than zero"),
        (10**18 + 1, 1, None, "", "billion"),
        (1, 0, None, "", "1 to 10000"),
        (1, 10_001, None, "", "1 to 10000"),
        (1, 1, 0, "", "expired already"),
        (1, 1, None, "a\x1b", "printable"),
    ],
)
@pytest.mark.asyncio
async def test_a_bad_batch_is_refused(codes, clock, amount, count, seconds, note, said):
    """With the reason, and nothing is made."""
    expires_at = None if seconds is None else int(clock.now()) + seconds
    with pytest.raises(LedgerError, match=said):
        await codes.create(amount, count, expires_at, note)
    assert [] == await codes.batches()


@pytest.mark.parametrize("which", ["batch:x", "id:", "3", "batch:999", "id:999"])
@pytest.mark.asyncio
async def test_what_names_nothing_is_told(codes, which):
    """Whether it is no name or nothing has it."""
    with pytest.raises(LedgerError, match=r"batch:3|no open code"):
        await codes.revoke(which)
    with pytest.raises(LedgerError, match="no batch 999"):
        await codes.codes_of(999)


@pytest.mark.parametrize(
    ("tampering", "found"),
    [
        ("UPDATE codes SET redeemed_at = NULL WHERE id = 1", 1),
        ("UPDATE codes SET redeemed_at = 5 WHERE id = 2", 2),
        ("UPDATE codes SET user_id = 2 WHERE id = 1", 1),
        ("UPDATE code_batches SET amount_nanos = 6", 1),
    ],
)
@pytest.mark.asyncio
async def test_a_mark_without_its_entry_is_found(codes, user, database, tampering, found):
    """And an entry without its mark, or for another user or amount."""
    ada, _ = await user("ada"), await user("bob")
    _, (code, _) = await codes.create(5, 2)
    await codes.redeem(ada, code)
    assert [] == await codes.verify()
    async with database.write() as conn:
        await conn.execute(text(tampering))
    assert [found] == await codes.verify()
