"""Settlements reach the database once, leases never exceed it, and the dead are seen to."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from ledger.conftest import Worker, payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger import journal as journals
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.storage.errors import Conflict, StorageDown


async def take(worker, request_id, user_id, amount, *others):
    """A hold, with whatever turns it and other workers need. Raises Fault."""
    caller = payer(user_id)
    hold = worker.ledger.hold(request_id, caller, quote(amount))
    if hold is not None:
        return hold
    task = asyncio.ensure_future(worker.ledger.lease(request_id, caller, quote(amount)))
    await asyncio.sleep(0)
    while not task.done():
        await worker.turns.ask()
        for other in others:
            await other.turns.hear()
            await other.turns.ask()
        if not task.done():
            worker.clock.advance(0.5)
            worker.ledger.hurry(user_id)
        await asyncio.sleep(0)
    return await task


async def leases(database):
    """What is leased by whom."""
    async with database.read() as conn:
        rows = await conn.execute(store.leases.select().order_by(store.leases.c.worker))
        return {(row.worker, row.user_id): row.amount_nanos for row in rows}


async def booked(database, user_id):
    """An account's usage entries: cost and note by request."""
    async with database.read() as conn:
        return {
            entry.request_id: (-entry.amount_nanos, entry.note)
            async for _, entry in store.entries_after(conn, 0, 10**6, user_id, 0, 10**12)
            if entry.request_id
        }


async def sound(database):
    """Balances are the sums of their entries, leased amounts of their leases."""
    async with database.read() as conn:
        assert [] == await store.misleased_accounts(conn)
    return [] == await Entries(database, FixedClock()).verify()


@pytest.mark.asyncio
async def test_a_request_is_leased_settled_and_booked(database, account, worker):
    """One entry at what it cost; what was held beyond it can be spent."""
    ada, one = await account(100), worker("one")
    hold = await take(one, "r1", ada, 60)
    assert (await leases(database))["one", ada] >= 60
    one.ledger.settle(hold, Usage(output=25))
    assert await one.turns.flush()
    assert {"r1": (25, "")} == await booked(database, ada)
    assert 75 == await Entries(database, one.clock).balance(ada)
    assert 75 == (await take(one, "r2", ada, 75)).amount_nanos
    assert await sound(database)


@pytest.mark.asyncio
async def test_leases_together_never_exceed_a_balance(database, account, worker):
    """Two workers that ask for more than there is: the sum of what they get is what there is."""
    ada, one, two = await account(100), worker("one"), worker("two")
    held, kinds = 0, set()
    for number in range(40):
        try:
            here, there = (one, two) if number % 2 else (two, one)
            await take(here, f"r{number}", ada, 7, there)
        except Fault as fault:
            kinds.add(fault.kind)
        else:
            held += 7
        assert sum((await leases(database)).values()) <= 100
    assert 98 == held
    assert {Kind.BALANCE_TOO_LOW} == kinds


@pytest.mark.asyncio
async def test_an_overdraft_may_be_spent_and_no_more(database, account, worker):
    """It adds to what can be leased, not to the balance."""
    ada, one = await account(10, overdraft=20), worker("one")
    one.ledger.settle(await take(one, "r1", ada, 30), Usage(output=30))
    await one.turns.flush()
    assert -20 == await Entries(database, one.clock).balance(ada)
    with pytest.raises(Fault):
        await take(one, "r2", ada, 1)


@pytest.mark.asyncio
async def test_a_cost_above_its_hold_goes_below_zero_once(database, account, worker):
    """The next request is refused, at every worker."""
    ada, one, two = await account(10), worker("one"), worker("two")
    one.ledger.settle(await take(one, "r1", ada, 10), Usage(output=35))
    await one.turns.flush()
    assert -25 == await Entries(database, one.clock).balance(ada)
    for each in (one, two):
        with pytest.raises(Fault):
            await take(each, "r2", ada, 1)
    assert await sound(database)


@pytest.mark.asyncio
async def test_a_top_up_can_be_spent_soon(database, account, worker):
    """A refused account is looked up again after a second."""
    ada, one = await account(0), worker("one")
    with pytest.raises(Fault):
        await take(one, "r1", ada, 5)
    from trivium.ledger.model import EntryKind

    await Entries(database, one.clock).book(ada, EntryKind.TOP_UP, 5)
    one.clock.advance(1)
    assert 5 == (await take(one, "r2", ada, 5)).amount_nanos


