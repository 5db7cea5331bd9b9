"""The books are proven, exported, and a row that was changed is found."""

import asyncio
import csv
import io
import sqlite3

import pytest

from ledger.conftest import Worker, payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.ledger.verify import COLUMNS
from trivium.storage.database import Database


@pytest.fixture
def ada(migrated, trivium, folder):
    """A user with a top-up and two requests; their id is 1."""
    assert 0 == trivium("user", "create", "ada", "--email", "a@example.com", "--credit", "1").code

    async def use():
        database = Database(f"sqlite:///{folder / 'trivium.db'}")
        worker = Worker(database, folder / "journal", "w", FixedClock(1_798_761_600.0))
        for number in (1, 2):
            hold = worker.ledger.hold(f"r{number}", payer(1, unlimited=True), quote(50))
            worker.ledger.settle(hold, Usage(fresh=number, output=3, estimated=number == 2))
        await worker.turns.close()
        await database.close()

    asyncio.run(use())
    return folder / "trivium.db"


def change(path, *statements):
    """Tamper with the database as an intruder would: past the triggers."""
    with sqlite3.connect(path) as db:
        db.execute("DROP TRIGGER entries_update")
        for statement in statements:
            db.execute(statement)
    db.close()


def test_books_that_add_up_are_proven(trivium, ada):
    """For people and for programs."""
    done = trivium("ledger", "verify")
    assert (0, "") == (done.code, done.out)
    assert "3 entries: every balance is their sum\n" in done.err
    assert {"ok": True, "entries": 3, "wrong": []} == trivium("ledger", "verify", "--json").data


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        (["UPDATE accounts SET balance_nanos = 5"], ["account 1: the balance is 0.000000005"]),
        (["UPDATE accounts SET leased_nanos = 5"], ["account 1: 0.000000005 are leased"]),
        (
            ["UPDATE entries SET amount_nanos = -3 WHERE request_id = 'r1'"],
            [
                "account 1: the balance is 0.999999991",
                "account 1: the sums of 2027-01-01 are 0.000000009",
                "entry 2 of ada, request r1: its bill comes to 0.000000004, booked are 0.000000003",
            ],
        ),
        # a row and its balance changed alike: the sums of its day and its bill do not agree
        (
            [
                "UPDATE entries SET amount_nanos = amount_nanos + 1 WHERE request_id = 'r2'",
                "UPDATE accounts SET balance_nanos = balance_nanos + 1, used_nanos = used_nanos - 1",
            ],
            [
                "account 1: the sums of 2027-01-01 are 0.000000009",
                "entry 3 of ada, request r2: its bill comes to 0.000000005",
            ],
        ),
        (
            ["UPDATE entries SET detail = '{' WHERE request_id = 'r2'"],
            ["entry 3 of ada, request r2: its bill cannot be read"],
        ),
    ],
)  # fmt: skip
def test_what_was_changed_is_found_and_named(trivium, ada, statements, named):
    """The account, the row, and by how much."""
    change(ada, *statements)
    done = trivium("ledger", "verify")
    assert 1 == done.code
    lines = done.out.splitlines()
    assert len(named) == len(lines)
    for line, begins in zip(lines, named, strict=True):
        assert line.startswith(begins)
    assert f"does not add up: {len(named)} contradiction" in done.err
    assert not trivium("ledger", "verify", "--json").data["ok"]


def test_a_missing_row_is_found(trivium, ada):
    """The sum tells."""
    with sqlite3.connect(ada) as db:
        db.execute("DROP TRIGGER entries_delete")
        db.execute("DELETE FROM entries WHERE request_id = 'r1'")
    db.close()
    assert "its entries add up to 0.999999995" in trivium("ledger", "verify").out


def test_money_held_for_nothing_is_found(trivium, ada):
    """By the account that it is missing from, and by the request that no job explains."""
    with sqlite3.connect(ada) as db:
        db.execute("INSERT INTO holds VALUES ('r9', 1, 5, '{}', 0, '[]', 0, '')")
    db.close()
    lines = trivium("ledger", "verify").out.splitlines()
    assert [
        "account 1: 0.00 are leased, its leases and holds add up to 0.000000005",
        "request r9: money is held for it, and no job of it is running",
    ] == lines


def rows(done):
    """An export read back."""
    assert 0 == done.code, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_entries_are_exported(trivium, ada):
    """Every one, with what is known of it."""
    first, second, third = rows(trivium("ledger", "export"))
    assert list(COLUMNS) == list(first)
    assert ("1", "top_up", "1.00", "", "credit at creation") == (
        first["entry"], first["kind"], first["amount_usd"], first["model"], first["note"],
    )  # fmt: skip
    assert ("2027-01-01T00:00:00Z", "ada", "usage", "-0.000000004", "r1", "5", "m", "false") == (
        second["at"], second["user"], second["kind"], second["amount_usd"], second["request_id"],
        second["key"], second["model"], second["estimated"],
    )  # fmt: skip
    assert ("2", "3", "true", "") == (
        third["fresh"], third["output"], third["estimated"], third["seconds"],
    )  # fmt: skip


def test_an_export_can_be_narrowed(trivium, ada):
    """By user and by day."""
    assert 0 == trivium("user", "create", "bob", "--email", "b@example.com").code
    assert [] == rows(trivium("ledger", "export", "--user", "bob"))
    since = rows(trivium("ledger", "export", "--since", "2027-01-01", "--until", "2027-01-02"))
    assert ["r1", "r2"] == [row["request_id"] for row in since]
    assert [] == rows(trivium("ledger", "export", "--until", "2026-01-01"))
    assert 2 == trivium("ledger", "export", "--since", "yesterday").code


def test_no_cell_is_a_formula(trivium, folder):
    """What a spreadsheet would run is quoted; amounts below zero are not."""
    trivium("user", "create", "ada", "--email", "a@example.com")
    trivium("credit", "ada", "--note", "=HYPERLINK(1)", "--", "-1")
    (row,) = rows(trivium("ledger", "export"))
    assert ("'=HYPERLINK(1)", "-1.00") == (row["note"], row["amount_usd"])


def test_an_overdraft_is_set(trivium, ada):
    """And ended; it is never below zero."""
    done = trivium("ledger", "overdraft", "ada", "50")
    assert 0 == done.code
    assert "the balance of ada may go 50.00 USD below zero\n" in done.err
    with sqlite3.connect(ada) as db:
        assert [(50 * 10**9,)] == db.execute("SELECT overdraft_nanos FROM accounts").fetchall()
    db.close()
    assert 0 == trivium("ledger", "overdraft", "ada", "0").code
    assert 2 == trivium("ledger", "overdraft", "ada", "--", "-1").code


def test_an_export_speaks_focus(trivium, ada):
    """A row for each meter that ran; payments are no charges."""
    done = trivium("ledger", "export", "--format", "focus")
    found = list(csv.DictReader(io.StringIO(done.out)))
    assert ["0.000000001", "0.000000003", "0.000000002", "0.000000003"] == [
        row["BilledCost"] for row in found
    ]
    assert ["Input Tokens", "Output Tokens"] * 2 == [row["SkuMeter"] for row in found]
    assert (2, True) == (
        (wrong := trivium("ledger", "export", "--format", "x")).code,
        "--format must be csv or focus" in wrong.err,
    )
