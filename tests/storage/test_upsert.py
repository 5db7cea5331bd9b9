"""Inserts that go on where a row is there already."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from trivium.storage.schema.logins import tries
from trivium.storage.upsert import upsert


@pytest.mark.asyncio
async def test_a_row_that_is_there_is_changed(database):
    """On both engines, with the same words."""
    row = {"subject": b"s", "count": 1, "since": 0, "until": 0, "forget_at": 0}
    async with database.write() as conn:
        for count in (1, 2):
            put = upsert(conn, tries).values(row | {"count": count})
            changed = {"count": put.excluded.count}
            await conn.execute(put.on_conflict_do_update(index_elements=["subject"], set_=changed))
        assert [(2,)] == (await conn.execute(select(tries.c["count"]))).all()


def test_a_third_engine_is_refused():
    """It is not taken for PostgreSQL."""
    with pytest.raises(KeyError, match="mysql"):
        upsert(SimpleNamespace(dialect=SimpleNamespace(name="mysql")), tries)
