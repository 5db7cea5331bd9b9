"""Purses follow the ledger: after a restart, beside other workers, and when the database is away."""

import asyncio

import msgspec
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from trivium.admission import budget_tracker as module
from trivium.admission.budget_tracker import BudgetTracker
from trivium.identity import store
from trivium.identity.keys import digest
from trivium.identity.model import KeyBudget, Period
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from trivium.identity.user_keys import OwnKeys
from trivium.storage.errors import StorageDown
from trivium.storage.schema.core import entries, keys

BUDGETS = (
    KeyBudget(amount_nanos=1000, period=Period.DAY),
    KeyBudget(amount_nanos=5000, period=Period.TOTAL),
)


class World:
    """A database with a user, its keys, and workers that start on it."""

    def __init__(self, database, clock):
        self.database = database
        self.clock = clock
        self.identity = Identity(database, clock)
        self.snapshot = Snapshot(database, clock)
        self.booked = 0

    async def key(self, **more):
        made, _ = await self.identity.create_key("ada", **more)
        await self.snapshot.refresh()
        return next(c for c in self.snapshot.callers() if c.key_id == made.id)

    async def granted(self, grant_id, budgets, *, known=True):
        """An application's key under a consent."""
        made, secret = await self.identity.create_key("ada", budgets=budgets)
        async with self.database.write() as conn:
            await store.bump(conn)
            raised = await store.current_revision(conn)
            row = keys.c.id == made.id
            await conn.execute(keys.update().where(row).values(grant_id=grant_id, revision=raised))
        if known:
            await self.snapshot.refresh()
            return self.snapshot.get(digest(secret))
        return msgspec.structs.replace(
            next(iter(self.snapshot.callers())), key_id=made.id, grant_id=grant_id
        )

    async def switch(self, grant_id, *, disabled):
        """Every key of the consent is refused from now on, or taken again."""
        async with self.database.write() as conn:
            raised = await store.bump(conn)
            own = keys.c.grant_id == grant_id
            values = {"disabled": disabled, "revision": raised}
            await conn.execute(keys.update().where(own).values(values))
        await self.snapshot.refresh()

    async def cap(self, grant_id, budgets):
        """The consent's cap is another from now on."""
        async with self.database.write() as conn:
            raised = await store.bump(conn)
            text = msgspec.json.encode(budgets).decode()
            own = keys.c.grant_id == grant_id
            await conn.execute(keys.update().where(own).values(budgets=text, revision=raised))
        await self.snapshot.refresh()

    async def edit(self, caller, **terms):
        """The key on other terms."""
        own = OwnKeys(self.database, self.clock)
        await own.edit(
            caller.user_id, caller.key_id, lambda now: msgspec.structs.replace(now, **terms)
        )
        await self.snapshot.refresh()
        return next(c for c in self.snapshot.callers() if c.key_id == caller.key_id)

    async def worker(self):
        worker = BudgetTracker(
            self.database, self.clock, self.snapshot.callers, lambda: self.snapshot.revision
        )
        await worker.load()
        return worker

    async def book(self, caller, nanos, *, ago=0, detail=None):
        self.booked += 1
        row = {
            "user_id": caller.user_id,
            "kind": "usage",
            "amount_nanos": -nanos,
            "note": "",
            "request_id": f"r{self.booked}",
            "created_at": int(self.clock.now()) - ago,
            "detail": detail or msgspec.json.encode({"key": caller.key_id}).decode(),
        }
        async with self.database.write() as conn:
            await conn.execute(entries.insert(), [row])
        return row["request_id"]

    def left(self, worker, caller):
        return list(worker.budget_usage(caller, self.clock.now()).left().values())


@pytest_asyncio.fixture
async def world(database, clock):
    made = World(database, clock)
    await made.identity.create_user("ada", "ada@example.com", unlimited=True)
    await made.snapshot.load()
    return made


@pytest.mark.asyncio
async def test_what_was_spent_survives_a_restart(world):
    """Each budget its own period; a second worker knows the same."""
    caller = await world.key(budgets=BUDGETS)
    other = await world.key(budgets=BUDGETS)
    await world.book(caller, 100)
    await world.book(caller, 200, ago=2 * 86_400)
    await world.book(other, 7)
    for _ in range(2):
        worker = await world.worker()
        await worker.refresh()
        await worker.refresh()
        assert [900, 4700] == world.left(worker, caller)
        assert [993, 4993] == world.left(worker, other)


