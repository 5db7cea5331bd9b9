"""What holds while the database is away, and what not."""

import pytest

from ledger.conftest import Worker
from ledger.test_ledger_sync import Losing, booked, leases, sound, take
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind


@pytest.mark.asyncio
async def test_settlements_wait_while_the_database_is_away(database, account, tmp_path, capsys):
    """Leases can be spent meanwhile, for half their time; whoever needs a new one is told."""
    ada, bob, losing = await account(1000), await account(10), Losing(database)
    one = Worker(losing, tmp_path, "one", lease_s=100)
    one.ledger.settle(await take(one, "r1", ada, 10), Usage(output=10))
    losing.is_away = True
    for _ in range(3):
        assert not await one.turns.flush()
    assert "r2" == (await take(one, "r2", ada, 10)).request_id
    with pytest.raises(Fault) as caught:
        await take(one, "r3", bob, 1)
    assert Kind.LEDGER_DOWN is caught.value.kind
    one.clock.advance(51)
    with pytest.raises(Fault):
        await take(one, "r4", ada, 1)
    losing.is_away = False
    assert await one.turns.flush()
    assert "r5" == (await take(one, "r5", ada, 1)).request_id
    assert {"r1": (10, "")} == await booked(database, ada)
    said = capsys.readouterr().out
    assert (1, 1) == (said.count("ledger_waits"), said.count("ledger_flows_again"))
    one.die()


@pytest.mark.parametrize("pause_s", [0, 200], ids=["steadily", "after a pause"])
@pytest.mark.asyncio
async def test_an_ample_balance_outlasts_minutes_without_the_database(
    database, account, tmp_path, pause_s
):
    """What was spent lately is leased for ``ahead_s``, a quarter of what is left at most; and kept
    while the database is away, also where nobody asks for a while.
    """
    ada, losing = await account(10**9), Losing(database)
    one = Worker(losing, tmp_path, "one", ahead_s=300.0)

    async def second(number):
        for part in range(4):
            hold = await take(one, f"r{number}-{part}", ada, 20_000)
            one.ledger.settle(hold, Usage(output=1000))
        one.clock.advance(1)
        return await one.turns.flush()

    for number in range(20):
        assert await second(number)
    leased = (await leases(database))["one", ada]
    assert 300 * 4 * 1000 <= leased <= 10**9 // 4
    losing.is_away = True
    assert not await one.turns.hear()
    one.clock.advance(pause_s)
    for number in range(300 - pause_s):
        assert not await second(100 + number)
    losing.is_away = False
    assert await one.turns.flush()
    assert 4 * (320 - pause_s) == len(await booked(database, ada))
    assert await sound(database)
    one.die()


@pytest.mark.asyncio
async def test_a_small_balance_is_not_leased_for_minutes(database, account, worker):
    """The larger part of it stays for other workers."""
    ada, one = await account(100_000), worker("one", ahead_s=300.0)
    for number in range(20):
        one.ledger.settle(await take(one, f"r{number}", ada, 2000), Usage(output=1000))
        one.clock.advance(1)
        await one.turns.flush()
    assert (await leases(database))["one", ada] <= 80_000 // 4
    two = worker("two")
    assert 60_000 == (await take(two, "r", ada, 60_000)).amount_nanos
