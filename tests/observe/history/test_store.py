"""The index does the work: a user's page is not a walk over everybody's requests."""

import pytest
from sqlalchemy import text

from trivium.observe.history import store


@pytest.mark.asyncio
async def test_a_page_is_read_off_the_index(database):
    """On SQLite, which says what it will do; PostgreSQL has the same indexes."""
    if not database.is_sqlite:
        pytest.skip("an empty table is walked by PostgreSQL whatever there is")
    query = (
        store._select().where(store.records.c.user_id == 1).order_by(store.records.c.at_ms.desc())
    )
    async with database.read() as conn:
        made = query.compile(conn.engine, compile_kwargs={"literal_binds": True})
        plan = (await conn.execute(text(f"EXPLAIN QUERY PLAN {made}"))).all()
    told = " / ".join(row[-1] for row in plan)
    assert "USING INDEX ix_records_user_id_at_ms" in told
    assert "SCAN" not in told
