"""Codes before an administrator: made, looked at, revoked."""

import re

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin import codes
from trivium.console.admin.codes import AT
from trivium.identity.model import UserRole
from trivium.ledger.model import NANOS
from trivium.observe.audit.model import ActKind


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        await visitor.log_in(visitor.eve)
        await visitor.get(AT)
        yield visitor


async def told(boss):
    acts = await boss.console.audit.everything()
    return [(act.kind, act.what) for act in acts if act.kind.startswith("redemption")]


@pytest.mark.asyncio
async def test_codes_are_shown_once_and_can_be_redeemed(boss):
    """With what became of each, whose balance it went to, and an act."""
    made = await boss.post(AT, amount="2.50", count="3", until="2099-12-31", note="fair <b>")
    shown = re.search(r'<code id="codes"[^>]*>([^<]+)</code>', made.text)[1].split("\n")
    assert 3 == len(shown)
    ada = await user_of(boss.console)
    await boss.console.codes.redeem(ada.id, shown[0])
    words = Seen((await boss.get(AT)).text).words
    assert {"$2.50", "fair <b>", "Dec 31, 2099"} <= set(words)
    page = (await boss.get(f"{AT}/1")).text
    assert {"ada", "redeemed", "open", "fair <b>"} <= set(Seen(page).words)
    assert not any(code in page for code in shown)
    assert [(ActKind.REDEMPTION_CREATED.value, "batch:1")] == await told(boss)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", "x"), ("amount", "0"), ("amount", "-1"), ("amount", "9" * 30), ("count", "0"),
        ("count", "1001"), ("count", "x"), ("until", "1999-01-01"), ("until", "x"),
        ("note", "a" * 5000),
    ],
)  # fmt: skip
async def test_what_cannot_be_made_is_told_beside_its_field(boss, field, value):
    """And none is."""
    form = {"amount": "1", "count": "1"} | {field: value}
    refused = await boss.post(AT, **form)
    assert 422 == refused.status_code
    assert f'id="{field}-error"' in refused.text
    assert [] == await boss.console.codes.newest_batches()


@pytest.mark.asyncio
async def test_open_codes_are_revoked_one_by_one_and_all_at_once(boss):
    """What was redeemed stays; what is over is told; another batch's code is none of this."""
    console = boss.console
    _, made = await console.codes.create(NANOS, 3)
    await console.codes.create(NANOS, 1)
    ada = await user_of(console)
    await console.codes.redeem(ada.id, made[0])
    await boss.get(f"{AT}/1")
    assert 404 == (await boss.post(f"{AT}/1/revoke", code="4")).status_code
    assert 404 == (await boss.post(f"{AT}/9/revoke")).status_code
    for code, said in (
        ("2", "Refused from now on: 1."),
        ("2", "no code there is open"),
        ("", ": 1"),
    ):
        await boss.post(f"{AT}/1/revoke", code=code)
        assert said in (await boss.get(f"{AT}/1")).text
    batch = await console.codes.batch(1)
    assert (1, 2) == (batch.redeemed, batch.revoked)
    assert 0 == (await console.codes.batch(2)).revoked
    kind = ActKind.REDEMPTION_REVOKED.value
    assert {(kind, "id:2"), (kind, "batch:1")} == set(await told(boss))


@pytest.mark.asyncio
async def test_many_come_page_by_page(boss, monkeypatch):
    """Batches from the newest on, codes in the order they were made."""
    monkeypatch.setattr(codes, "PAGE", 2)
    for _ in range(3):
        await boss.console.codes.create(NANOS, 3)
    for path, name in ((AT, "before"), (f"{AT}/3", "after")):
        page = (await boss.get(path)).text
        (more,) = [of["href"] for _, of in Seen(page).elements if f"{name}=" in of.get("href", "")]
        assert 200 == (await boss.get(more)).status_code
        assert more.partition("?")[2] not in (await boss.get(more)).text
        assert 200 == (await boss.get(f"{path}?{name}=x")).status_code


@pytest.mark.asyncio
async def test_they_are_for_administrators(boss):
    """Not for whoever has another's account."""
    await boss.console.codes.create(NANOS, 1)
    await boss.log_in(await user_of(boss.console, "bob"))
    await boss.get("/account")
    assert [403] * 2 == [(await boss.get(path)).status_code for path in (AT, f"{AT}/1")]
    for path in (AT, f"{AT}/1/revoke"):
        assert 403 == (await boss.post(path, amount="1", count="1")).status_code
    assert [] == await told(boss)
