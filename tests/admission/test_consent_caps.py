"""Caps that several workers keep together, on both engines."""

import asyncio

import msgspec
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from oauth.world import World
from trivium.admission import consent_caps as module
from trivium.admission import store
from trivium.admission.budget_usage import BudgetUsage
from trivium.admission.consent_caps import KEPT_S, SEEN_S, STALE_S, Caps
from trivium.admission.service import Admission
from trivium.faults import Fault, Kind
from trivium.identity.model import KeyBudget, Period
from trivium.oauth.spend.model import budgets
from trivium.oauth.spend.store import set_cap
from trivium.storage.errors import StorageDown
from trivium.storage.schema.oauth import oauth_cap_holds as holds

CAP = 10_000_000
pytestmark = pytest.mark.asyncio


class Worker:
    """Caps and the purse of one worker."""

    def __init__(self, world):
        self.world = world
        self.age_s = 0.0
        self.caps = Caps(world.database, world.clock, lambda: self.age_s)
        self.budget_usage = BudgetUsage(budgets(CAP), world.clock.now())
        self.budget_usage.has_no_past()

    async def holds(self, request_id, nanos):
        """Whether a request is let in."""
        found = await self.caps.hold(self.world.grant_id, request_id, self.budget_usage, nanos)
        return found is None

    async def ends(self, request_id, nanos):
        """It came to this."""
        self.caps.settle(request_id, nanos)
        await self.caps.flush()

    async def learns(self, request_id, nanos):
        """Its entry is seen."""
        now = self.world.clock.now()
        self.budget_usage.learn(request_id, nanos, int(now), now)
        self.caps.seen(request_id)
        await self.caps.flush()


@pytest_asyncio.fixture
async def world(database, clock):
    """A consent with a cap."""
    made = await World.made(database, clock)
    issued = await made.issued(scope=b"profile spend", cap_nanos=CAP)
    made.grant_id = (await made.tokens.access(issued.access_token)).grant_id
    return made


@pytest.fixture
def workers(world):
    """Two of them."""
    return Worker(world), Worker(world)


async def rows(world):
    """What is set aside, by request."""
    async with world.database.read() as conn:
        found = await store.cap_holds(conn, world.grant_id, int(world.clock.now()))
    return {row.request_id: row.nanos for row in found}


