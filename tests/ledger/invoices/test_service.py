"""Invoices of what was spent: once for the same days, as the statement has it."""

import asyncio
import io
import sys

import msgspec
import pytest

from ledger.spending.test_store import DAY_S, book, detail, people, settled
from trivium.ledger.amounts import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices.model import checked_tax
from trivium.ledger.invoices.service import InvoiceRequest, Invoices, MissingInvoice, billed
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import Dimension
from trivium.ledger.spending.service import SpendStatements
from trivium.settings.model import InvoicesSettings
from trivium.wire.attribution import Attributed

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")
pytestmark = pytest.mark.asyncio

SELLER = InvoicesSettings(seller="Example Ltd", address=("1 High Street",), prefix="INV-")
VAT = checked_tax("VAT", rate="19")


async def nothing(conn, invoice):
    """Tell nobody."""


async def spent(database, clock):
    """Two people who spent something two days ago, yesterday and today."""
    ada, eve = await people(database, clock)
    now = int(clock.now())
    batch = [
        settled(ada, 1_234_567, now - DAY_S, detail(model="a & <b>"), Attributed("שלום")),
        settled(ada, 3_000_000_001, now - 2 * DAY_S, detail(model="m", team=9)),
        settled(ada, 10, now - DAY_S, detail(model="m", team=9)),
        settled(ada, 7, now, detail()),
        settled(eve, 20, now - DAY_S, detail(model="m", team=9)),
    ]
    await book(database, batch)
    return ada, eve, now // DAY_S


def asking(account_id, today, **changes):
    """For the two days before today."""
    asked = InvoiceRequest(
        account_id=account_id,
        account="ada",
        scope=billed(today - 2, today - 1, account_id, None),
        by=(Dimension.MODEL,),
        taxes=(VAT,),
        customer=("Customer", "Street 1"),
    )
    return msgspec.structs.replace(asked, **changes)


async def test_it_has_what_the_statement_has(database, clock):
    """Line by line and in all, rounded once; and so has what is printed."""
    ada, _, today = await spent(database, clock)
    invoices = Invoices(database, SELLER, clock)
    asked = asking(ada, today, by=(Dimension.MODEL, Dimension.END_USER))
    made, is_new = await invoices.issue(asked, nothing)
    statement = await SpendStatements(database).statement(asked.scope, asked.by)
    found, document = await invoices.one(made.id)
    assert (True, "INV-1", made) == (is_new, made.name, found)
    assert [rendering._plain_sums(row.sums)["amount"] for row in statement.rows] == [
        line.amount for line in document.lines
    ]
    assert 3_001_234_578 == statement.total.nanos
    exact = sum(parse_usd(line.amount) for line in document.lines)
    assert statement.total.nanos == exact
    assert ("-0.001234578", "3.00", "0.57", "3.57") == (
        document.rounding, document.subtotal, document.taxes[0].amount, document.total,
    )  # fmt: skip
    assert parse_usd(document.total) == made.total_nanos
    data, lacking = await invoices.pdf(found, document)
    assert {"U+05D5", "U+05DC", "U+05DD", "U+05E9"} == set(lacking)
    text = pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text().splitlines()
    for line in document.lines:
        assert line.amount in text
    assert {"a & <b> ·", "<U+05E9><U+05DC><U+05D5><U+05DD>", "3.57", "Street 1"} <= set(text)
    assert data == (await invoices.pdf(found, document))[0]


async def test_the_same_days_are_billed_once(database, clock):
    """However often and at once it is asked for; with something else it is refused."""
    ada, eve, today = await spent(database, clock)
    invoices = Invoices(database, SELLER, clock)
    asked = asking(ada, today)
    done = await asyncio.gather(*(invoices.issue(asked, nothing) for _ in range(5)))
    assert 1 == len({made for made, _ in done})
    assert 1 == sum(is_new for _, is_new in done)
    for changes in (
        {"by": (Dimension.USER,)}, {"taxes": ()}, {"customer": ("Another",)},
        {"taxes": (checked_tax("VAT", rate="7"),)},
    ):  # fmt: skip
        with pytest.raises(LedgerError, match="void it first"):
            await invoices.issue(asking(ada, today, **changes), nothing)
    scope = billed(today - 1, today - 1, ada, None)
    with pytest.raises(LedgerError, match="INV-1 has some of these days"):
        await invoices.issue(asking(ada, today, scope=scope), nothing)
    other, _ = await invoices.issue(asking(eve, today, account="eve"), nothing)
    assert "INV-2" == other.name


