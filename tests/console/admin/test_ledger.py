"""The books are proved and taken along on a page."""

import csv
import io

import pytest
import pytest_asyncio
from sqlalchemy import text

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin import ledger
from trivium.identity.model import UserRole
from trivium.ledger import verify
from trivium.ledger.model import EntryKind
from trivium.ledger.proof import LedgerProof
from trivium.storage.errors import StorageError

AT = "/admin/ledger"


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        visitor.ada = await user_of(console, "ada")
        for _ in range(3):
            await console.entries.book(visitor.ada.id, EntryKind.TOP_UP, 10**9, "cash")
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_books_that_add_up(boss, monkeypatch):
    """Said with how many were looked at; the page is whole, and as strict as others."""
    monkeypatch.setattr(verify, "PAGE", 1)
    monkeypatch.setattr(ledger, "TICK", 2)
    answer = await boss.post(f"{AT}/proof")
    assert 200 == answer.status_code
    assert "3 entries: every balance is their sum." in answer.text
    assert "2 entries …" in answer.text
    assert answer.text.rstrip().endswith("</html>")
    assert "script-src" in answer.headers["content-security-policy"]
    assert "no-store" == answer.headers["cache-control"]


@pytest.mark.asyncio
async def test_books_that_do_not(boss, monkeypatch):
    """Each contradiction by name, at most so many."""
    monkeypatch.setattr(ledger, "TOLD_MAX", 1)
    async with boss.console.database.write() as conn:
        await conn.execute(text("UPDATE accounts SET balance_nanos = balance_nanos + 1"))
    await boss.console.entries.book(
        (await user_of(boss.console, "bob")).id, EntryKind.TOP_UP, 10**9, "cash"
    )
    async with boss.console.database.write() as conn:
        await conn.execute(text("UPDATE accounts SET balance_nanos = balance_nanos + 1"))
    page = Seen((await boss.post(f"{AT}/proof")).text)
    assert "do not add up: 2 contradictions" in page.text
    assert "There are more, which are only counted." in page.text
    assert 1 == page.text.count("its entries add up to")


@pytest.mark.asyncio
async def test_a_database_that_goes_away(boss, monkeypatch):
    """The page ends, and says that the proof is not complete."""

    async def steps(_):
        yield []
        raise StorageError("gone")

    monkeypatch.setattr(LedgerProof, "steps", steps)
    answer = await boss.post(f"{AT}/proof")
    assert "the proof is not complete" in answer.text
    assert answer.text.rstrip().endswith("</html>")


@pytest.mark.asyncio
async def test_entries_are_taken_along(boss):
    """Of everybody or of one account, of some days, in either columns."""
    rows = list(csv.DictReader(io.StringIO((await boss.post(f"{AT}.csv", columns="csv")).text)))
    assert ["ada"] * 3 == [row["user"] for row in rows]
    assert ["1.00"] * 3 == [row["amount_usd"] for row in rows]
    none = await boss.post(f"{AT}.csv", user="eve", columns="csv")
    assert 1 == len(none.text.splitlines())
    late = await boss.post(f"{AT}.csv", since="2100-01-01", columns="csv")
    assert 1 == len(late.text.splitlines())
    focus = (await boss.post(f"{AT}.csv", columns="focus")).text
    assert focus.startswith("BilledCost,")
    for fields in ({"user": "nobody"}, {"since": "never"}, {"columns": "xml"}):
        assert 422 == (await boss.post(f"{AT}.csv", **fields)).status_code