@pytest.mark.asyncio
async def test_own_requests_count_once_and_other_workers_are_learnt_of(world, monkeypatch):
    """Also over several pages."""
    monkeypatch.setattr(module, "PAGE", 2)
    caller = await world.key(budgets=BUDGETS)
    worker = await world.worker()
    budget_usage = worker.budget_usage(caller, world.clock.now())
    budget_usage.hold(50)
    budget_usage.settle("r1", 50, 30, world.clock.now())
    assert [970, 4970] == world.left(worker, caller)
    await world.book(caller, 30)  # r1
    for _ in range(5):
        await world.book(caller, 10)
    for _ in range(3):
        await worker.refresh()
        assert [920, 4920] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_a_lower_number_may_be_seen_later(world, monkeypatch):
    """An entry that appears among those already read is not lost, and none counts twice."""
    caller = await world.key(budgets=BUDGETS)
    worker = await world.worker()
    for _ in range(3):
        await world.book(caller, 10)
    await worker.refresh()
    unseen = max(worker._seen)
    worker._seen.discard(unseen)  # as if it had not been visible
    worker.budget_usage(caller, 0.0).spent[1].booked_nanos -= 10
    await worker.refresh()
    assert 4970 == world.left(worker, caller)[1]


@pytest.mark.asyncio
async def test_a_key_made_later_has_a_purse_and_a_revoked_one_none(world):
    """Without a restart; the first such key begins the reading."""
    worker = await world.worker()
    plain = await world.key()
    await worker.refresh()
    assert {} == worker._usages
    caller = await world.key(budgets=BUDGETS)
    await world.book(caller, 10)
    await world.book(plain, 10)
    await worker.refresh()
    assert [990, 4990] == world.left(worker, caller)
    await world.identity.revoke_key(f"id:{caller.key_id}")
    await world.snapshot.refresh()
    await worker.refresh()
    assert {} == worker._usages


@pytest.mark.asyncio
async def test_entries_nobody_can_read_are_left_out(world):
    """A bill in other words is no reason to stop."""
    caller = await world.key(budgets=BUDGETS)
    worker = await world.worker()
    for detail in ("{}", "not JSON", '{"key": 999}'):
        await world.book(caller, 10, detail=detail)
    await world.book(caller, 10)
    await worker.refresh()
    assert [990, 4990] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_a_database_that_is_away_is_told_once(monkeypatch, clock):
    """And once when it is back; the watch goes on."""
    monkeypatch.setattr(module, "REFRESH_S", 0.001)
    outcomes = iter([StorageDown("gone")] * 5 + [None] * 5)
    done = asyncio.Event()

    class Sometimes(BudgetTracker):
        async def refresh(self):
            outcome = next(outcomes, done)
            if outcome is done:
                done.set()
            elif outcome is not None:
                raise outcome

    worker = Sometimes(None, clock, list, lambda: 0)
    with capture_logs() as logs:
        task = asyncio.create_task(worker.watch())
        await done.wait()
        task.cancel()
    assert ["budgets_stale", "budgets_current_again"] == [line["event"] for line in logs]


@pytest.mark.asyncio
async def test_keys_of_one_consent_share_one_purse(world):
    """Also across a restart and with a key that another worker has just given."""
    cap = (KeyBudget(amount_nanos=1000, period=Period.MONTH),)
    first = await world.granted(7, cap)
    worker = await world.worker()
    second = await world.granted(7, cap)
    rival = await world.granted(8, cap)
    await world.book(first, 100)
    await world.book(second, 30)
    await world.book(rival, 5)
    await worker.refresh()
    assert [[870], [870], [995]] == [world.left(worker, c) for c in (first, second, rival)]
    assert worker.budget_usage(first, 0) is worker.budget_usage(second, 0)
    assert [[870], [995]] == [
        world.left(again, caller)
        for again in [await world.worker()]
        for caller in (second, rival)
        if not await again.refresh()
    ]


@pytest.mark.asyncio
async def test_a_changed_cap_counts_on(world):
    """All keys of the consent have the new one."""
    caller = await world.granted(7, (KeyBudget(amount_nanos=1000, period=Period.MONTH),))
    worker = await world.worker()
    await world.book(caller, 400)
    await worker.refresh()
    await world.cap(7, (KeyBudget(amount_nanos=500, period=Period.MONTH),))
    await worker.refresh()
    assert [100] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_an_entry_seen_before_its_key_is_counted_when_the_key_is_known(world):
    """Another worker gave the key and booked; this one has not read its keys again yet."""
    cap = (KeyBudget(amount_nanos=1000, period=Period.MONTH),)
    first = await world.granted(7, cap)
    worker = await world.worker()
    hidden = await world.granted(7, cap, known=False)
    await world.book(first, 1)
    await world.book(hidden, 50)
    await worker.refresh()
    assert [999] == world.left(worker, first)
    await world.snapshot.refresh()
    await worker.refresh()
    await worker.refresh()
    assert [949] == world.left(worker, first)


