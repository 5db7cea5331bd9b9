"""Nested budgets on two nodes of two workers: together they spend no more than there is.

Some requests cost more than they hold, as the vendor counts more than it was let. What a budget is
exceeded by is then at most what those cost beyond their holds; by reason of workers it is nothing.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from functools import partial

import msgspec
import pytest
from sqlalchemy import text

from end_to_end.door import Postgres
from end_to_end.fleet.load import Vendor
from end_to_end.fleet.nodes import command, two_nodes
from end_to_end.running import ANSWER
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.identity.teams.model import member_scope, team_scope
from trivium.identity.teams.service import Teams
from trivium.ledger.amounts import NANOS, parse_usd
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.settings.budget import Budget, Period
from trivium.storage.database import Database

COST = 13_000
"""Nano-dollars of a request of which the vendor counts what it is expected to."""
DEAR = 209_000
"""Of one in so many, for which it counts more than it was let."""
DEAR_EACH = 40
PERIODS = (Period.MONTH, Period.TOTAL, Period.WEEK, Period.DAY, Period.FIVE_HOURS)
"""Of an organisation, three teams in each other, and a service account."""
COUNTERS = "SELECT scope, period, spent_nanos, leased_nanos FROM budget_counters"
ENTRIES = (
    "SELECT request_id, -amount_nanos AS nanos, note FROM entries WHERE kind = 'usage' ORDER BY id"
)
LEFT = "SELECT coalesce(sum(leased_nanos), 0) AS nanos FROM budget_counters"
TRY_AGAIN = (
    b"set aside elsewhere at the moment; try again",  # a worker was too slow to give back
    b"cannot be looked up at the moment; try again",  # the database is away
)
AWAY_S = 4.0


@pytest.fixture
def fleet_database(postgresql_server, tmp_path):
    """An empty database on the server, behind a door of its own."""
    return Postgres(postgresql_server, tmp_path, f"budgets_{uuid.uuid4().hex[:12]}")


async def rows(url, query):
    """What a query finds."""
    db = Database(url)
    try:
        async with db.read() as conn:
            return (await conn.execute(text(query))).all()
    finally:
        await db.close()


def counted(number):
    """What the vendor counts: now and then ten times what it was let."""
    if number % DEAR_EACH != DEAR_EACH - 1:
        return ANSWER
    return ANSWER.replace(b'"completion_tokens":2,"total_tokens":11', b'"completion_tokens":100,"total_tokens":109')  # fmt: skip


async def company(url, amount_nanos):
    """Teams in teams with a service account, each with the same budget; a key of it."""
    db, clock = Database(url), SystemClock()
    try:
        teams, identity = Teams(db, clock), Identity(db, clock)
        team = await teams.create("acme")
        await Entries(db, clock).book(team.id, EntryKind.TOP_UP, 100 * NANOS)
        for period in PERIODS[:-1]:
            budget = Budget(amount_nanos=amount_nanos, period=period, scope=team_scope(team.id))
            await teams.set_budget(team.id, budget)
            if period is not PERIODS[-2]:
                team = await teams.create("a", team.id)
        bot = await teams.create_service(team.id, "bot")
        scope = member_scope(team.id, bot.id)
        budget = Budget(amount_nanos=amount_nanos, period=PERIODS[-1], scope=scope)
        await teams.set_budget(team.id, budget)
        return (await identity.create_key(bot.name))[1]
    finally:
        await db.close()


def worker_of(node):
    """The pid of one worker of a node that this test started."""
    done = subprocess.run(
        ["pgrep", "-P", str(node.process.pid)], check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[0])


class Callers:
    """Requests to both nodes, and what was said to them."""

    def __init__(self, nodes, key):
        self.nodes = nodes
        self.key = key
        self.sent = 0
        self.statuses = Counter()
        self.hold_nanos = 0
        """What a request holds, as refusals say it."""

    async def call(self):
        """One request, on a connection of its own; its status, 0 when its worker was killed."""
        number, self.sent = self.sent, self.sent + 1
        node = self.nodes[number % 2]
        name = f"id-{number:06d}-"
        raw = node.chat("Connection: close", key=self.key, max_tokens=20, user=name)
        try:
            status, _, body = await node.send(raw)
        except (OSError, asyncio.IncompleteReadError):
            status = 0
        else:
            if status == 429:
                self.refused(body)
            elif status == 503:
                assert any(said in body for said in TRY_AGAIN), body
        self.statuses[status] += 1
        return status

    def refused(self, body):
        """Every refusal is of a budget, by name, and says what the request may cost."""
        error = msgspec.json.decode(body)["error"]
        assert "insufficient_quota" == error["code"], body
        found = re.search(
            r"The budget of .+ does not cover it.+up to ([\d.]+) USD", error["message"]
        )
        assert found, body
        self.hold_nanos = parse_usd(found[1])

    async def at_once(self, requests, callers):
        """So many requests by so many callers, each the next as soon as the last is answered."""
        numbers = iter(range(requests))

        async def caller():
            for _ in numbers:
                await self.call()

        await asyncio.gather(*(caller() for _ in range(callers)))

    async def to_the_edge(self):
        """One at a time, until nothing fits: a refusal is remembered for a second."""
        refused = 0
        while refused < 3:
            if 200 != await self.call():
                refused += 1
                await asyncio.sleep(1.2)


async def worker_killed(nodes):
    """One of four, of the second node."""
    os.kill(worker_of(nodes[1]), signal.SIGKILL)


async def away(shut, open_, nodes):
    """Something is away for a while."""
    del nodes
    await asyncio.to_thread(shut)
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(open_)


async def spend(folder, door, shared, *, requests, callers, fitting, fault=None):
    """Spend five budgets in each other; what it came to, after everything is booked. ``fault``:
    what befalls the nodes when a quarter of it was sent.
    """
    amount, database = fitting * COST, door.direct
    async with Vendor(counted) as vendor, two_nodes(folder, vendor.port, door.url, shared) as nodes:
        key = await company(database, amount)
        await asyncio.sleep(2)  # gateways look for keys once a second
        load = Callers(nodes, key)
        began = time.monotonic()

        async def befalls():
            while fault and load.sent < requests // 4:
                await asyncio.sleep(0.02)
            if fault:
                await fault(nodes)

        await asyncio.gather(befalls(), load.at_once(requests, callers))
        took_s = time.monotonic() - began
        await load.to_the_edge()
        deadline = time.monotonic() + 60
        while True:  # the successor books what its predecessor left
            entries = await rows(database, ENTRIES)
            spent = sum(each.nanos for each in entries)
            counters = await rows(database, COUNTERS)
            if {each.spent_nanos for each in counters} == {spent}:
                break
            assert time.monotonic() < deadline, (len(entries), spent, counters)
            await asyncio.sleep(0.5)
    assert 5 == len(counters)
    ((leased,),) = await rows(database, LEFT)
    assert 0 == leased  # with the workers' ends
    command(nodes[0].folder, "ledger", "verify")
    beyond = {e.request_id: e.nanos - load.hold_nanos for e in entries if e.nanos > load.hold_nanos}
    sys.stderr.write(
        f"{load.sent} requests in {took_s:.0f} s, {dict(load.statuses)}; {len(entries)} entries, "
        f"{spent} of {amount} nano-dollars; hold {load.hold_nanos}; "
        f"beyond their holds: {len(beyond)} requests, {sum(beyond.values())}; "
        f"over the budget: {max(0, spent - amount)}, "
        f"by reason of workers: {max(0, spent - amount - sum(beyond.values()))}"
        f"\n{beyond}\n"
    )
    assert {200, 429} <= set(load.statuses) <= {0, 200, 429, 503}
    assert beyond, "none was as dear as it should be"
    assert all(DEAR - load.hold_nanos == each for each in beyond.values())
    # whatever a budget was exceeded by, single requests cost beyond their holds, and the last of
    # them at that: all before had been counted when the next was let in
    assert spent <= amount + sum(list(beyond.values())[-callers:])
    # what is left is less than one hold: a request that fitted would have been let in
    assert amount - spent < load.hold_nanos
    return load, entries


@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(240)
async def test_nodes_and_workers_spend_no_more_than_there_is(tmp_path, fleet_database, valkey):
    """Five budgets in each other, at the edge, and a worker killed in the middle: every counter is
    the sum of the entries, and no budget is exceeded but by what single requests were.
    """
    load, entries = await spend(
        tmp_path, fleet_database, valkey.url,
        requests=300, callers=24, fitting=200, fault=worker_killed,
    )  # fmt: skip
    assert len(entries) >= load.statuses[200]


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", ["PostgreSQL", "Valkey"])
async def test_what_is_away_at_the_edge_lets_nobody_spend_more(
    tmp_path, fleet_database, valkey, what
):
    """Requests that come meanwhile spend what is leased, or are told to try again; Valkey is none of
    the budgets' business.
    """
    database = what == "PostgreSQL"
    shut, open_ = (
        (fleet_database.shut, fleet_database.open) if database else (valkey.kill, valkey.start)
    )
    load, entries = await spend(
        tmp_path, fleet_database, valkey.url,
        requests=1_500, callers=24, fitting=500, fault=partial(away, shut, open_),
    )  # fmt: skip
    assert len(entries) == load.statuses[200]
    assert not load.statuses[0]
    assert database or not load.statuses[503]


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("is_killed", [False, True])
async def test_ten_thousand_requests_spend_no_more_than_there_is(
    tmp_path, fleet_database, valkey, is_killed
):
    """The same with a hundred at a time."""
    load, entries = await spend(
        tmp_path, fleet_database, valkey.url,
        requests=10_000, callers=100, fitting=8_000, fault=worker_killed if is_killed else None,
    )  # fmt: skip
    assert load.sent >= 10_000
    assert len(entries) >= load.statuses[200]
    assert is_killed or not load.statuses[0]