async def test_a_void_one_keeps_its_number(database, clock):
    """Its days can be billed again, to the address that was there."""
    ada, _, today = await spent(database, clock)
    invoices = Invoices(database, SELLER, clock)
    first, _ = await invoices.issue(asking(ada, today), nothing)
    voided = await invoices.void(first.id, "wrong rate", nothing)
    assert voided == (await invoices.find("INV-1"))[0]
    with pytest.raises(LedgerError, match="void already"):
        await invoices.void(first.id, "", nothing)
    second, is_new = await invoices.issue(asking(ada, today, taxes=(), customer=()), nothing)
    assert (True, "INV-2") == (is_new, second.name)
    assert ("Customer", "Street 1") == (await invoices.one(second.id))[1].customer
    assert [second, voided] == await invoices.page([ada], None, 10)
    with pytest.raises(MissingInvoice):
        await invoices.find("INV-3")


async def test_what_failed_leaves_no_gap(database, clock):
    """Nor a row."""
    ada, _, today = await spent(database, clock)
    invoices = Invoices(database, SELLER, clock)

    async def fail(conn, invoice):
        raise LedgerError(invoice.name)

    with pytest.raises(LedgerError, match="INV-1"):
        await invoices.issue(asking(ada, today), fail)
    assert [] == await invoices.page(None, None, 10)
    made, _ = await invoices.issue(asking(ada, today), nothing)
    assert "INV-1" == made.name


async def test_a_team_without_a_wallet_is_billed_for_its_keys(database, clock):
    """Whoever paid."""
    _, _, today = await spent(database, clock)
    scope = billed(today - 2, today - 1, 9, (9, 10))
    asked = asking(9, today, scope=scope, account="acme/research", taxes=())
    made, _ = await Invoices(database, SELLER, clock).issue(asked, nothing)
    _, document = await Invoices(database, SELLER, clock).one(made.id)
    assert ["3.000000031"] == [line.amount for line in document.lines]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"customer": ()}, "first invoice of ada needs lines"),
        ({"customer": ("見本",)}, r"customer's address .*U\+672C, U\+898B.*invoices.fonts"),
        ({"customer": ("a\nb",)}, "ends a line"),
        ({"taxes": (VAT,) * 11}, "at most 10"),
        ({"by": (Dimension.TAG,)}, "use tags"),
    ],
)
async def test_what_cannot_be_billed(database, clock, changes, said):
    """Takes no number."""
    ada, _, today = await spent(database, clock)
    invoices = Invoices(database, SELLER, clock)
    with pytest.raises(LedgerError, match=said):
        await invoices.issue(asking(ada, today, **changes), nothing)
    assert [] == await invoices.page(None, None, 10)


async def test_days_that_are_not_over_are_not_billed(database, clock):
    """Nor such as had nothing, nor by nobody, nor without the library."""
    ada, _, today = await spent(database, clock)
    for since, until, said in (
        (today - 1, today, "is not over"),
        (today - 9, today - 8, "nothing was spent"),
    ):
        asked = asking(ada, today, scope=billed(since, until, ada, None))
        with pytest.raises(LedgerError, match=said):
            await Invoices(database, SELLER, clock).issue(asked, nothing)
    with pytest.raises(LedgerError, match=r"invoices\.seller"):
        await Invoices(database, InvoicesSettings(), clock).issue(asking(ada, today), nothing)


async def test_without_the_library_no_number_is_taken(database, clock, monkeypatch):
    """It says what to install."""
    ada, _, today = await spent(database, clock)
    monkeypatch.setitem(sys.modules, "reportlab", None)
    settings = msgspec.structs.replace(SELLER, fonts=("/nowhere.ttf",))
    with pytest.raises(LedgerError, match="pip install"):
        await Invoices(database, settings, clock).issue(asking(ada, today), nothing)
