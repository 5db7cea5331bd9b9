"""Payments and their entries prove each other."""

import pytest
from sqlalchemy import text

from trivium.ledger.payments.service import verify


@pytest.mark.parametrize(
    "slip",
    [
        "UPDATE payments SET state = 'open'",
        "UPDATE payments SET amount_nanos = amount_nanos + 1",
        "UPDATE payments SET refunded_nanos = 0",
        "UPDATE payments SET refunded_nanos = refunded_nanos + 1",
        "UPDATE payments SET session_id = 'cs_test_9'",
    ],
)
@pytest.mark.asyncio
async def test_a_state_that_contradicts_its_entries_is_found(
    payments, begin, user, double, database, slip
):
    """Whichever of the two was tampered with."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    await payments.hear("stripe", *double.refund("cs_test_1", 500))
    await begin(ada)
    assert [] == await verify(database)
    async with database.write() as conn:
        await conn.execute(text(slip + " WHERE id = 1"))
    assert [1] == await verify(database)


@pytest.mark.asyncio
async def test_sessions_are_unique_to_a_provider(payments, begin, user, database):
    """Two payments never share the page they are paid on."""
    ada = await user()
    await begin(ada)
    await begin(ada)
    with pytest.raises(Exception, match=r"(?i)unique"):
        async with database.write() as conn:
            await conn.execute(text("UPDATE payments SET session_id = 'cs_test_1'"))
