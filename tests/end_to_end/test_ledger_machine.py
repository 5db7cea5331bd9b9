"""Any interleaving of lease, hold, settle, flush, crash and replay keeps the ledger's invariants.

Several workers share one account of a real database. Between any two steps a worker may die, a turn
may fail before its commit, or its commit may succeed and the answer be lost. After every step::

    balance = sum of entries        leased = sum of leases
    leased at each worker <= its lease in the database
    what all workers hold and have spent unbooked + leases <= balance + overdraft + overruns

and at the end every settled request is booked once at its cost, every one that died with its worker
once as interrupted, every released one never.
"""

import asyncio
import shutil
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from ledger.conftest import Worker, payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.errors import StorageDown

BALANCE, OVERDRAFT = 1000, 50
amounts = st.integers(1, 200)


class Flaky:
    """A database that fails as it is told to."""

    def __init__(self, database):
        self._database = database
        self.mood = "well"

    def __getattr__(self, name):
        return getattr(self._database, name)

    @asynccontextmanager
    async def write(self, limit_s=30.0):
        if self.mood == "away":
            raise StorageDown("away")
        async with self._database.write(limit_s) as conn:
            yield conn
            if self.mood == "breaks":
                raise StorageDown("broke before the commit")
        if self.mood == "loses":
            raise StorageDown("the answer was lost")


