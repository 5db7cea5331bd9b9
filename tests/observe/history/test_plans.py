"""What PostgreSQL reads for a search of requests: the newest by an index, however many there are."""

import itertools

import pytest
from sqlalchemy import text

from trivium.observe.history import store
from trivium.observe.history.model import RequestSearch
from trivium.storage import migrate
from trivium.storage.database import Database

ROWS = 60_000
FILLING = (
    """INSERT INTO records (request_id, at_ms, key_id, user_id, operation, model, channel,
      upstream_model, status, fault, stream, attempts, total_us, bytes_in, bytes_out, end_user)
    SELECT 'req_' || i, 1000 + i / 3, i % 200, i % 50, 'chat', 'm' || i % 9, 'c' || i % 4, 'm',
      200, '', false, 1, 1, 1, 1, '' FROM generate_series(1, {rows}) AS i""",
    """INSERT INTO users (name, role, created_at, revision) VALUES ('a', 'user', 1, 1)""",
    """INSERT INTO entries (user_id, kind, amount_nanos, note, request_id, created_at)
    SELECT 1, 'usage', -1, '', 'req_' || i, 1 FROM generate_series(1, {rows}) AS i""",
    "ANALYZE records",
    "ANALYZE entries",
)
WANTED = {
    "since_ms": 2_000,
    "until_ms": 20_000,
    "user_id": 3,
    "key_id": 3,
    "team_id": 3,
    "model": "m1",
    "channel": "c1",
    "status": 502,
    "fault": "timeout",
    "is_failed": True,
}


async def told(conn, query):
    """The plan of a query."""
    made = query.compile(dialect=conn.dialect, compile_kwargs={"literal_binds": True})
    rows = await conn.exec_driver_sql(f"EXPLAIN {made}")
    return "\n".join(row[0] for row in rows)


@pytest.mark.asyncio
@pytest.mark.postgres
async def test_no_filter_reads_all_requests(postgresql_server):
    """Alone, by pairs, all together; on the first page and behind it."""
    # not a copy of the migrated one, which nobody else may use while it is copied
    postgresql_server.psql("CREATE DATABASE searched;")
    database = Database(postgresql_server.get_uri(database="searched"))
    sets = [{}, WANTED, *({name: value} for name, value in WANTED.items())]
    sets += [dict(pair) for pair in itertools.combinations(WANTED.items(), 2)]
    try:
        await migrate.upgrade(database)
        async with database.write(60.0) as conn:
            for statement in FILLING:
                await conn.execute(text(statement.format(rows=ROWS)))
        async with database.read(60.0) as conn:
            for given, before in itertools.product(sets, (None, (15_000, "req_7"))):
                query = store.search_query(RequestSearch(**given), before, 51)
                plan = await told(conn, query)
                assert "Seq Scan on records" not in plan, (given, before, plan)
                assert "Seq Scan on entries" not in plan, (given, before, plan)
    finally:
        await database.close()
