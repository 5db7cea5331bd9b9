"""Invoices at a shell."""

import asyncio
import io
import re

import msgspec
import pytest

from ledger.spending.test_store import detail, settled
from trivium.clock import SystemClock
from trivium.ledger import store as ledger
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rendering import day_text
from trivium.storage.database import Database

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")


@pytest.fixture
def days(migrated, trivium, folder):
    """Options for the days in which an organisation and a team of it spent something."""
    settings = folder / "trivium.toml"
    said = settings.read_text() if settings.exists() else ""
    settings.write_text(said + '\n[invoices]\nseller = "Example Ltd"\nprefix = "INV-"\n')
    for name in ("acme", "acme/research"):
        assert 0 == trivium("team", "create", name).code
    now = int(SystemClock().now())

    async def book():
        database = Database(f"sqlite:///{folder / 'trivium.db'}")
        await Entries(database, SystemClock()).book(1, EntryKind.TOP_UP, 10**12)
        batch = [
            settled(1, 2_340_000_000, now - DAY_S, detail(team=2, user=9)),
            settled(1, 10**9, now - DAY_S, detail(team=1, user=9, model="n")),
        ]
        async with database.write() as conn:
            await ledger.turn(conn, "worker", batch, {})
        await database.close()

    asyncio.run(book())
    today = now // DAY_S
    return ("--from", day_text(today - 1), "--to", day_text(today - 1))


def test_an_invoice_from_its_making_to_its_end(trivium, days, folder):
    """Made out, made out again, printed, listed, voided."""
    paper = folder / "a.pdf"
    given = ("--customer", "Customer & <b>", "--tax", "VAT=19%", "--tax", "Reverse charge")
    done = trivium("invoice", "issue", "acme", *days, *given, "--output", str(paper))
    assert (0, "") == (done.code, done.out)
    assert "made out invoice INV-1 of acme: 3.97 USD" in done.err
    text = pypdf.PdfReader(io.BytesIO(paper.read_bytes())).pages[0].extract_text()
    assert {"Customer & <b>", "2.34", "1.00", "0.63", "3.97"} <= set(text.splitlines())
    again = trivium("invoice", "issue", "acme", *days, *given)
    assert "there was already invoice INV-1" in again.err
    assert 0 == trivium("invoice", "print", "INV-1", "--output", str(folder / "b.pdf")).code
    assert paper.read_bytes() == (folder / "b.pdf").read_bytes()
    found = msgspec.json.decode(trivium("invoice", "print", "INV-1", "--json").out)
    assert (["2.34", "1.00"], "3.34") == (
        [line["amount"] for line in found["lines"]],
        found["subtotal"],
    )
    assert "voided invoice INV-1" in trivium("invoice", "void", "INV-1", "--note", "late").err
    assert re.search(r"INV-1 +acme .* 3\.97 .* void", trivium("invoice", "list").out)
    assert [] == msgspec.json.decode(trivium("invoice", "list", "acme/research", "--json").out)
    (void,) = msgspec.json.decode(trivium("invoice", "list", "acme", "--json").out)
    assert "late" == void["void_note"]


def test_a_team_without_a_wallet_has_what_its_keys_spent(trivium, days):
    """By anything that a statement is by."""
    given = ("--customer", "Research", "--by", "user,model", "--json")
    done = trivium("invoice", "issue", "acme/research", *days, *given)
    found = msgspec.json.decode(done.out)
    assert [("id:9", "m", "2.34")] == [
        (line["user"], line["model"], line["amount"]) for line in found["lines"]
    ]


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("issue", "acme"), 1, "nothing was spent|first invoice of acme needs lines"),
        (("issue", "nobody"), 1, "nobody"),
        (("issue", "acme", "--to", "31.12."), 2, "--to must be a day"),
        (("issue", "acme", "--tax", "VAT=x%"), 1, "no rate of tax"),
        (("issue", "acme", "--by", "colour"), 1, "nothing can be summed up"),
        (("print", "INV-1"), 2, "--output FILE"),
        (("print", "INV-9", "--json"), 1, "no invoice INV-9"),
        (("void", "INV-9"), 1, "no invoice INV-9"),
    ],
)
def test_what_cannot_be_done_says_why(trivium, days, given, code, said):
    """In one line."""
    done = trivium("invoice", *given)
    assert code == done.code
    assert re.search(said, done.err)
    assert "Traceback" not in done.err


def test_no_file_is_written_over(trivium, days, folder):
    """The invoice is there all the same."""
    (folder / "a.pdf").write_text("mine")
    given = ("--customer", "C", "--output", str(folder / "a.pdf"))
    done = trivium("invoice", "issue", "acme", *days, *given)
    assert (1, "mine") == (done.code, (folder / "a.pdf").read_text())
    assert "INV-1" in trivium("invoice", "list").out
