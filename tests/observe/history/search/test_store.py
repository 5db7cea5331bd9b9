"""No search reads a whole table of records, whatever is asked for."""

import pytest
from sqlalchemy import text

from trivium.observe.history.search import store
from trivium.observe.history.search.model import RequestFilter
from trivium.storage.database import Database

FILTERS = {
    "nothing": RequestFilter(),
    "period": RequestFilter(since_ms=5_000, until_ms=9_000_000),
    "request": RequestFilter(request_id="req_17"),
    "user": RequestFilter(user_id=7),
    "key": RequestFilter(key_id=7),
    "team": RequestFilter(team_id=3),
    "model": RequestFilter(model="m3"),
    "rare model": RequestFilter(model="rare"),
    "channel": RequestFilter(channel="c1"),
    "fault": RequestFilter(fault="rate_limited"),
    "failed": RequestFilter(failed=True),
    "status": RequestFilter(status=(429, 429)),
    "status of success": RequestFilter(status=(200, 299)),
    "model of a user": RequestFilter(user_id=7, model="m3"),
    "user in a period": RequestFilter(user_id=7, since_ms=5_000, until_ms=900_000_000),
    "team and model": RequestFilter(team_id=3, model="m3"),
    "everything": RequestFilter(
        user_id=7, key_id=7, team_id=3, model="m3", channel="c1", status=(400, 499), failed=True
    ),
}
BEFORE = (20_000_000, "req_20000")
ROWS = """
    INSERT INTO records (request_id, at_ms, key_id, user_id, operation, model, channel,
      upstream_model, status, fault, stream, attempts, total_us, bytes_in, bytes_out, end_user)
    SELECT 'req_' || n, n * 1000, n % 400, n % 200, 'chat', 'm' || n % 5, 'c' || n % 3, 'u',
      CASE WHEN n % 50 = 0 THEN 429 ELSE 200 END,
      CASE WHEN n % 50 = 0 THEN 'rate_limited' ELSE '' END, {true}, 1, 5, 1, 1, ''
    FROM {numbers}
"""
SERIES = {
    "sqlite": "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 40000) "
    "SELECT n FROM s)",
    "postgresql": "generate_series(1, 40000) n",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("place", [None, BEFORE], ids=["first page", "later page"])
async def test_every_search_is_answered_from_an_index(database_url, place):
    """All filters, on a table large enough for an engine to choose."""
    database = Database(database_url)
    engine = "sqlite" if database.is_sqlite else "postgresql"
    explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    true = "1" if database.is_sqlite else "true"
    async with database.write() as conn:
        await conn.execute(text(ROWS.format(numbers=SERIES[engine], true=true)))
        await conn.execute(text("ANALYZE records"))
    plans = {}
    async with database.read() as conn:
        for name, wanted in FILTERS.items():
            of_team = (3, 203) if name == "team" else ()
            queries = [store.page_query(wanted, place, 51, 20_000, of_team)]
            first, others = store._split(wanted)
            if others and not of_team:
                queries.append(store.end_query(first, place, 20_000))
            for number, query in enumerate(queries):
                compiled = query.compile(
                    dialect=conn.dialect, compile_kwargs={"literal_binds": True}
                )
                found = await conn.exec_driver_sql(explain + str(compiled))
                plans[name, number] = "\n".join(str(row) for row in found)
    await database.close()
    scans = {
        name
        for name, plan in plans.items()
        if "Seq Scan on records" in plan or "SCAN records'" in plan or "SCAN records\n" in plan
    }
    assert set() == scans, "\n\n".join(f"{name}\n{plans[name]}" for name in scans)
