"""The tables are brought to what this version needs."""

import sqlite3
from contextlib import closing

from trivium.storage.migrate import REVISIONS


def test_a_new_database_gets_its_tables(trivium, folder):
    """It is said from where to where."""
    done = trivium("migrate")
    assert (0, f"migrated from step - to {REVISIONS[-1]}") == (done.code, done.err.splitlines()[1])
    assert (folder / "trivium.db").exists()


def test_a_second_time_changes_nothing(trivium):
    """It can stand in every deployment."""
    trivium("migrate")
    assert f"current already (step {REVISIONS[-1]})" in trivium("migrate").err


def test_a_newer_database_is_left_alone(trivium, folder):
    """An older version does not understand it."""
    trivium("migrate")
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = 'r9999'")
        database.commit()
    done = trivium("migrate")
    assert done.code == 1
    assert "step r9999, which this version does not know" in done.err