@pytest.mark.asyncio
async def test_a_paused_key_comes_back_with_what_it_has_spent(world):
    """Pausing and resuming is no way to begin a budget anew, nor is disabling its user."""
    own = OwnKeys(world.database, world.clock)
    caller = await world.key(budgets=BUDGETS)
    worker = await world.worker()
    await world.book(caller, 400)
    await worker.refresh()
    for act in (
        lambda: own.switch(caller.user_id, caller.key_id, paused=True),
        lambda: world.identity.disable_user("ada"),
        lambda: world.identity.enable_user("ada"),
        lambda: own.switch(caller.user_id, caller.key_id, paused=False),
    ):
        await act()
        await world.snapshot.refresh()
        await worker.refresh()
        assert [600, 4600] == world.left(worker, caller)


@pytest.mark.parametrize("turns_before", [0, 3])
@pytest.mark.parametrize("other_budgets", [True, False])
@pytest.mark.parametrize("overlap", [0, 2_000])
@pytest.mark.asyncio
async def test_a_budget_set_later_counts_what_was_spent_before(
    world, monkeypatch, turns_before, other_budgets, overlap
):
    """From the beginning of its period, as after a restart; whatever was read until then."""
    monkeypatch.setattr(module, "OVERLAP", overlap)
    plain = await world.key()
    if other_budgets:
        await world.key(budgets=BUDGETS)
    worker = await world.worker()
    await world.book(plain, 100)
    await world.book(plain, 200, ago=2 * 86_400)
    for _ in range(turns_before):
        await worker.refresh()
    await world.book(plain, 40)
    caller = await world.edit(plain, budgets=BUDGETS)
    await worker.refresh()
    assert [860, 4660] == world.left(worker, caller)
    await world.book(caller, 5)
    await worker.refresh()
    await worker.refresh()
    assert [855, 4655] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_another_period_counts_from_its_beginning_and_the_first_counts_on(world):
    """What runs and what is not booked yet stays counted, too."""
    day, total = BUDGETS
    caller = await world.key(budgets=(day,))
    worker = await world.worker()
    await world.book(caller, 100)
    await world.book(caller, 200, ago=2 * 86_400)
    await worker.refresh()
    budget_usage = worker.budget_usage(caller, world.clock.now())
    budget_usage.hold(7)
    budget_usage.settle("later", 0, 1, world.clock.now())
    caller = await world.edit(caller, budgets=(day, total))
    await worker.refresh()
    assert [892, 4692] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_a_key_made_a_moment_ago_has_no_past_to_sum_up(world, monkeypatch):
    """Nobody waits for sums over years of its user's bills."""
    await world.key(budgets=BUDGETS)
    worker = await world.worker()
    caller = await world.key(budgets=BUDGETS)
    worker.budget_usage(caller, world.clock.now())

    async def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("trivium.admission.store.spent_by_day", refuse)
    await worker.refresh()
    assert [1000, 5000] == world.left(worker, caller)


@pytest.mark.asyncio
async def test_new_terms_of_keys_do_not_wait_for_the_next_turn(monkeypatch, clock):
    """Of the turns one is taken at once, the others when they are due."""
    revision, done, looks = 0, asyncio.Event(), []

    async def sleep(_):
        nonlocal revision
        looks.append("look")
        revision += len(looks) == 2

    class Told(BudgetTracker):
        async def refresh(self):
            looks.append("turn")
            self._looked_at = revision
            if looks.count("turn") == 2:
                done.set()
                await asyncio.Event().wait()

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    worker = Told(None, clock, list, lambda: revision)
    worker._looked_at = revision
    task = asyncio.create_task(worker.watch())
    await done.wait()
    task.cancel()
    assert ["look", "look", "turn", *["look"] * module.LOOKS, "turn"] == looks


@pytest.mark.asyncio
@pytest.mark.parametrize("restarts", [False, True])
async def test_an_application_spends_no_cap_twice_by_ending_its_keys(world, restarts):
    """It revokes the token that they hang on and is given one of them again: what the others have
    spent counts, in a worker that runs on and in one that has just started.
    """
    first = await world.granted(9, BUDGETS)
    second = await world.granted(9, BUDGETS)
    worker = await world.worker()
    await world.book(second, 900)
    await worker.refresh()
    await world.switch(9, disabled=True)
    await worker.refresh()
    async with world.database.write() as conn:
        raised = await store.bump(conn)
        row = keys.c.id == first.key_id
        await conn.execute(keys.update().where(row).values(disabled=False, revision=raised))
    await world.snapshot.refresh()
    if restarts:
        worker = await world.worker()
    await worker.refresh()
    assert [100, 4100] == world.left(worker, first)
