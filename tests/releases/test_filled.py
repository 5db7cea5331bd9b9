"""The last release's tables are filled to the last of them, and to the last column."""

import pytest
from sqlalchemy import text

from releases.filled import OF_THE_GATEWAY, fill, rows, tables
from storage.test_migrate import released
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.storage.schema import metadata


@pytest.mark.asyncio
async def test_every_table_and_every_column_is_filled(empty_url):
    """On both engines; a column that is nowhere filled would be one that no upgrade is tried on."""
    db = Database(empty_url)
    async with db.write() as conn:
        await conn.run_sync(lambda connection: released(migrate.REVISIONS[-1], connection))
        await conn.run_sync(fill)
    async with db.read() as conn:
        found = await conn.run_sync(rows)
        columns = await conn.run_sync(
            lambda connection: {t.name: set(t.columns.keys()) for t in tables(connection)}
        )
    await db.close()
    assert set(metadata.tables) - OF_THE_GATEWAY == set(found)
    empty = [
        f"{table}.{column}"
        for table, names in columns.items()
        for column in sorted(names)
        if all(row[column] is None for row in found[table].values())
    ]
    assert [] == empty


@pytest.mark.asyncio
async def test_the_rows_that_are_there_at_once_are_there(empty_url):
    """What is left out above is not left out because it was forgotten."""
    db = Database(empty_url)
    async with db.write() as conn:
        await conn.run_sync(lambda connection: released(migrate.REVISIONS[-1], connection))
    async with db.read() as conn:
        counts = [
            await conn.scalar(text(f"SELECT count(*) FROM {name}"))
            for name in ("alembic_version", "revision")
        ]
    await db.close()
    assert [1, 1] == counts