class Losing:
    """A database whose next commit succeeds, but its answer is lost; or which is away."""

    def __init__(self, database):
        self._database = database
        self.loses = False
        self.is_away = False

    def __getattr__(self, name):
        return getattr(self._database, name)

    @asynccontextmanager
    async def write(self, limit_s=30.0):
        if self.is_away:
            raise StorageDown("away")
        async with self._database.write(limit_s) as conn:
            yield conn
        if self.loses:
            raise StorageDown("the answer to the commit was lost")

    @asynccontextmanager
    async def read(self, limit_s=30.0):
        if self.is_away:
            raise StorageDown("away")
        async with self._database.read(limit_s) as conn:
            yield conn


@pytest.mark.asyncio
async def test_a_turn_of_unknown_outcome_is_repeated_without_harm(database, account, tmp_path):
    """Nothing is booked twice, and no lease is added to itself."""
    ada, losing = await account(1000), Losing(database)
    one = Worker(losing, tmp_path, "one")
    hold = await take(one, "r1", ada, 100)
    one.ledger.settle(hold, Usage(output=40))
    await take(one, "r2", ada, 50)
    losing.loses = True
    assert not await one.turns.flush()
    assert not await one.turns.flush()
    losing.loses = False
    assert await one.turns.flush()
    assert {"r1": (40, "")} == await booked(database, ada)
    assert 960 == await Entries(database, one.clock).balance(ada)
    assert await sound(database)
    one.die()


@pytest.mark.asyncio
async def test_a_turn_between_leaves_what_is_in_doubt_in_doubt(database, account, tmp_path, capsys):
    """Somebody waits for a lease while what a lost commit booked is still to be repeated: it is
    looked for all the same, none is refused as booked twice, and no more is relied on than leased.
    """
    ada, losing = await account(1000), Losing(database)
    one = Worker(losing, tmp_path, "one")
    for number in range(3):
        one.ledger.settle(await take(one, f"r{number}", ada, 100), Usage(output=40))
    losing.loses = True
    assert not await one.turns.flush()
    losing.loses = False
    await take(one, "r3", ada, 500)  # more than is leased ahead
    assert await one.turns.flush()
    assert "settlement_refused" not in capsys.readouterr().out
    assert {f"r{number}": (40, "") for number in range(3)} == await booked(database, ada)
    assert 880 == await Entries(database, one.clock).balance(ada)
    assert one.ledger._accounts[ada].leased <= (await leases(database))["one", ada]
    assert await sound(database)
    await one.turns.flush()
    one.ledger.settle(await take(one, "r4", ada, 100), Usage(output=40))
    assert await one.turns.flush()
    assert "r4" in await booked(database, ada)
    one.die()


@pytest.mark.asyncio
async def test_many_settlements_go_in_batches(database, account, worker, monkeypatch):
    """More than one transaction takes, over several accounts."""
    users, one = [await account(10_000) for _ in range(3)], worker("one")
    for number in range(1203):
        user = users[number % 3]
        one.ledger.settle(await take(one, f"r{number}", user, 5), Usage(output=3))
    assert await one.turns.flush()
    for user in users:
        assert 401 == len(await booked(database, user))
        assert 10_000 - 1203 == await Entries(database, one.clock).balance(user)
    assert await sound(database)


@pytest.mark.asyncio
async def test_tiny_entries_add_up(database, account, worker):
    """A thousand of a single nano-dollar are the balance's change."""
    ada, one = await account(5000), worker("one")
    for number in range(1000):
        one.ledger.settle(await take(one, f"r{number}", ada, 2), Usage(output=1))
    assert await one.turns.flush()
    entries = await booked(database, ada)
    assert (1000, 1000) == (len(entries), sum(cost for cost, _ in entries.values()))
    assert 4000 == await Entries(database, one.clock).balance(ada)


@pytest.mark.parametrize(("policy", "cost"), [("free", 0), ("hold", 30)])
@pytest.mark.asyncio
async def test_what_a_dead_worker_left_is_booked_at_the_next_start(
    database, account, worker, policy, cost
):
    """Settlements, also those booked already, once; open holds as interrupted; leases are free."""
    ada, dead = await account(100), worker("dead", interrupted=policy)
    dead.ledger.settle(await take(dead, "r1", ada, 10), Usage(output=4))
    await dead.turns.flush()
    dead.ledger.settle(await take(dead, "r2", ada, 10), Usage(output=5))
    await take(dead, "r3", ada, 30)
    dead.ledger.settle(await take(dead, "r4", ada, 10), None, "upstream_broke")
    dead.die()
    heir = worker("heir")
    await heir.turns.recover()
    await heir.turns.recover()
    assert {"r1": (4, ""), "r2": (5, ""), "r3": (cost, "interrupted")} == await booked(
        database, ada
    )
    assert 91 - cost == await Entries(database, heir.clock).balance(ada)
    assert {} == await leases(database)
    assert [f"heir-000001{journals.SUFFIX}"] == [p.name for p in heir.turns._folder.iterdir()]
    assert await sound(database)


