"""Invoices are made out, printed and voided on a page."""

import re

import msgspec
import pytest
import pytest_asyncio

from console.api.admin.test_statement import spent
from console.visiting import console_over, user_of, visiting
from trivium.console.admin import invoices
from trivium.console.admin.invoices import AT
from trivium.identity.model import UserRole
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rendering import day_text
from trivium.settings.model import InvoicesSettings

pytest.importorskip("reportlab")


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser; a team spent something yesterday."""
    console = console_over(database, clock)
    settings = msgspec.structs.replace(
        console.settings, invoices=InvoicesSettings(seller="Example Ltd", prefix="INV-")
    )
    console = msgspec.structs.replace(console, settings=settings)
    clock.advance(-DAY_S)
    found = await spent(console)
    day = day_text(int(clock.now()) // DAY_S)
    clock.advance(DAY_S)
    async with visiting(database, console) as visitor:
        visitor.research = found[1]
        visitor.form = {
            "account": found[1].name,
            "since": day,
            "until": day,
            "customer": "Customer\nStreet 1",
            "taxes": "VAT = 19%\nReverse charge",
        }
        await visitor.log_in(await user_of(console, "boss", UserRole.ADMIN))
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_one_is_made_out_once_printed_and_voided(boss):
    """Asked again, there is one; voided, its days may be billed again."""
    for said in ("INV-1 is made out", "There is INV-1 for this"):
        assert 303 == (await boss.post(AT, **boss.form)).status_code
        assert said in (await boss.get(AT)).text
    (path,) = re.findall(rf'href="({AT}/[0-9]+)/pdf"', (await boss.get(AT)).text)
    printed = await boss.get(f"{path}/pdf")
    assert (200, "application/pdf") == (printed.status_code, printed.headers["content-type"])
    assert b"%PDF" == printed.content[:4]
    assert 303 == (await boss.post(f"{path}/void", note="too late")).status_code
    page = (await boss.get(AT)).text
    assert "INV-1 is void" in page
    assert "too late" in page
    await boss.post(f"{path}/void")
    assert "void already" in (await boss.get(AT)).text
    await boss.post(AT, **boss.form)
    assert "INV-2 is made out" in (await boss.get(AT)).text
    assert 404 == (await boss.get(f"{AT}/999/pdf")).status_code
    assert 404 == (await boss.post(f"{AT}/999/void")).status_code


@pytest.mark.asyncio
async def test_what_keeps_it_from_being_made_is_said(boss):
    """Nobody of that name, days that are not over, a tax that is none, no address."""
    for wrong, said in (
        ({"account": "nobody"}, "no user of this name"),
        ({"until": "2999-01-01"}, "is not over"),
        ({"taxes": "VAT = much"}, "No invoice was made out"),
        ({"customer": ""}, "needs lines of an address"),
        ({"since": "soon"}, "such as 2027-01-31"),
    ):
        refused = await boss.post(AT, **{**boss.form, **wrong})
        assert 422 == refused.status_code, wrong
        assert said in refused.text, wrong


@pytest.mark.asyncio
async def test_they_come_by_the_page(boss, monkeypatch):
    """The newest first."""
    monkeypatch.setattr(invoices, "PAGE", 1)
    await boss.post(AT, **boss.form)
    (path,) = re.findall(rf'href="({AT}/[0-9]+)/pdf"', (await boss.get(AT)).text)
    await boss.post(f"{path}/void")
    await boss.post(AT, **boss.form)
    await boss.get(AT)
    page = (await boss.get(AT)).text
    assert ("INV-2" in page, "INV-1" in page) == (True, False)
    (more,) = re.findall(rf'href="({AT}\?before=[0-9]+)"', page)
    assert "INV-1" in (await boss.get(more)).text
