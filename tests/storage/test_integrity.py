"""A damaged file is seen, a whole one is not complained about."""

import sqlite3

import pytest

from trivium.storage.database import Database, damage


@pytest.mark.asyncio
async def test_a_whole_database_has_no_damage(database):
    """On either engine."""
    assert () == await damage(database)


@pytest.mark.asyncio
async def test_a_row_without_its_parent_is_named(sqlite_template, tmp_path):
    """What another program wrote with foreign keys switched off."""
    path = tmp_path / "trivium.db"
    path.write_bytes(sqlite_template.read_bytes())
    other = sqlite3.connect(path)
    other.execute("INSERT INTO accounts (user_id, balance_nanos, used_nanos) VALUES (7, 0, 0)")
    other.commit()
    other.close()
    db = Database(f"sqlite:///{path}")
    assert ("row 7 of accounts refers to a missing row of users",) == await damage(db)
    await db.close()


@pytest.mark.asyncio
async def test_an_index_that_lost_a_row_is_told(sqlite_template, tmp_path):
    """Damage that ordinary queries would not notice."""
    path = tmp_path / "trivium.db"
    path.write_bytes(sqlite_template.read_bytes())
    other = sqlite3.connect(path)
    other.execute("PRAGMA writable_schema=ON")
    row = other.execute("SELECT sql, rootpage FROM sqlite_master WHERE name='ix_records_at_ms'")
    sql, page = row.fetchone()
    other.execute("DELETE FROM sqlite_master WHERE name='ix_records_at_ms'")
    other.commit()
    other.close()
    other = sqlite3.connect(path)
    other.execute(
        "INSERT INTO records (request_id, at_ms, operation, model, channel, upstream_model, status,"
        " fault, stream, attempts, total_us, bytes_in, bytes_out, end_user)"
        " VALUES ('r', 1, '', '', '', '', 200, '', 0, 1, 1, 1, 1, '')"
    )
    other.execute("PRAGMA writable_schema=ON")
    other.execute(
        "INSERT INTO sqlite_master VALUES ('index', 'ix_records_at_ms', 'records', ?, ?)",
        (page, sql),
    )
    other.commit()
    other.close()
    db = Database(f"sqlite:///{path}")
    found = await damage(db)
    assert any("ix_records_at_ms" in line for line in found), found
    await db.close()