@pytest.mark.asyncio
async def test_a_replay_that_fails_is_made_again(database, account, tmp_path):
    """The journal stays until everything in it is booked."""
    ada, losing = await account(100), Losing(database)
    dead = Worker(losing, tmp_path, "dead")
    dead.ledger.settle(await take(dead, "r1", ada, 10), Usage(output=4))
    dead.die()
    heir = Worker(losing, tmp_path, "heir")
    losing.loses = True
    with pytest.raises(StorageDown):
        await heir.turns.recover()
    losing.loses = False
    await heir.turns.recover()
    assert {"r1": (4, "")} == await booked(database, ada)
    assert 96 == await Entries(database, heir.clock).balance(ada)
    heir.die()


@pytest.mark.asyncio
async def test_a_worker_that_ends_leaves_nothing_behind(database, account, worker, tmp_path):
    """Booked, given back, removed."""
    ada, one = await account(100), worker("one")
    one.turns.start()
    one.ledger.settle(await take(one, "r1", ada, 10), Usage(output=4))
    await one.turns.close()
    assert {"r1": (4, "")} == await booked(database, ada)
    assert {} == await leases(database)
    assert [] == list((tmp_path / "journal").iterdir())
    assert await sound(database)


@pytest.mark.asyncio
async def test_a_worker_that_ends_in_the_middle_leaves_its_journal(database, account, worker):
    """Of a request still running, or with the database away, for the next start."""
    ada, one = await account(100), worker("one")
    await take(one, "r1", ada, 10)
    await one.turns.close()
    heir = worker("heir")
    await heir.turns.recover()
    assert {"r1": (0, "interrupted")} == await booked(database, ada)
    assert {} == await leases(database)


@pytest.mark.asyncio
async def test_idle_leases_go_back(database, account, worker):
    """So that a balance is not locked up where nobody spends it."""
    ada, one = await account(1000), worker("one")
    one.ledger.settle(await take(one, "r1", ada, 100), Usage(output=1))
    await one.turns.flush()
    assert {} != await leases(database)
    one.clock.advance(361)
    await one.turns.look()
    assert {} == await leases(database)
    assert {} == one.ledger._accounts


@pytest.mark.asyncio
async def test_leases_of_the_silent_are_swept(database, account, worker, monkeypatch):
    """A worker on a machine that is gone, after its time by the database's clock; no other."""
    ada, gone, quiet, here = await account(1000), worker("gone"), worker("quiet"), worker("here")
    for each in (gone, quiet):
        await take(each, f"r-{each.name}", ada, 100)
    async with database.write() as conn:
        past = store.leases.c.renewed_at - 1000
        await conn.execute(store.leases.update().values(renewed_at=past))
    await quiet.turns.look()
    assert ("gone", ada) not in await leases(database)
    await here.turns.look()
    assert {"quiet"} == {name for name, _ in await leases(database)}
    assert await sound(database)


@pytest.mark.asyncio
async def test_a_worker_whose_leases_were_swept_spends_nothing_unasked(database, account, worker):
    """What it had is another's; its next turn tells it so."""
    ada, slow, other = await account(100), worker("slow"), worker("other")
    await take(slow, "r1", ada, 60)
    async with database.write() as conn:
        await store.give_back(conn, "slow")
    await take(other, "r2", ada, 100)
    slow.ledger.touch([ada])
    await slow.turns.flush()
    with pytest.raises(Fault):
        await take(slow, "r3", ada, 1)
    assert 100 == sum((await leases(database)).values())
    assert await sound(database)


