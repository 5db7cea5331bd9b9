"""What a transaction that adds up many rows is planned for."""

import pytest
from sqlalchemy import text

from trivium.storage.summing import WORK_MB, expect_many_rows

SETTINGS = ("plan_cache_mode", "jit", "work_mem")


async def settings_of(conn):
    return [await conn.scalar(text(f"SHOW {name}")) for name in SETTINGS]


@pytest.mark.asyncio
async def test_it_ends_with_the_transaction(database):
    """On PostgreSQL; SQLite has nothing to be told."""
    async with database.read() as conn:
        await expect_many_rows(conn)
        if database.is_sqlite:
            return
        assert ["force_custom_plan", "off", f"{WORK_MB}MB"] == await settings_of(conn)
    async with database.read() as conn:
        assert "auto" == (await settings_of(conn))[0]
        await conn.execute(text("SET LOCAL work_mem = '64MB'"))
        await expect_many_rows(conn)
        assert "64MB" == (await settings_of(conn))[2]
