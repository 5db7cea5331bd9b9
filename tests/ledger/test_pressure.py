"""Workers with turns of their own on one account: who is refused, and by whom."""

import asyncio
import contextlib

import pytest

from ledger.conftest import payer, quote
from ledger.test_ledger_sync import leases, sound, take
from trivium.clock import SystemClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger.entries import Entries

REQUESTS = 150
CALLERS = 8


@pytest.fixture
def running(database, worker):
    """Makes workers whose turns run in the background, as served ones do."""

    @contextlib.asynccontextmanager
    async def make(*names, flush_s=0.05, **more):
        made = [worker(name, SystemClock(), flush_s=flush_s, **more) for name in names]
        for each in made:
            each.turns.start()
        try:
            yield made
        finally:
            for each in made:
                await each.turns.close()

    return make


async def held(worker, request_id, user_id, amount):
    """A hold, waiting for the account's turn if need be. Raises Fault."""
    asked = (request_id, payer(user_id), quote(amount))
    return worker.ledger.hold(*asked) or await worker.ledger.lease(*asked)


@pytest.mark.parametrize("names", [("one",), ("one", "two")], ids=["one worker", "two workers"])
@pytest.mark.asyncio
async def test_costs_above_their_holds_refuse_nobody_who_can_pay(database, account, running, names):
    """However far a vendor goes beyond the limit that it was given."""
    ada = await account(10**12)

    async def caller(worker, name):
        for number in range(REQUESTS):
            hold = await held(worker, f"{worker.name}-{name}-{number}", ada, 1000)
            await asyncio.sleep(0)
            worker.ledger.settle(hold, Usage(output=1000 * (1 + number % 40)))

    async with running(*names) as workers, asyncio.timeout(60):
        await asyncio.gather(
            *(caller(workers[name % len(workers)], name) for name in range(CALLERS))
        )
        assert {} != await leases(database)
    assert await sound(database)
    owed = CALLERS * sum(1000 * (1 + number % 40) for number in range(REQUESTS))
    assert 10**12 - owed == await Entries(database, SystemClock()).balance(ada)


@pytest.mark.asyncio
async def test_idle_leases_elsewhere_are_called_back_before_a_refusal(database, account, running):
    """The money is there and nobody spends it: whoever has leased it gives it back."""
    ada = await account(46_000)
    async with running("one", "two", "three") as (one, two, three), asyncio.timeout(30):
        for each in (one, two):
            hold = await held(each, f"first-{each.name}", ada, 2000)
            each.ledger.settle(hold, Usage(output=1))
        while {"one", "two"} != {name for name, _ in await leases(database)}:
            await asyncio.sleep(0.02)
        assert max((await leases(database)).values()) > 3000
        assert 45_900 == (await held(three, "large", ada, 45_900)).amount_nanos
        with pytest.raises(Fault) as refused:
            await held(one, "more", ada, 200)
        assert Kind.BALANCE_TOO_LOW is refused.value.kind


@pytest.mark.asyncio
async def test_two_who_want_the_same_money_do_not_keep_it_from_each_other(
    database, account, running
):
    """One of them has it, the other is refused: neither sits on a part."""
    ada = await account(46_000)
    async with running("one", "two") as workers, asyncio.timeout(30):
        for each in workers:
            each.ledger.settle(await held(each, f"first-{each.name}", ada, 3000), Usage(output=1))
        for turn in range(3):
            both = await asyncio.gather(
                *(held(each, f"{each.name}-{turn}", ada, 30_000) for each in workers),
                return_exceptions=True,
            )
            refused = [each for each in both if isinstance(each, Fault)]
            assert [Kind.BALANCE_TOO_LOW] == [fault.kind for fault in refused]
            for each, hold in zip(workers, both, strict=True):
                if hold not in refused:
                    each.ledger.settle(hold, Usage(output=1))


@pytest.mark.asyncio
async def test_what_running_requests_hold_is_not_waited_for(database, account, running):
    """Nobody can say when they end: the account has too little now."""
    ada = await account(1000)
    async with running("one", "two") as (one, two), asyncio.timeout(30):
        hold = await held(one, "running", ada, 900)
        with pytest.raises(Fault) as refused:
            await held(two, "other", ada, 200)
        assert Kind.BALANCE_TOO_LOW is refused.value.kind
        one.ledger.settle(hold, Usage(output=1))
        while two.ledger.hold("later", payer(ada), quote(200)) is None:
            with contextlib.suppress(Fault):
                await two.ledger.lease("later", payer(ada), quote(200))
                break


@pytest.mark.asyncio
async def test_money_with_a_worker_that_is_silent_is_no_final_refusal(
    database, account, worker, running, monkeypatch
):
    """It may come back: the caller may try again. Of what all of it cannot cover, it need not."""
    monkeypatch.setattr("trivium.ledger.allowance.PATIENCE_S", 0.5)
    ada, gone = await account(1000), worker("gone")
    hold = asyncio.ensure_future(held(gone, "r0", ada, 100))
    await asyncio.sleep(0)
    await gone.turns.ask()
    gone.ledger.settle(await hold, None)
    async with running("one") as (one,), asyncio.timeout(30):
        with pytest.raises(Fault) as refused:
            await held(one, "r1", ada, 950)
        assert (Kind.LEDGER_DOWN, 503) == (refused.value.kind, refused.value.status)
        assert refused.value.retry_after
        with pytest.raises(Fault) as refused:
            await held(one, "r2", ada, 1001)
        assert Kind.BALANCE_TOO_LOW is refused.value.kind


@pytest.mark.asyncio
async def test_what_is_too_little_here_goes_where_it_suffices(database, account, worker):
    """What others have leased and do not use is given back before anybody is refused."""
    ada, one, two = await account(100), worker("one"), worker("two")
    for each in (one, two):
        each.ledger.settle(await take(each, f"r-{each.name}", ada, 10), None)
        await each.turns.flush()
    assert 2 == len(await leases(database))
    assert 95 == (await take(one, "r1", ada, 95, two)).amount_nanos
    assert {("one", ada): 95} == await leases(database)
    with pytest.raises(Fault):
        await take(two, "r2", ada, 10, one)
    assert await sound(database)


@pytest.mark.asyncio
async def test_a_turn_that_did_not_know_of_a_call_does_not_answer_it(database, account, worker):
    """It tells its worker, whose next turn gives back what is not used."""
    ada, one, two = await account(100), worker("one"), worker("two")
    two.ledger.settle(await take(two, "r0", ada, 10), None)
    await two.turns.flush()
    wants = asyncio.ensure_future(one.ledger.lease("r1", payer(ada), quote(95)))
    await asyncio.sleep(0)
    await one.turns.ask()
    two.ledger.hurry(ada)
    assert two.ledger.begin([], set()) == {}
    await two.turns.ask()
    assert two.ledger.asked.is_set()
    assert not wants.done()
    await two.turns.ask()
    one.ledger.hurry(ada)
    await one.turns.ask()
    assert 95 == (await wants).amount_nanos