@pytest.mark.asyncio
async def test_finished_files_go_when_all_in_them_is_booked(
    database, account, worker, monkeypatch, tmp_path
):
    """The current one, and the last finished one, stay."""
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 200)
    ada, one = await account(10_000), worker("one")
    running = await take(one, "running", ada, 10)
    for number in range(30):
        one.ledger.settle(await take(one, f"r{number}", ada, 5), Usage(output=3))
        if number % 3 == 0:
            await one.turns.flush()
    assert len(list((tmp_path / "journal").iterdir())) <= 3
    one.die()
    heir = worker("heir")
    await heir.turns.recover()
    entries = await booked(database, ada)
    assert (31, (0, "interrupted")) == (len(entries), entries[running.request_id])


@pytest.mark.asyncio
async def test_one_bad_row_holds_up_no_other(database, account, tmp_path, monkeypatch, capsys):
    """It is told with its request, and stays in the journal."""
    ada = await account(1000)
    one = Worker(database, tmp_path, "one")
    for number in range(3):
        one.ledger.settle(await take(one, f"r{number}", ada, 5), Usage(output=3))
    turn = store.turn

    async def refusing(conn, worker, settlements, wishes, **more):
        if any(each.request_id == "r1" for each in settlements):
            raise Conflict("no")
        return await turn(conn, worker, settlements, wishes, **more)

    monkeypatch.setattr(store, "turn", refusing)
    assert await one.turns.flush()
    assert {"r0", "r2"} == (await booked(database, ada)).keys()
    assert 1 == capsys.readouterr().out.count("settlement_refused")
    await one.turns.close()
    assert [] != list(tmp_path.glob("*.journal"))


@pytest.mark.asyncio
async def test_a_bad_row_of_a_dead_worker_does_not_stop_the_next_start(
    database, account, worker, monkeypatch, tmp_path
):
    """The others are booked, and its journal is set aside."""
    ada, dead = await account(1000), worker("dead")
    for number in range(3):
        dead.ledger.settle(await take(dead, f"r{number}", ada, 5), Usage(output=3))
    dead.die()
    turn = store.turn

    async def refusing(conn, name, settlements, wishes, **more):
        if any(each.request_id == "r1" for each in settlements):
            raise Conflict("no")
        return await turn(conn, name, settlements, wishes, **more)

    monkeypatch.setattr(store, "turn", refusing)
    await worker("heir").turns.recover()
    assert {"r0", "r2"} == (await booked(database, ada)).keys()
    names = [path.name for path in (tmp_path / "journal").iterdir()]
    assert ["dead-000001.refused", "heir-000001.journal"] == sorted(names)
    assert {} == await leases(database)


@pytest.mark.asyncio
async def test_what_several_left_is_taken_up_again_when_the_database_is_back(
    database, account, worker, monkeypatch, tmp_path
):
    """A replay that is broken off lets go of all journals, also of those it had not come to."""
    ada = await account(1000)
    for name in ("one", "two", "three"):
        dead = worker(name)
        dead.ledger.settle(await take(dead, f"of {name}", ada, 5), Usage(output=3))
        dead.die()
    turn, heir = store.turn, worker("heir")

    async def away(conn, name, settlements, wishes, **more):
        raise StorageDown("away")

    monkeypatch.setattr(store, "turn", away)
    with pytest.raises(StorageDown):
        await heir.turns.recover()
    monkeypatch.setattr(store, "turn", turn)
    await heir.turns.recover()
    assert {"of one", "of two", "of three"} == (await booked(database, ada)).keys()
    assert ["heir-000001.journal"] == [path.name for path in (tmp_path / "journal").iterdir()]


@pytest.mark.asyncio
async def test_a_journal_that_cannot_be_read_does_not_stop_the_next_start(
    database, worker, monkeypatch, capsys
):
    """It is told."""
    from trivium.ledger import ledger_sync

    def unreadable(folder, own):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ledger_sync, "orphan_journals", unreadable)
    await worker("heir").turns.recover()
    assert "journals_unreadable" in capsys.readouterr().out


@pytest.mark.asyncio
async def test_the_background_flushes_and_answers(database, account, worker):
    """In its own time, and at once when somebody waits."""
    ada = await account(100)
    from trivium.clock import SystemClock

    one = worker("one", SystemClock(), flush_s=0.05, fsync_ms=10)
    one.turns.start()
    async with asyncio.timeout(10):
        hold = await one.ledger.lease("r1", payer(ada), quote(50))
        one.ledger.settle(hold, Usage(output=7))
        while one.ledger.waiting:
            await asyncio.sleep(0.01)
    assert {"r1": (7, "")} == await booked(database, ada)
    await one.turns.close()
    assert {} == await leases(database)
