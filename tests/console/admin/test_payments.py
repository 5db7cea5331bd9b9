"""Everybody's payments before an administrator."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin import payments
from trivium.console.admin.payments import AT
from trivium.identity.model import UserRole
from trivium.ledger.model import NANOS
from trivium.ledger.payments import store
from trivium.ledger.payments.model import Payment, PaymentState


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser, and payments of two users."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console)
        states = (PaymentState.PAID, PaymentState.HELD, PaymentState.OPEN)
        async with database.write() as conn:
            for number, state in enumerate(states):
                payment = Payment(
                    reference=f"ref-{number}", provider="stripe", app_id=None, currency="usd",
                    user_id=visitor.eve.id if number == 2 else visitor.ada.id, state=state,
                    amount_nanos=(number + 1) * NANOS, created_at=int(clock.now()) - number,
                    paid_at=int(clock.now()) if state is PaymentState.PAID else None,
                )  # fmt: skip
                await store.insert(conn, payment)
        await visitor.log_in(visitor.eve)
        yield visitor


@pytest.mark.asyncio
async def test_payments_are_found_by_state_and_user(boss):
    """With who pays; what wants a decision is told so."""
    words = set(Seen((await boss.get(AT)).text).words)
    assert {"ada", "eve", "$1.00", "$2.00", "$3.00", "paid", "held", "begun"} <= words
    page = (await boss.get(f"{AT}?state=held")).text
    assert ("$2.00" in page, "$1.00" in page) == (True, False)
    page = (await boss.get(f"{AT}?user={boss.eve.id}")).text
    assert ("$3.00" in page, "$1.00" in page) == (True, False)
    assert "$1.00" in (await boss.get(f"{AT}?state=x&user=x&before=x")).text
    page = (await boss.get(f"{AT}/2")).text
    assert {"ref-1", "stripe"} <= set(Seen(page).words)
    assert "not what was asked for" in page
    assert 404 == (await boss.get(f"{AT}/9")).status_code


@pytest.mark.asyncio
async def test_many_come_page_by_page(boss, monkeypatch):
    """The choice holds on the next page."""
    monkeypatch.setattr(payments, "PAGE", 1)
    page = (await boss.get(f"{AT}?user={boss.ada.id}")).text
    (more,) = [of["href"] for _, of in Seen(page).elements if "before=" in of.get("href", "")]
    assert f"user={boss.ada.id}" in more
    page = (await boss.get(more)).text
    assert "$3.00" not in page


@pytest.mark.asyncio
async def test_they_are_for_administrators(boss):
    """Others see their own, elsewhere."""
    await boss.log_in(boss.ada)
    assert [403] * 2 == [(await boss.get(path)).status_code for path in (AT, f"{AT}/1")]
