"""Payments over the API: found by user and state, in pages."""

import pytest

from trivium.ledger.payments import store
from trivium.ledger.payments.model import Payment, PaymentState

PATH = "/api/admin/payments"

pytestmark = pytest.mark.asyncio


async def paid(script, user, reference, state=PaymentState.PAID):
    """A payment that was begun."""
    payment = Payment(
        reference=reference,
        user_id=user.id,
        app_id=None,
        provider="stripe",
        amount_nanos=5_000_000_000,
        currency="usd",
        state=state,
        created_at=7,
    )
    async with script.console.database.write() as conn:
        return await store.insert(conn, payment)


async def test_payments_are_found(script):
    """Newest first, of one user, in one state, before another."""
    first = await paid(script, script.ada, "tp_1")
    second = await paid(script, script.ada, "tp_2", PaymentState.HELD)
    third = await paid(script, script.root, "tp_3")

    async def ids(query=""):
        found = await script.done("GET", f"{PATH}{query}")
        return [each["id"] for each in found["payments"]], found["before"]

    assert ([third, second, first], None) == await ids()
    assert ([second, first], None) == await ids(f"?user={script.ada.id}")
    assert ([second], None) == await ids("?state=held")
    assert ([third, second], second) == await ids("?limit=2")
    assert ([first], None) == await ids(f"?before={second}")
    assert ([], None) == await ids("?user=9999")


async def test_one_is_shown(script):
    """With its amounts in dollars; 404 where there is none."""
    number = await paid(script, script.ada, "tp_1")
    found = await script.done("GET", f"{PATH}/{number}")
    assert ("tp_1", "5.00", "0.00", "paid") == (
        found["reference"], found["amount"], found["refunded"], found["state"],
    )  # fmt: skip
    assert (404, "there is no payment of this id") == await script.refused("GET", f"{PATH}/77")
