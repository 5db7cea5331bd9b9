"""What keys have spent, out of entries, on both engines."""

import msgspec
import pytest
import pytest_asyncio

from trivium.admission import store
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage.schema.core import entries

DAY = 86_400
TODAY = 20_000 * DAY


@pytest_asyncio.fixture
async def users(database, clock):
    """Two users with entries of three keys, a top-up, and one entry without details."""
    identity = Identity(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com")
    await Entries(database, clock).book(ada.id, EntryKind.TOP_UP, 1000)

    def row(user, key, nanos, at, number):
        detail = msgspec.json.encode({"model": "m", "key": key}).decode() if key else ""
        return {
            "user_id": user.id,
            "kind": "usage",
            "amount_nanos": -nanos,
            "note": "",
            "request_id": f"r{number}",
            "created_at": at,
            "detail": detail,
        }

    rows = [
        row(ada, 1, 5, TODAY - 1, 0),
        row(ada, 1, 7, TODAY, 1),
        row(ada, 1, 8, TODAY + DAY - 1, 2),
        row(ada, 2, 11, TODAY, 3),
        row(ada, 0, 13, TODAY, 4),
        row(eve, 3, 17, TODAY, 5),
    ]
    async with database.write() as conn:
        await conn.execute(entries.insert(), rows)
    return ada.id, eve.id


@pytest.mark.asyncio
async def test_usage_is_summed_by_key_and_day(database, users):
    """Only of these users, since a moment, up to an entry; what names no key is left out."""
    async with database.read() as conn:
        last = await store.last_entry(conn)

        async def sums(*asked):
            rows = await store.spent_by_day(conn, *asked)
            return sorted((row.key_id, row.day_at, row.nanos) for row in rows)

        ada = [(1, TODAY - DAY, 5), (1, TODAY, 15), (2, TODAY, 11)]
        assert ada == await sums([users[0]], 0, last)
        assert ada[1:] == await sums([users[0]], TODAY, last)
        assert [*ada, (3, TODAY, 17)] == await sums(list(users), 0, last)
        assert [] == await sums(list(users), 0, 0)


@pytest.mark.asyncio
async def test_entries_come_in_pages(database, users):
    """By their numbers; a top-up is none of them."""
    async with database.read() as conn:
        first = await store.usage_after(conn, list(users), 0, 4)
        rest = await store.usage_after(conn, list(users), first[-1].id, 4)
    assert ["r0", "r1", "r2", "r3", "r4", "r5"] == [row.request_id for row in [*first, *rest]]


@pytest.mark.asyncio
async def test_an_empty_ledger_has_no_last_entry(database):
    """Zero, which is before the first."""
    async with database.read() as conn:
        assert 0 == await store.last_entry(conn)


@pytest.mark.asyncio
async def test_there_may_be_more_users_than_a_statement_takes_parameters(database, users):
    """A reseller's: asyncpg takes 32,767, and without their sums no gateway would start."""
    many = [*users, *range(1_000, 41_000)]
    async with database.read() as conn:
        rows = await store.spent_by_day(conn, many, 0, await store.last_entry(conn))
        assert 61 - 13 == sum(row.nanos for row in rows)
        assert 6 == len(await store.usage_after(conn, many, 0, 100))
