"""Nodes restarted one after the other behind what stands in front of them: nobody loses a request.

The settings of nginx, Caddy, HAProxy and Envoy are those of deploy/proxies, word for word.
"""

import os
import sys
import uuid

import pytest
from sqlalchemy import text

from end_to_end.fleet.balancers import NAMES, balancer
from end_to_end.fleet.load import Load, Vendor
from end_to_end.fleet.nodes import command, two_nodes
from ports import free_port
from trivium.storage.database import Database

REQUESTS = int(os.environ.get("TRIVIUM_ROLLING_REQUESTS", "100000"))
ROLLS = int(os.environ.get("TRIVIUM_ROLLING_RESTARTS", "10"))
CROWD = {"json": 24, "events": 10, "array": 6, "upload": 6}


@pytest.fixture
def fleet_database(postgresql_server):
    """An address of an empty database on the server, which is gone with it."""
    name = f"fleet_{uuid.uuid4().hex[:12]}"
    postgresql_server.psql(f"CREATE DATABASE {name};")
    return postgresql_server.get_uri(database=name)


async def entries(url):
    """How many requests were paid for."""
    db = Database(url)
    try:
        async with db.read() as conn:
            return await conn.scalar(text("SELECT count(*) FROM entries WHERE kind = 'usage'"))
    finally:
        await db.close()


def said(folder):
    """The last lines of what a balancer had to say."""
    text = "".join(
        one.read_text() for one in (folder / "error.log", folder / "out") if one.exists()
    )
    return "\n".join(text.splitlines()[-40:])


async def rolled(folder, name, database, shared, *, rolls, requests, pause_s, nodes=2):
    """What came of the callers while nodes were restarted; prints a line with the counts."""
    port = free_port()
    async with Vendor() as vendor:
        async with (
            two_nodes(folder, vendor.port, database, shared.url) as both,
            balancer(name, folder / name, port, [node.address for node in both]),
        ):
            load = Load(port, both[0].key, pause_s=pause_s)
            async with load.running(CROWD):
                for _ in range(rolls):
                    for node in both[:nodes]:
                        await node.restart()
                        assert len(load.lost) < 1000, load.lost[:5]
                while load.sent < requests:
                    await both[0].is_ready()
            restarts = sum(node.starts - 1 for node in both)
        doubled = sum(count > 1 for count in vendor.asked.values())
        priced = load.answered - load.whole["upload"]
        booked = await entries(database)
        line = f"{name}: {restarts} restarts, {load.line()}, {doubled} asked twice, {booked} booked"
        (folder / "figures.txt").write_text(f"{line}\n{load.lost}\n")
        sys.stdout.write(f"\n{line}\n")
        assert not load.lost, f"{load.lost[:3]}\n{line}\n{said(folder / name)}"
        assert 0 == doubled, line
        assert priced == booked
        command(both[0].folder, "ledger", "verify")
        return load


@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(400)
async def test_a_restarted_node_behind_nginx_loses_nobody(tmp_path, fleet_database, valkey):
    """The one that checks nothing by itself."""
    load = await rolled(
        tmp_path, "nginx", fleet_database, valkey, rolls=1, requests=1000, pause_s=0.2, nodes=1
    )
    assert 4 == len(load.whole)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(5400)
@pytest.mark.parametrize("name", NAMES)
async def test_ten_rolling_restarts_lose_nobody(tmp_path, fleet_database, valkey, name):
    """Both nodes, ten times, under load."""
    await rolled(
        tmp_path, name, fleet_database, valkey, rolls=ROLLS, requests=REQUESTS, pause_s=0.01
    )
