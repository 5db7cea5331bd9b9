"""The last release's database, with every table filled, is upgraded while two nodes serve callers.

The next version is a copy of the sources with one step more: one that locks a table that every request
needs, fills a column and adds a table. Until a release has been followed by a step of its own, that
one is all there is to do; from then on the real steps run before it.
"""

import asyncio
import re
import shutil
import uuid
from pathlib import Path

import pytest
from sqlalchemy import text

import trivium
import warm
from end_to_end.fleet.balancers import balancer
from end_to_end.fleet.load import Load, Vendor
from end_to_end.fleet.nodes import environment, two_nodes
from end_to_end.running import TRIVIUM
from ports import free_port
from releases.filled import fill, rows
from storage.test_migrate import RELEASED, released
from trivium.storage import migrate
from trivium.storage.database import Database

LAST_RELEASE = max(path.name.partition(".")[0] for path in RELEASED.glob("r*.sql"))
CROWD = {"json": 6, "events": 2, "array": 2, "upload": 2}
EACH = 60
"""Requests before, between and behind the steps of an upgrade."""
STEP = '''
"""A step that there is only here."""
from alembic import op
import sqlalchemy as sa
revision, down_revision, branch_labels, depends_on = "{new}", "{old}", None, None

def upgrade():
    op.add_column("users", sa.Column("nickname", sa.Text()))
    op.execute("UPDATE users SET nickname = name")
    op.alter_column("users", "nickname", nullable=False, server_default="")
    op.create_table("synthetic", sa.Column("id", sa.BigInteger(), primary_key=True))
    op.create_index("ix_users_nickname", "users", ["nickname"])
'''
TENDED = {
    *(("leases", None), ("accounts", "leased_nanos")),
    *(("jobs", "look_at"), ("jobs", "looked_at"), ("jobs", "claimed_until")),
}
"""What living gateways change of the rows by themselves: leases of a worker that is gone end, and
jobs are looked after."""


@pytest.fixture
def last_release_database(postgresql_server):
    """An address of an empty database on the server, which is gone with it."""
    name = f"upgraded_{uuid.uuid4().hex[:12]}"
    postgresql_server.psql(f"CREATE DATABASE {name};")
    return postgresql_server.get_uri(database=name)


@pytest.fixture
def next_version(tmp_path):
    """A folder with the next version's package, which ``PYTHONPATH`` may name."""
    package = tmp_path / "next" / "trivium"
    shutil.copytree(Path(trivium.__file__).parent, package)
    number = len(migrate.REVISIONS) + 1
    steps = package / "storage" / "migrate.py"
    told = f"_LAST: Final = {number - 1}\n"
    assert told in steps.read_text()
    steps.write_text(steps.read_text().replace(told, f"_LAST: Final = {number}\n"))
    step = STEP.format(new=f"r{number:04}", old=migrate.REVISIONS[-1])
    (package / "storage" / "migrations" / "versions" / f"{number:04}_synthetic.py").write_text(step)
    return package.parent


async def read(url, query=None):
    """Every row of a database, or what a query finds."""
    db = Database(url)
    try:
        async with db.read() as conn:
            if query is not None:
                return list(await conn.scalars(text(query)))
            return await conn.run_sync(rows)
    finally:
        await db.close()


def lost(before, after):
    """What of the rows is gone or has another value, each by its place."""
    found = []
    for table, there in before.items():
        for key, row in there.items():
            now = after.get(table, {}).get(key)
            if now is None:
                found.append((table, key, None))
            else:
                found += [(table, key, name) for name in row if now.get(name, row) != row[name]]
    return [each for each in found if not {(each[0], None), (each[0], each[2])} & TENDED]


async def served(load, node, count):
    """Wait until callers have had so many answers more."""
    wanted = load.answered + count
    while load.answered < wanted:
        assert [] == load.lost
        await node.is_ready()
        await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(600)
async def test_a_filled_database_is_upgraded_under_load(
    tmp_path, last_release_database, valkey, next_version, monkeypatch
):
    """No request is lost or asked twice, no row is, and every balance is the sum of its entries."""
    url = last_release_database
    db = Database(url)
    async with db.write() as conn:
        await conn.run_sync(lambda connection: released(LAST_RELEASE, connection))
        await conn.run_sync(fill)
    await db.close()
    before = await read(url)
    port = free_port()
    async with (
        Vendor() as vendor,
        two_nodes(tmp_path, vendor.port, url, valkey.url) as both,
        balancer("nginx", tmp_path / "nginx", port, [node.address for node in both]),
    ):
        load = Load(port, both[0].key, pause_s=0.2)
        async with load.running(CROWD):
            await served(load, both[0], EACH)
            monkeypatch.setenv("PYTHONPATH", str(next_version))
            at = len(migrate.REVISIONS)
            said = migrated(both[0].folder)
            assert f"from step r{at:04} to r{at + 1:04}" in said
            await served(load, both[1], EACH)
            for node in both:
                await node.restart()
            await served(load, both[0], EACH)
        assert [] == load.lost, load.line()
        assert 0 == sum(count > 1 for count in vendor.asked.values())
        monkeypatch.delenv("PYTHONPATH")
        assert re.search("start the newer trivium", refused(both[0].folder))
        monkeypatch.setenv("PYTHONPATH", str(next_version))
    after = await read(url)
    assert [] == lost(before, after)
    own = "SELECT count(*) FROM entries WHERE kind = 'usage' AND note = '' AND id > 4"
    assert [load.answered - load.whole["upload"]] == await read(url, own)
    assert [] == await read(url, "SELECT name FROM users WHERE nickname <> name")
    assert "every balance is their sum" in migrated(both[0].folder, "ledger", "verify")


@pytest.mark.postgres
@pytest.mark.asyncio
async def test_a_filled_database_is_upgraded(
    tmp_path, last_release_database, next_version, monkeypatch
):
    """The same without callers: no row is lost, and the version before says that it is too old."""
    url = last_release_database
    (tmp_path / "trivium.toml").write_text(f'[storage]\nurl = "{url}"\n')
    db = Database(url)
    async with db.write() as conn:
        await conn.run_sync(lambda connection: released(LAST_RELEASE, connection))
        await conn.run_sync(fill)
    await db.close()
    before = await read(url)
    monkeypatch.setenv("PYTHONPATH", str(next_version))
    assert f"to r{len(migrate.REVISIONS) + 1:04}" in migrated(tmp_path)
    monkeypatch.delenv("PYTHONPATH")
    assert re.search("start the newer trivium", refused(tmp_path))
    assert [] == lost(before, await read(url))
    assert [] == await read(url, "SELECT name FROM users WHERE nickname <> name")


def migrated(folder, *argv):
    """What ``trivium migrate`` says, or another command; it must end well."""
    done = warm.run(
        [TRIVIUM, *(argv or ("migrate",))], cwd=folder, env=environment(), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


def refused(folder):
    """What the version before says when it is to start on upgraded tables."""
    place = str(Path(trivium.__file__).parents[1])
    done = warm.run(
        [TRIVIUM, "check"], cwd=folder, env=environment() | {"PYTHONPATH": place}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert 1 == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_lost_row_and_a_changed_value_are_found():
    """So that the test above can fail."""
    before = {"users": {(1,): {"id": 1, "name": "a"}, (2,): {"id": 2, "name": "b"}}}
    after = {"users": {(1,): {"id": 1, "name": "A", "nickname": "a"}}}
    assert [("users", (1,), "name"), ("users", (2,), None)] == lost(before, after)
    assert [] == lost(before, before)
