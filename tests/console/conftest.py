"""Pages say the same over both engines, which are tested where the SQL is: here is SQLite."""

import shutil

import pytest_asyncio

from trivium.storage.database import Database


@pytest_asyncio.fixture
async def database(sqlite_template, tmp_path):
    """A migrated database of its own."""
    path = tmp_path / "test.db"
    shutil.copy(sqlite_template, path)
    made = Database(f"sqlite:///{path}")
    yield made
    await made.close()
