"""A statement is one trip to SQLite's thread, and finds what it finds."""

import asyncio
import sqlite3

import pytest
import pytest_asyncio
from sqlalchemy import text

from trivium.storage import one_trip
from trivium.storage.database import Database


@pytest_asyncio.fixture
async def connection(tmp_path):
    """One with a table of five numbers."""
    made = await one_trip.connect(str(tmp_path / "a.db"), isolation_level=None)
    cursor = await made.cursor()
    await cursor.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
    await cursor.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(1, 6)])
    assert (5, None) == (cursor.rowcount, cursor.description)
    yield made
    await made.close()


@pytest.fixture
def trips(monkeypatch):
    """How many were made, one item each."""
    made = []
    known = one_trip.OneTrip._execute

    async def counted(self, fn, *args, **kwargs):
        made.append(fn)
        return await known(self, fn, *args, **kwargs)

    monkeypatch.setattr(one_trip.OneTrip, "_execute", counted)
    return made


@pytest.mark.asyncio
async def test_rows_come_one_by_one_some_or_all(connection):
    """In the order that the statement has; then there are none."""
    cursor = await connection.cursor()
    assert cursor is await cursor.execute("SELECT number FROM numbers WHERE number < ?", (9,))
    assert (1,) == await cursor.fetchone()
    assert [(2,)] == await cursor.fetchmany()
    assert [(3,), (4,)] == await cursor.fetchmany(2)
    assert [(5,)] == await cursor.fetchall()
    assert ([], None, []) == (
        await cursor.fetchall(),
        await cursor.fetchone(),
        await cursor.fetchmany(2),
    )
    assert "number" == cursor.description[0][0]
    await cursor.execute("SELECT number FROM numbers")
    await cursor.close()
    assert [] == await cursor.fetchall()


@pytest.mark.asyncio
async def test_what_was_changed_is_told(connection):
    """Rows, and the number of the last that was inserted."""
    cursor = await connection.cursor()
    assert (-1, None) == (cursor.rowcount, cursor.lastrowid)
    await cursor.execute("INSERT INTO numbers VALUES (77)")
    assert (1, 77, None) == (cursor.rowcount, cursor.lastrowid, cursor.description)
    await cursor.execute("DELETE FROM numbers WHERE number < 4 RETURNING number")
    assert [(1,), (2,), (3,)] == sorted(await cursor.fetchall())


@pytest.mark.asyncio
async def test_an_error_is_sqlites_own_and_holds_nothing(connection):
    """The next statement goes on, and what failed has no lock."""
    cursor = await connection.cursor()
    for sql, error in (
        ("SELECT nothing FROM numbers", sqlite3.OperationalError),
        ("INSERT INTO numbers VALUES (1)", sqlite3.IntegrityError),
        # at the fourth row, while rows are fetched
        ("SELECT abs(iif(number = 4, -9223372036854775807 - 1, 1)) FROM numbers",
         sqlite3.OperationalError),
    ):  # fmt: skip
        with pytest.raises(error):
            await cursor.execute(sql)
    await cursor.execute("DROP TABLE numbers")


@pytest.mark.asyncio
async def test_a_statement_of_a_database_is_one_trip(tmp_path, trips):
    """Begin, three statements and commit; another connection is told apart by its own."""
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    async with database.write() as conn:
        await conn.execute(text("CREATE TABLE a (b INTEGER)"))
    trips.clear()
    async with database.write() as conn:
        for number in range(3):
            await conn.execute(text("INSERT INTO a VALUES (:n)"), {"n": number})
    inside = len(trips)
    async with database.read() as conn:
        found = (await conn.execute(text("SELECT b FROM a ORDER BY b"))).all()
    assert [(0,), (1,), (2,)] == [tuple(row) for row in found]
    await database.close()
    # the pool rolls back what it gets back
    assert 5 <= inside <= 6


@pytest.mark.asyncio
async def test_who_is_cancelled_leaves_the_connection_usable(connection):
    """The statement ends by itself; what comes next waits for it."""
    cursor = await connection.cursor()
    slow = (
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000) "
        "SELECT max(n) FROM c"
    )
    task = asyncio.ensure_future(cursor.execute(slow))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    other = await connection.cursor()
    await other.execute("SELECT count(*) FROM numbers")
    assert [(5,)] == await other.fetchall()
