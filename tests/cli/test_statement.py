"""What was spent, at a shell."""

import asyncio
import csv
import io

import pytest

from ledger.spending.test_store import detail, settled
from trivium.clock import SystemClock
from trivium.ledger import store as ledger
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage.database import Database
from trivium.wire.attribution import Attributed


@pytest.fixture
def spent(migrated, trivium, folder):
    """Two users and a team that have spent."""
    for name in ("ada", "eve"):
        assert 0 == trivium("user", "create", name, "--email", f"{name}@example.com").code
    assert 0 == trivium("team", "create", "acme").code

    async def book():
        now = int(SystemClock().now())
        database = Database(f"sqlite:///{folder / 'trivium.db'}")
        await Entries(database, SystemClock()).book(3, EntryKind.TOP_UP, 10**10)
        batch = [
            settled(3, 10**9, now, detail(team=3, user=1), Attributed("=1+1", "", ("a", "b"))),
            settled(3, 2 * 10**9, now, detail(team=3, user=2, model="n")),
            settled(1, 4 * 10**9, now, detail(model="n")),
        ]
        async with database.write() as conn:
            await ledger.turn(conn, "worker", batch, {})
        await database.close()

    asyncio.run(book())


def test_a_table_ends_with_the_total(trivium, spent):
    """The most expensive first."""
    lines = trivium("statement", "--by", "team,model").out.splitlines()
    assert ["TEAM", "MODEL", "USD", "REQUESTS", "INPUT", "OUTPUT"] == lines[0].split()
    assert ["-", "n", "4.00", "1", "4", "2"] == lines[1].split()
    assert ["acme", "n", "2.00", "1", "4", "2"] == lines[2].split()
    assert ["total", "7.00", "3", "12", "6"] == lines[-1].split()


def test_a_cell_is_no_formula(trivium, spent):
    """Callers name end users as they like, and people open the file in a spreadsheet."""
    out = trivium("statement", "--by", "end_user", "--format", "csv").out
    found = {row["end_user"]: row["amount_usd"] for row in csv.DictReader(io.StringIO(out))}
    assert {"'=1+1": "1.00", "": "6.00"} == found


def test_focus_bills_every_request_once(trivium, spent):
    """Though two tags were said of one."""
    out = trivium("statement", "--by", "tag,team", "--format", "focus").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"1.00": '{"a":true,"b":true}', "2.00": "{}", "4.00": "{}"} == {
        row["BilledCost"]: row["Tags"] for row in rows
    }
    assert {"acme", "ada"} == {row["BillingAccountName"] for row in rows}


def test_a_statement_can_be_of_a_team_or_a_user(trivium, spent):
    """As data."""
    told = trivium("statement", "--team", "acme", "--by", "user", "--format", "json").data
    assert ("3.00", ["eve", "ada"]) == (
        told["total"]["amount"],
        [row["user"] for row in told["rows"]],
    )
    told = trivium("statement", "--user", "ada", "--by", "day", "--format", "json").data
    assert "5.00" == told["total"]["amount"]


def test_more_rows_than_asked_for_are_told(trivium, spent):
    """On standard error: the data stays whole."""
    done = trivium("statement", "--by", "model", "--limit", "1")
    assert "there are more rows than these 1" in done.err
    assert ["total", "7.00"] == done.out.splitlines()[-1].split()[:2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "teem"], "there are day, payer"),
        (["--from", "now"], "--from must be a day"),
        (["--from", "2026-02-01", "--to", "2026-01-01"], "after its last"),
        (["--team", "nobody"], "no team"),
    ],
)
def test_what_cannot_be_is_said(trivium, spent, arguments, said):
    """In one line."""
    done = trivium("statement", *arguments)
    assert (True, True) == (done.code > 0, said in done.err), done.err
