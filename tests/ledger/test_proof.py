"""One look at everything that was booked, a step at a time."""

import pytest
from sqlalchemy import text

from trivium.identity.service import Identity
from trivium.ledger import verify
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.ledger.proof import LedgerProof


async def nobody(_):
    return []


@pytest.mark.asyncio
async def test_books_are_looked_at_in_steps(database, clock, monkeypatch):
    """Nothing is wrong, and the pages of entries are counted as they come."""
    monkeypatch.setattr(verify, "PAGE", 2)
    user = await Identity(database, clock).create_user("ada", "ada@example.com")
    for _ in range(3):
        await Entries(database, clock).book(user.id, EntryKind.TOP_UP, 5, "")
    proof = LedgerProof(database, clock, nobody)
    counts = [(proof.entries, lines) async for lines in proof.steps()]
    assert [(0, []), (0, []), (0, []), (0, []), (2, []), (3, [])] == counts


@pytest.mark.asyncio
async def test_every_kind_of_contradiction_is_named(database, clock):
    """A balance, a lease, a stray hold and an entry whose bill is none."""
    user = await Identity(database, clock).create_user("ada", "ada@example.com")
    await Entries(database, clock).book(user.id, EntryKind.TOP_UP, 5, "")
    async with database.write() as conn:
        await conn.execute(text("UPDATE accounts SET balance_nanos = 7, leased_nanos = 9"))
        await conn.execute(
            text(
                "INSERT INTO entries (user_id, kind, amount_nanos, note, request_id, created_at,"
                f" detail) VALUES ({user.id}, 'usage', -3, '', 'req_1', 100, 'none')"
            )
        )

    async def one(_):
        return ["req_2"]

    proof = LedgerProof(database, clock, one)
    found = "\n".join([line async for lines in proof.steps() for line in lines])
    for said in (
        "its entries add up to",
        "are leased, its leases and holds add up to",
        "the sums of 1970-01-01 are",
        "request req_2: money is held for it",
        "of ada, request req_1: its bill cannot be read",
    ):
        assert said in found
    assert 2 == proof.entries