async def test_workers_at_once_keep_to_one_cap(workers):
    """However many send at the same moment: what fits runs, the rest does not."""
    asked = (workers[i % 2].holds(f"r{i}", CAP // 4) for i in range(20))
    assert 4 == sum(await asyncio.gather(*asked))


async def test_what_a_request_came_to_is_what_counts(world, workers):
    """Its quote while it runs, its cost from its end on, nothing if it cost nothing."""
    one, other = workers
    assert await one.holds("a", CAP)
    assert not await other.holds("b", 1)
    await one.ends("a", CAP - 5)
    assert not await other.holds("b", 6)
    assert await other.holds("b", 5)
    await other.ends("b", 0)
    assert {"a": CAP - 5} == await rows(world)


async def test_an_entry_counts_once_whoever_has_seen_it(world, workers, clock):
    """Whoever has not finds the row, whoever has leaves it out; then the row goes."""
    one, other = workers
    assert await one.holds("a", 6_000_000)
    await one.ends("a", 6_000_000)
    await one.learns("a", 6_000_000)
    for worker in workers:
        assert not await worker.holds("b", 4_000_001)
    assert await one.holds("b", 4_000_000)
    await one.ends("b", 0)
    clock.advance(STALE_S)
    assert not await other.holds("c", 4_000_001)
    await other.learns("a", 6_000_000)
    clock.advance(SEEN_S - STALE_S)
    assert {} == await rows(world)
    for worker in workers:
        assert not await worker.holds("c", 4_000_001)
        assert await worker.holds("c", 4_000_000)
        await worker.ends("c", 0)


async def test_a_worker_that_knows_too_little_lets_nobody_in(world, workers, monkeypatch):
    """Entries that it has not read, a past that it has not summed up: it waits, then says so."""
    monkeypatch.setattr(module, "LOOK_S", 0)
    one, other = workers
    one.age_s = STALE_S + 1
    other.budget_usage = BudgetUsage(budgets(CAP), world.clock.now())
    for worker in workers:
        with pytest.raises(Fault) as raised:
            await worker.holds("a", 1)
        assert Kind.LEDGER_DOWN is raised.value.kind
    one.age_s = 0
    assert await one.holds("a", 1)


async def test_another_cap_holds_at_once(world, workers):
    """Before keys have heard of it; and where consent is gone nothing is spent."""
    async with world.database.write() as conn:
        await set_cap(conn, world.grant_id, 4, budgets(CAP), 0)
    assert not await workers[0].holds("a", 5)
    assert await workers[0].holds("a", 4)
    await world.apps.delete(world.owner.id, world.app.id)
    assert not await workers[0].holds("b", 1)


async def test_what_a_killed_worker_had_set_aside_counts_for_an_hour(world, workers, clock):
    """Where no entry ever tells what became of it; then it is swept."""
    one, other = workers
    assert await one.holds("a", CAP)
    clock.advance(KEPT_S - 1)
    assert not await other.holds("b", 1)
    clock.advance(1)
    assert await other.holds("b", 1)
    await other.ends("b", 1)
    async with world.database.read() as conn:
        assert ["b"] == [*await conn.scalars(holds.select().with_only_columns(holds.c.request_id))]


async def test_without_the_database_nobody_is_let_in_and_nothing_forgotten(world, workers):
    """What is to be written down waits; one log line a change of state."""
    one, _ = workers
    assert await one.holds("a", CAP)
    real, one.caps._db = one.caps._db, Away()
    with pytest.raises(Fault) as raised:
        await one.holds("b", 0)
    assert Kind.LEDGER_DOWN is raised.value.kind
    one.caps.settle("a", 7)
    with capture_logs() as logs:
        await one.caps.close()
        assert CAP == (await rows(world))["a"]
        module.PAUSE_S, pause = 0, module.PAUSE_S
        running = asyncio.create_task(one.caps.run())
        await asyncio.sleep(0.05)
        one.caps._db = real
        async with asyncio.timeout(5):
            while (await rows(world)) != {"a": 7}:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        running.cancel()
        module.PAUSE_S = pause
    assert ["caps_stale", "caps_stale", "caps_current_again"] == [each["event"] for each in logs]


class Away:
    """A database that does not answer."""

    def write(self, _):
        raise StorageDown("no route")


async def test_admission_asks_for_applications_alone(world, caller, asked, clock):
    """A key of the user's own never waits for the database; one of an application's always does,
    and gives back what it set aside however it ends.
    """
    worker = Worker(world)
    gate = Admission(clock, usage_of=lambda *_: worker.budget_usage, caps=worker.caps)
    own = caller(budgets=(KeyBudget(amount_nanos=CAP, period=Period.MONTH),))
    theirs = msgspec.structs.replace(own, grant_id=world.grant_id)
    gate.admit(*asked(own, nanos=5)).leave(None, 0)
    assert None is gate.admit(*asked(theirs, nanos=5))
    given = await gate.ask(*asked(theirs, nanos=5, request_id="a"))
    assert {"a": 5} == await rows(world)
    given.leave(None, 3)
    await worker.caps.flush()
    assert {"a": 3} == await rows(world)
    with pytest.raises(Fault) as raised:
        await gate.ask(*asked(theirs, nanos=CAP - 2, request_id="b"))
    assert Kind.BUDGET_SPENT is raised.value.kind
    await worker.caps.flush()
    assert {"a": 3} == await rows(world)
    assert 0 == worker.budget_usage.held_nanos


async def test_a_caller_who_leaves_sets_nothing_aside(world):
    """Also when the row was placed a moment before."""
    worker = Worker(world)
    for turns in range(12):
        asking = asyncio.create_task(worker.holds("a", 5))
        for _ in range(turns):
            await asyncio.sleep(0.001)
        was_done = asking.done()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        if was_done:
            worker.caps.settle("a", 0)
        await worker.caps.flush()
        assert {} == await rows(world)
