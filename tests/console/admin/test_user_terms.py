"""An administrator makes a user and says what they may spend."""

import msgspec
import pytest
import pytest_asyncio

from console.visiting import console_over, user_of, visiting
from trivium.identity.model import UserRole
from trivium.ledger.codes.service import Codes
from trivium.ledger.model import NANOS
from trivium.observe.audit.model import ActKind


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    settings = msgspec.structs.replace(console.settings, groups={"vip": "0.9"})
    console = msgspec.structs.replace(console, settings=settings)
    async with visiting(database, console) as visitor:
        visitor.eve = await user_of(console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(console)
        await visitor.log_in(visitor.eve)
        await visitor.get("/admin/users/new")
        yield visitor


@pytest.mark.asyncio
async def test_a_user_is_made_with_all_that_they_begin_with(boss):
    """At once and together, and told in the log."""
    made = await boss.post(
        "/admin/users/new",
        name="grace",
        email="grace@example.com",
        credit="12.50",
        group="vip",
        requests="60",
        admin="1",
    )
    grace = await boss.console.identity.find_user("grace")
    assert f"/admin/users/{grace.id}" == made.headers["location"]
    assert ("vip", 60, UserRole.ADMIN) == (grace.group, grace.limits.requests, grace.role)
    assert int(12.5 * NANOS) == await boss.console.entries.balance(grace.id)
    acts = {act.kind for act in await boss.console.audit.everything(user_id=grace.id)}
    assert {ActKind.USER_CREATED.value, ActKind.USER_CREDIT.value} == acts
    for wrong, said in (
        ({"name": "a b@"}, "no @"),
        ({"name": "ada"}, "already"),
        ({"email": "nowhere"}, "not an e-mail address"),
        ({"group": "gold"}, "no such price group"),
        ({"credit": "-1"}, "above 0"),
        ({"credit": "5", "unlimited": "1"}, "needs no credit"),
        ({"requests": "0"}, "whole number"),
    ):
        fields = {"name": "new", "email": "new@example.com", **wrong}
        refused = await boss.post("/admin/users/new", **fields)
        assert 422 == refused.status_code, wrong
        assert said in refused.text, wrong


@pytest.mark.asyncio
async def test_terms_are_shown_and_changed(boss):
    """What is left as it is, is no change."""
    path = f"/admin/users/{boss.ada.id}/terms"
    await boss.get(path)
    saved = await boss.post(path, group="vip", tokens="9000", overdraft="5", unlimited="1")
    assert 303 == saved.status_code
    ada = await boss.console.directory.one(boss.ada.id)
    assert ("vip", 9000, True) == (ada.group, ada.limits.tokens, ada.unlimited)
    assert not ada.budget_letters
    assert 5 * NANOS == await boss.console.entries.overdraft(ada.id)
    page = await boss.get(path)
    assert 'value="9000"' in page.text
    assert 'value="5.00"' in page.text
    before = len(await boss.console.audit.everything(user_id=ada.id))
    await boss.post(path, group="vip", tokens="9000", overdraft="5", unlimited="1")
    assert before == len(await boss.console.audit.everything(user_id=ada.id))
    for wrong in ({"overdraft": "-1"}, {"overdraft": "much"}, {"group": "gold"}, {"tokens": "x"}):
        assert 422 == (await boss.post(path, **wrong)).status_code, wrong
    assert 404 == (await boss.get("/admin/users/99999/terms")).status_code


@pytest.mark.asyncio
async def test_a_code_is_redeemed_for_somebody(boss, clock):
    """Once."""
    codes = Codes(boss.console.database, clock)
    _, (secret,) = await codes.create(3 * NANOS, 1)
    path = f"/admin/users/{boss.ada.id}/redeem"
    for _ in range(2):
        assert 303 == (await boss.post(path, code=secret)).status_code
    assert 3 * NANOS == await boss.console.entries.balance(boss.ada.id)
    assert "redeemed already" in (await boss.get(f"/admin/users/{boss.ada.id}/terms")).text
