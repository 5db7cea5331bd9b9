"""A balance that runs low is told of once a crossing, by whichever worker sees it."""

import asyncio

import pytest
from structlog.testing import capture_logs

from ledger.conftest import payer, quote
from ledger.test_pressure import running  # noqa: F401 - a fixture
from trivium.conversation.usage import Usage
from trivium.ledger import balance_notices
from trivium.ledger.balance_notices import BalanceNotices
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind


async def spend(worker, name, user_id, amount):
    asked = name, payer(user_id), quote(amount)
    hold = worker.ledger.hold(*asked) or await worker.ledger.lease(*asked)
    worker.ledger.settle(hold, Usage(output=amount))


async def balance(database, user_id, wanted):
    while await Entries(database, None).balance(user_id) != wanted:
        await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_two_workers_tell_once_a_crossing(database, clock, account, running):  # noqa: F811
    """Whichever goes below; again only after it was above; never where nobody wants it."""
    ada, bob = await account(1000), await account(1000)
    entries = Entries(database, clock)
    await entries.set_low(ada, 500)
    await entries.set_low(bob, None)
    told = []
    async with running("one", "two") as workers, asyncio.timeout(60):
        for worker in workers:
            worker.ledger.ran_low = told.append
        left = 1000
        for number in range(8):
            for user in (ada, bob):
                await spend(workers[number % 2], f"{user}-{number}", user, 100)
            left -= 100
            await balance(database, ada, left)
        await asyncio.sleep(0.2)
        assert [ada] == told
        await entries.book(ada, EntryKind.TOP_UP, 800)
        for number in range(8, 14):
            await spend(workers[number % 2], f"{ada}-{number}", ada, 100)
        await balance(database, ada, 400)
        await asyncio.sleep(0.2)
    assert [ada, ada] == told


@pytest.mark.asyncio
async def test_an_account_that_never_was_above_is_not_told_of(database, clock, account, running):  # noqa: F811
    """Nor one whose owner chose nothing and has more than a dollar."""
    ada = await account(300)
    assert 10**9 == await Entries(database, clock).low(ada)
    told = []
    async with running("one") as (one,), asyncio.timeout(30):
        one.ledger.ran_low = told.append
        await spend(one, "r1", ada, 100)
        await balance(database, ada, 200)
        await asyncio.sleep(0.2)
    assert [] == told


@pytest.mark.asyncio
async def test_notices_wait_and_are_bounded(monkeypatch):
    """With more at once the log alone has them."""
    monkeypatch.setattr(balance_notices, "WAITING_MAX", 2)
    told = []

    async def tell(account_id):
        told.append(account_id)

    notices = BalanceNotices(tell)
    with capture_logs() as logs:
        for number in range(5):
            notices.put(number)
    assert [0, 1, 2, 3, 4] == [each["account"] for each in logs]
    task = asyncio.create_task(notices.run())
    await asyncio.sleep(0.01)
    task.cancel()
    assert [0, 1] == told
    BalanceNotices().put(1)
