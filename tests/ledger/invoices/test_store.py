"""Invoices in the database: their numbers have no gap, and their rows do not change."""

import asyncio

import pytest
from sqlalchemy import text

from ledger.invoices.test_printing import DOCUMENT
from trivium.ledger.invoices import store
from trivium.ledger.invoices.model import Invoice
from trivium.storage.errors import StorageError

pytestmark = pytest.mark.asyncio


def invoice(number, seller="Example Ltd", **more):
    """One of November 2026."""
    values = {"id": 0, "account_id": 5, "since": 20_758, "until": 20_787, "issued_at": 1}
    values |= {"total_nanos": 1_460_000_000, **more}
    return Invoice(seller=seller, number=number, name=f"INV-{number}", **values)


async def add(database, seller="Example Ltd", *, fails=False, **more):
    """Write one under the next number."""
    async with database.write() as conn:
        number = 1 + await store.last_number(conn, seller)
        made = await store.add(conn, invoice(number, seller, **more), DOCUMENT)
        if fails:
            raise ValueError
    return made


async def test_numbers_have_no_gap(database):
    """Of each seller, whoever fails and however many come at once."""
    with pytest.raises(ValueError):
        await add(database, fails=True)
    made = await asyncio.gather(*(add(database) for _ in range(8)))
    with pytest.raises(ValueError):
        await add(database, fails=True)
    made.append(await add(database))
    assert list(range(1, 10)) == sorted(each.number for each in made)
    assert 1 == (await add(database, "Other Ltd")).number


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE invoices SET total_nanos = 1",
        "UPDATE invoices SET document = '{}'",
        "UPDATE invoices SET number = 9, voided_at = 1",
        "UPDATE invoices SET void_note = 'x'",
        "DELETE FROM invoices",
    ],
)
async def test_rows_do_not_change(database, change):
    """Whoever has the database open."""
    made = await add(database)
    with pytest.raises(StorageError):
        async with database.write() as conn:
            await conn.execute(text(change))
    async with database.read() as conn:
        assert (made, DOCUMENT) == await store.one(conn, id_=made.id)


async def test_one_is_voided_once(database):
    """And comes back no more."""
    made = await add(database)
    async with database.write() as conn:
        assert await store.void(conn, made.id, 7, "wrong address")
        assert not await store.void(conn, made.id, 8, "")
        assert not await store.void(conn, 404, 8, "")
    for change in ("voided_at = NULL", "voided_at = 9", "void_note = ''"):
        with pytest.raises(StorageError):
            async with database.write() as conn:
                await conn.execute(text(f"UPDATE invoices SET {change}"))
    async with database.read() as conn:
        found, _ = await store.one(conn, seller=made.seller, name=made.name)
        assert (7, "wrong address") == (found.voided_at, found.void_note)
        assert [] == await store.crossing(conn, made.seller, 5, 0, 10**6)


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [(20_787, 20_800, 1), (20_788, 20_800, 0), (20_000, 20_757, 0), (20_760, 20_761, 1)],
)
async def test_what_shares_a_day(database, since, until, found):
    """Of one account and seller."""
    made = await add(database)
    async with database.read() as conn:
        assert [made] * found == await store.crossing(conn, made.seller, 5, since, until)
        assert [] == await store.crossing(conn, made.seller, 6, since, until)
        assert [] == await store.crossing(conn, "Other Ltd", 5, since, until)


async def test_pages_of_accounts(database):
    """The newest first."""
    made = [await add(database, account_id=of) for of in (5, 6, 5)]
    async with database.read() as conn:
        assert made[::-1] == await store.page(conn, None, None, 10)
        assert [made[2], made[0]] == await store.page(conn, [5], None, 10)
        assert [made[0]] == await store.page(conn, [5], made[2].id, 10)
        assert [made[2]] == await store.page(conn, None, None, 1)
        assert DOCUMENT == await store.last_document(conn, "Example Ltd", 6)
        assert None is await store.last_document(conn, "Example Ltd", 7)