class LedgerMachine(RuleBasedStateMachine):
    """See the module."""

    holds = Bundle("holds")
    loop: asyncio.AbstractEventLoop
    url: str

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.database = Flaky(Database(self.url))
        self.clock = FixedClock()
        self.workers = {}
        self.count = 0
        self.overrun = 0
        self.topped = BALANCE
        self.open = {}
        self.expected = {}
        self.run(self.begin())
        for name in ("a", "b"):
            self.join(name)

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    async def begin(self):
        people = Identity(self.database, self.clock)
        number = len(await people.list_users())
        user = await people.create_user(f"u{number}", f"u{number}@example.org")
        self.user = user.id
        await Entries(self.database, self.clock).book(self.user, EntryKind.TOP_UP, BALANCE)
        async with self.database.write() as conn:
            await store.set_overdraft(conn, self.user, OVERDRAFT)

    def join(self, name):
        self.count += 1
        folder = self.folder / "journal"
        self.workers[name] = Worker(
            self.database, folder, f"{name}{self.count}-{self.user}", self.clock
        )

    def teardown(self):
        self.database.mood = "well"
        for worker in self.workers.values():
            worker.die()
        self.workers.clear()
        for request_id in self.open:
            self.expected[request_id] = (0, "interrupted")
        self.join("heir")
        heir = self.workers["heir"]
        self.run(heir.turns.recover())
        assert self.expected == self.run(self.booked())
        assert 0 == self.run(self.standing())[1]
        self.check()
        self.run(heir.turns.close())
        self.run(self.database.close())
        shutil.rmtree(self.folder)

    async def booked(self):
        async with self.database.read() as conn:
            return {
                e.request_id: (-e.amount_nanos, e.note)
                async for _, e in store.entries_after(conn, 0, 10**6, self.user, 0, 10**12)
                if e.request_id
            }

    async def standing(self):
        async with self.database.read() as conn:
            account = (
                await conn.execute(
                    store.accounts.select().where(store.accounts.c.user_id == self.user)
                )
            ).one()
            rows = await conn.execute(
                store.leases.select().where(store.leases.c.user_id == self.user)
            )
            return (
                account.balance_nanos,
                account.leased_nanos,
                {r.worker: r.amount_nanos for r in rows},
            )

    @rule(target=holds, name=st.sampled_from("ab"), amount=amounts, many=st.integers(1, 3))
    def hold(self, name, amount, many):
        """Requests at once, with whatever turn they need."""
        worker, found = self.workers[name], []

        async def take():
            tasks = []
            for _ in range(many):
                self.count += 1
                args = (f"r{self.user}-{self.count}", payer(self.user), quote(amount))
                hold = worker.ledger.hold(*args)
                if hold is None:
                    tasks.append(asyncio.ensure_future(worker.ledger.lease(*args)))
                else:
                    found.append(hold)
            await asyncio.sleep(0)
            while not all(task.done() for task in tasks):
                await worker.turns.ask()
                for other in self.workers.values():
                    await other.turns.hear()
                    await other.turns.ask()
                self.clock.advance(0.2)
                worker.ledger.touch([self.user])
                await asyncio.sleep(0)
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if not isinstance(result, Fault):
                    found.append(result)

        self.run(take())
        for hold in found:
            self.open[hold.request_id] = name
        return multiple(*((name, worker, hold) for hold in found))

    @rule(held=consumes(holds), part=st.integers(0, 12))
    def settle(self, held, part):
        """At some part of its hold, sometimes above it; one that died with its worker is gone."""
        name, worker, hold = held
        if self.workers.get(name) is not worker:
            return
        del self.open[hold.request_id]
        cost = hold.amount_nanos * part // 10
        if part == 0:
            worker.ledger.settle(hold, None, "upstream_broke")
            return
        assert cost == worker.ledger.settle(hold, Usage(output=cost))
        self.overrun += max(0, cost - hold.amount_nanos)
        self.expected[hold.request_id] = (cost, "")

    @rule(
        name=st.sampled_from("ab"),
        mood=st.sampled_from(["well", "well", "away", "breaks", "loses"]),
    )
    def flush(self, name, mood):
        """Book what is settled; the turn may go wrong in every way."""
        self.database.mood = mood
        assert (mood == "well") == self.run(self.workers[name].turns.flush()) or mood != "well"
        self.database.mood = "well"

    @rule(name=st.sampled_from("ab"), seconds=st.sampled_from([0.3, 2.0, 40.0]))
    def wait(self, name, seconds):
        """Time passes, and a worker looks after its leases and other workers' journals."""
        self.clock.advance(seconds)
        self.run(self.workers[name].turns.look())

    @rule(name=st.sampled_from("ab"))
    def crash(self, name):
        """A worker is killed; another takes its place and finds its journal."""
        self.workers[name].die()
        for request_id in [r for r, owner in self.open.items() if owner == name]:
            del self.open[request_id]
            self.expected[request_id] = (0, "interrupted")
        self.join(name)
        self.run(self.workers[name].turns.recover())

    @rule(amount=amounts)
    def top_up(self, amount):
        """Money comes from elsewhere."""
        self.topped += amount
        self.run(Entries(self.database, self.clock).book(self.user, EntryKind.TOP_UP, amount))

    @invariant()
    def check(self):
        """See the module."""
        balance, leased, leases = self.run(self.standing())
        booked = self.run(self.booked())
        assert balance == self.topped - sum(cost for cost, _ in booked.values())
        assert leased == sum(leases.values())
        promised = balance + OVERDRAFT + self.overrun
        assert leased <= max(promised, 0)
        owed = 0
        for worker in self.workers.values():
            account = worker.ledger._accounts.get(self.user)
            if account is not None:
                assert account.leased <= leases.get(worker.name, 0) + account.spent
                unbooked = [s for s in worker.ledger.batch(10**6) if s.request_id not in booked]
                owed += account.held + sum(settled.cost_nanos for settled in unbooked)
        assert owed <= max(promised, 0)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("examples", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_any_interleaving_keeps_the_invariants(tmp_path, examples):
    """On SQLite; the single turns are tested on both engines."""
    loop = asyncio.new_event_loop()
    url = f"sqlite:///{tmp_path / 'trivium.db'}"

    async def tables():
        database = Database(url)
        await migrate.upgrade(database)
        await database.close()

    try:
        loop.run_until_complete(tables())
        machine = type("Machine", (LedgerMachine,), {"loop": loop, "url": url})
        checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples, stateful_step_count=25, deadline=None,
                suppress_health_check=checks, derandomize=True,
            ),
        )  # fmt: skip
    finally:
        loop.close()
