"""Nested budgets on two nodes of two workers: together they spend no more than there is.

What the vendor counts is below what a request holds, so nothing exceeds its hold, and the overshoot
is nothing at all: none by single requests, none by reason of workers.
"""

import asyncio
import os
import signal
import subprocess
import time
import uuid

import pytest
from sqlalchemy import text

from end_to_end.fleet.load import Vendor
from end_to_end.fleet.nodes import command, two_nodes
from trivium.storage.database import Database

REQUESTS = int(os.environ.get("TRIVIUM_BUDGET_REQUESTS", "450"))
CALLERS = 24
BUDGETS = (
    ("acme", "0.0080/month"),
    ("acme/a", "0.0070/total"),
    ("acme/a/b", "0.0060/week"),
    ("acme/a/b/c", "0.0050/day"),
    ("acme/a/b/c/bot", "0.0045/total"),
)
"""US dollars; a request costs 0.000013 of them."""
COUNTERS = "SELECT scope, period, spent_nanos, leased_nanos FROM budget_counters"
ENTRIES = "SELECT count(*), coalesce(sum(-amount_nanos), 0) FROM entries WHERE kind = 'usage'"


@pytest.fixture
def fleet_database(postgresql_server):
    """An address of an empty database on the server, which is gone with it."""
    name = f"budgets_{uuid.uuid4().hex[:12]}"
    postgresql_server.psql(f"CREATE DATABASE {name};")
    return postgresql_server.get_uri(database=name)


async def rows(url, query):
    """What a query finds."""
    db = Database(url)
    try:
        async with db.read() as conn:
            return (await conn.execute(text(query))).all()
    finally:
        await db.close()


def company(folder):
    """Teams in teams with a service account, each with a budget; a key of it."""
    command(folder, "team", "create", "acme")
    command(folder, "credit", "acme", "100")
    for name in ("acme/a", "acme/a/b", "acme/a/b/c"):
        command(folder, "team", "create", name)
    command(folder, "team", "service", "create", "acme/a/b/c/bot")
    for name, budget in BUDGETS:
        command(folder, "team", "budget", "set", name, budget)
    return command(folder, "key", "create", "--user", "acme/a/b/c/bot").strip()


def worker_of(node):
    """The pid of one worker of a node that this test started."""
    done = subprocess.run(
        ["pgrep", "-P", str(node.process.pid)], check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[0])


@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(240)
async def test_nodes_and_workers_spend_no_more_than_there_is(tmp_path, fleet_database, valkey):
    """Five budgets in each other, at the edge, and a worker killed in the middle: every counter is
    the sum of the entries, and the tightest budget holds but for less than one hold.
    """
    statuses = []
    async with (
        Vendor() as vendor,
        two_nodes(tmp_path, vendor.port, fleet_database, valkey.url) as nodes,
    ):
        key = await asyncio.to_thread(company, nodes[0].folder)
        await asyncio.sleep(2)  # gateways look for keys once a second

        async def call(number):
            node = nodes[number % 2]
            raw = node.chat("Connection: close", key=key, max_tokens=20, user=f"id-{number}-")
            try:
                statuses.append((await node.send(raw))[0])
            except (OSError, asyncio.IncompleteReadError):
                statuses.append(0)  # its worker was killed

        async def caller(numbers):
            for number in numbers:
                await call(number)

        async def killed():
            while len(statuses) < REQUESTS // 4:
                await asyncio.sleep(0.02)
            os.kill(worker_of(nodes[1]), signal.SIGKILL)

        numbers = iter(range(REQUESTS))
        await asyncio.gather(killed(), *(caller(numbers) for _ in range(CALLERS)))
        refused = 0
        while refused < 3:  # to the edge, one at a time: a refusal is remembered for a second
            await call(len(statuses))
            if statuses[-1] != 200:
                refused += 1
                await asyncio.sleep(1.2)
        deadline = time.monotonic() + 60
        while True:  # the successor books what its predecessor left
            ((count, spent),) = await rows(fleet_database, ENTRIES)
            counters = await rows(fleet_database, COUNTERS)
            if {each.spent_nanos for each in counters} == {spent}:
                break
            assert time.monotonic() < deadline, (count, spent, counters)
            await asyncio.sleep(0.5)
    assert {200, 429} <= set(statuses)
    assert 5 == len(counters)
    limit = 4_500_000
    assert spent <= limit, (count, spent)
    # what is left is less than one hold: a request that fitted would have been let in
    assert limit - spent < 100_000, (count, spent, statuses.count(200))
    assert count >= statuses.count(200)
    ((leased,),) = await rows(fleet_database, "SELECT sum(leased_nanos) FROM budget_counters")
    assert 0 == leased  # with the workers' ends
    command(nodes[0].folder, "ledger", "verify")
