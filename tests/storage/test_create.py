"""An empty database gets the tables of the schema; what keeps rows is tested beside their stores."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from trivium.storage.schema import metadata


@pytest.mark.asyncio
async def test_an_empty_database_gets_exactly_the_schema(database):
    """Autogenerate finds no difference between the tables that were made and the metadata."""
    async with database.read() as conn:
        assert [] == await conn.run_sync(differences)


def differences(connection):
    """What Alembic would change."""
    options = {"compare_type": True, "compare_server_default": True}
    return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


@pytest.mark.asyncio
async def test_partial_indices_come_last(sqlite_database):
    """Of two that serve alike SQLite takes the later."""
    async with sqlite_database.read() as conn:
        found = await conn.scalars(
            text("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'entries'")
        )
    names = [name for name in found if name.startswith("ix_")]
    assert ["ix_entries_user_id_id", "ix_entries_payments"] == names


@pytest.mark.asyncio
async def test_the_first_revision_is_there(database):
    """Identity's writes raise it, so there has to be one."""
    async with database.read() as conn:
        assert [(1, 0, 0)] == [
            tuple(row) for row in await conn.execute(text("SELECT * FROM revision"))
        ]
