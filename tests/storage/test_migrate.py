"""Tables become what this version needs, or the operator is told what to do."""

import asyncio
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from trivium.storage import migrate
from trivium.storage.create import create
from trivium.storage.database import Database
from trivium.storage.errors import SchemaStale
from trivium.storage.schema import metadata

RELEASED = Path(__file__).parents[1] / "fixtures" / "storage"
"""The tables as each step had them when it was released: ``STEP.ENGINE.sql``, never edited."""


def released(step, connection):
    """Make the tables of a step as its version did."""
    statements = (RELEASED / f"{step}.{connection.dialect.name}.sql").read_text()
    for statement in statements.split(";\n\n"):
        connection.execute(text(statement.replace(":", "\\:")))


def described(connection):
    """Every table with its columns, keys, checks and indexes, each by its name."""
    found = inspect(connection)
    tables = [name for name in found.get_table_names() if name != "alembic_version"]
    return {
        table: {
            "columns": {
                c["name"]: (str(c["type"]), c["nullable"], c["default"], c.get("autoincrement"))
                for c in found.get_columns(table)
            },
            "primary key": found.get_pk_constraint(table),
            "foreign keys": by_name(found.get_foreign_keys(table)),
            "unique": by_name(found.get_unique_constraints(table)),
            "checks": by_name(found.get_check_constraints(table)),
            "indexes": {
                i["name"]: (i["column_names"], i["unique"], where(i))
                for i in found.get_indexes(table)
            },
        }
        for table in tables
    }


def by_name(rows):
    """What reflection found, whatever the order it came in."""
    return sorted(rows, key=lambda row: row["name"])


def where(index):
    """The condition of a partial index, ``None`` for a whole one."""
    options = index.get("dialect_options", {})
    found = [str(v) for name, v in options.items() if name.endswith("_where")]
    return found or None


@pytest.mark.asyncio
async def test_the_steps_lead_from_released_tables_to_the_schema(empty_url):
    """Nothing that a version had in its tables can be changed without a step."""
    db = Database(empty_url)
    async with db.write() as conn:
        await conn.run_sync(create)
    async with db.read() as conn:
        expected = await conn.run_sync(described)
    async with db.write() as conn:
        await conn.run_sync(metadata.drop_all)
        if not db.is_sqlite:
            for name in ("entries", "acts", "invoices"):
                await conn.execute(text(f"DROP FUNCTION refuse_{name}_change"))
        await conn.run_sync(lambda connection: released("r0001", connection))
    await migrate.upgrade(db)
    async with db.read() as conn:
        actual = await conn.run_sync(described)
    await db.close()
    assert set(metadata.tables) == set(actual)
    for table, parts in expected.items():
        assert parts == actual[table], table


def test_the_list_of_steps_is_the_files():
    """What ``ensure`` compares with is what Alembic would run."""
    config = Config()
    config.set_main_option("script_location", "trivium:storage/migrations")
    found = [step.revision for step in ScriptDirectory.from_config(config).walk_revisions()]
    assert list(migrate.REVISIONS) == found[::-1]


@pytest.mark.asyncio
async def test_upgrade_is_done_once(empty_url):
    """An empty database has no step; an upgraded one has the last, also after a second upgrade."""
    db = Database(empty_url)
    assert None is await migrate.current(db)
    await migrate.upgrade(db)
    assert migrate.REVISIONS[-1] == await migrate.current(db)
    await migrate.upgrade(db)
    await db.close()


@pytest.mark.asyncio
async def test_two_nodes_may_upgrade_at_once(empty_url):
    """One does it, the other waits and finds nothing to do."""
    nodes = [Database(empty_url), Database(empty_url)]
    await asyncio.gather(*(migrate.upgrade(db) for db in nodes))
    for db in nodes:
        assert migrate.REVISIONS[-1] == await migrate.current(db)
        await db.close()


@pytest.mark.asyncio
async def test_a_database_of_ones_own_is_migrated_at_start(empty_url):
    """SQLite has no other node that could run an older version."""
    db = Database(empty_url)
    await migrate.ensure(db, is_shared=False)
    assert migrate.REVISIONS[-1] == await migrate.current(db)
    await db.close()


@pytest.mark.asyncio
async def test_a_shared_stale_database_is_refused(empty_url):
    """Nothing is changed in passing, and the message says what to run."""
    db = Database(empty_url)
    with pytest.raises(SchemaStale, match="run `trivium migrate`"):
        await migrate.ensure(db, is_shared=True)
    assert None is await migrate.current(db)
    await db.close()


@pytest.mark.asyncio
async def test_shared_is_decided_by_the_engine_unless_told(empty_url):
    """PostgreSQL is shared, SQLite is not."""
    db = Database(empty_url)
    if db.is_sqlite:
        await migrate.ensure(db)
        assert migrate.REVISIONS[-1] == await migrate.current(db)
    else:
        with pytest.raises(SchemaStale):
            await migrate.ensure(db)
    await db.close()


@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.asyncio
async def test_a_newer_database_is_refused(empty_url, is_shared):
    """An older version does not touch tables it does not know, whoever owns them."""
    db = Database(empty_url)
    await migrate.upgrade(db)
    async with db.write() as conn:
        await conn.execute(text("UPDATE alembic_version SET version_num = 'r9999'"))
    with pytest.raises(SchemaStale, match="newer trivium"):
        await migrate.ensure(db, is_shared=is_shared)
    with pytest.raises(SchemaStale, match="newer trivium"):
        await migrate.upgrade(db)
    assert "r9999" == await migrate.current(db)
    await db.close()


@pytest.mark.parametrize(
    ("step", "advice"),
    [
        ("0025", "UPDATE alembic_version SET version_num = 'r0001'"),
        ("0007", "a new, empty database"),
        ("0001", "a new, empty database"),
    ],
)
@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.asyncio
async def test_a_database_from_before_the_release_is_refused(empty_url, step, advice, is_shared):
    """Builds before 0.1.0 had steps of their own: nothing is changed, and what helps is said."""
    db = Database(empty_url)
    await migrate.upgrade(db)
    async with db.write() as conn:
        await conn.execute(text(f"UPDATE alembic_version SET version_num = '{step}'"))
    for refused in (migrate.ensure(db, is_shared=is_shared), migrate.upgrade(db)):
        with pytest.raises(SchemaStale, match="a build before") as raised:
            await refused
        assert f"(step {step})" in str(raised.value)
        assert advice in str(raised.value)
    assert step == await migrate.current(db)
    await db.close()


@pytest.mark.asyncio
async def test_the_advice_for_the_last_build_before_the_release_helps(empty_url):
    """Its tables are those of the first step, so one line of SQL takes its database over."""
    db = Database(empty_url)
    await migrate.upgrade(db)
    async with db.write() as conn:
        await conn.execute(text("UPDATE alembic_version SET version_num = '0025'"))
    advice = migrate.unknown(await migrate.current(db)).rpartition(": ")[2]
    async with db.write() as conn:
        await conn.execute(text(advice))
    await migrate.ensure(db, is_shared=True)
    await db.close()


@pytest.mark.asyncio
async def test_a_step_that_fails_leaves_no_trace(empty_url, monkeypatch):
    """The steps and their mark are one transaction."""
    db = Database(empty_url)
    run = migrate._run

    def run_and_fail(connection):
        run(connection)
        raise ZeroDivisionError

    monkeypatch.setattr(migrate, "_run", run_and_fail)
    with pytest.raises(ZeroDivisionError):
        await migrate.upgrade(db)
    assert None is await migrate.current(db)
    await db.close()
