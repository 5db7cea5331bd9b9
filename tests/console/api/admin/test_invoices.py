"""Invoices over the API: who makes them out, who sees them, and what is asked wrongly."""

import io
import re

import msgspec
import pytest

from console.api.admin.test_statement import spent
from trivium.ledger.spending.model import DAY_S
from trivium.ledger.spending.rendering import day_text
from trivium.oauth.developer.model import TEAMS
from trivium.settings.model import InvoicesSettings

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")
pytestmark = pytest.mark.asyncio
PATH = "/api/admin/invoices"


async def billing(script):
    """People who spent something yesterday, and a body that bills the day to an account."""
    console = script.console
    settings = msgspec.structs.replace(
        console.settings, invoices=InvoicesSettings(seller="Example Ltd", prefix="INV-")
    )
    msgspec.structs.force_setattr(console, "settings", settings)
    console.clock.advance(-DAY_S)
    found = await spent(console)
    yesterday = day_text(int(console.clock.now()) // DAY_S)
    console.clock.advance(DAY_S)

    def body(account, **more):
        given = {"account_id": account.id, "from": yesterday, "to": yesterday}
        return given | {"customer": ["Customer", "Street 1"]} | more

    return body, *found


async def test_it_is_made_out_printed_and_voided(script):
    """Once; each is told in the audit log."""
    body, _, research, *_ = await billing(script)
    asked = body(research, taxes=[{"text": "VAT", "rate": "19"}, {"text": "Reverse charge"}])
    made = await script.done("POST", PATH, asked)
    assert (True, "INV-1", "0.000000003") == (
        made["new"],
        made["number"],
        made["lines"][0]["amount"],
    )
    assert made | {"new": False} == await script.done("POST", PATH, asked)
    answer = await script.ask("GET", f"{PATH}/{made['id']}/pdf")
    assert (200, "application/pdf") == (answer.status_code, answer.headers["content-type"])
    assert 'attachment; filename="INV-1.pdf"' == answer.headers["content-disposition"]
    assert "no-store" in answer.headers["cache-control"]
    text = pypdf.PdfReader(io.BytesIO(answer.content)).pages[0].extract_text()
    assert {"Customer", "0.000000003", "VAT (19 %)"} <= set(text.splitlines())
    voided = await script.done("POST", f"{PATH}/{made['id']}/void", {"note": "late"})
    assert "late" == voided["void_note"]
    found = await script.done("GET", f"{PATH}?account={research.id}")
    assert {"invoices": [voided], "before": None} == found
    again = await script.done("POST", PATH, asked)
    found = await script.done("GET", f"{PATH}?limit=1")
    assert ([again["id"]], again["id"]) == (
        [each["id"] for each in found["invoices"]],
        found["before"],
    )
    found = await script.done("GET", f"{PATH}?limit=1&before={again['id']}")
    assert {"invoices": [voided], "before": None} == found
    kinds = [(act.kind, act.subject_id) for act in await script.console.audit.everything()]
    assert {("invoice_issued", research.id), ("invoice_voided", research.id)} <= set(kinds)


async def test_whoever_sees_the_spending_sees_the_invoice(script):
    """Owners, managers and billing of the team or one above; nobody else learns of it."""
    body, acme, research, _, bo, cy, di, el = await billing(script)
    ids = [(await script.done("POST", PATH, body(of)))["id"] for of in (acme, research)]
    for who, sees_acme, sees_research in (
        (el, 200, 200), (bo, 404, 200), (cy, 404, 404), (di, 404, 404),
    ):  # fmt: skip
        token = await script.made_token(who.id, TEAMS)
        for id_, account, wanted in (
            (ids[0], acme, sees_acme), (ids[1], research, sees_research),
        ):  # fmt: skip
            for path in (f"/{id_}", f"/{id_}/pdf", f"?account={account.id}"):
                answer = await script.ask("GET", PATH + path, token=token)
                assert wanted == answer.status_code, (who.name, path)
            answer = await script.ask("POST", f"{PATH}/{id_}/void", {}, token=token)
            assert 403 == answer.status_code
        assert 403 == (await script.ask("POST", PATH, body(research), token=token)).status_code
        assert [] == (await script.ask("GET", PATH, token=token)).json()["data"]["invoices"]


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"account_id": 404}, 404, "user"),
        ({"from": "1.1."}, 400, "from: must be a day"),
        ({"to": "2999-01-01"}, 400, "is not over"),
        ({"by": "tag"}, 400, "use tags"),
        ({"by": "colour"}, 400, "there are day"),
        ({"customer": ["a\nb"]}, 400, "ends a line"),
        ({"customer": ["見"]}, 400, "U\\+898B"),
        ({"taxes": [{"text": "VAT", "rate": "19", "amount": "1.00"}]}, 400, "not both"),
        ({"taxes": [{"text": "VAT", "rate": "abc"}]}, 400, "no rate"),
        ({"colour": "red"}, 400, "colour"),
    ],
)
async def test_what_is_wrong_is_named(script, change, status, said):
    """And takes no number."""
    body, acme, *_ = await billing(script)
    got, message = await script.refused("POST", PATH, body(acme) | change)
    assert status == got
    assert re.search(said, message), message
    assert [] == (await script.done("GET", PATH))["invoices"]


async def test_there_is_none(script):
    """Of an id, or of pages that are none."""
    await billing(script)
    for path in ("/404", "/404/pdf", "/x"):
        assert 404 == (await script.refused("GET", PATH + path))[0]
    for query in ("limit=0", "limit=x", "before=x", "account=x"):
        assert 400 == (await script.refused("GET", f"{PATH}?{query}"))[0]
