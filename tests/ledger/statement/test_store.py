"""What usage came to a day: a sum that is written with the entries."""

import contextlib
import sqlite3

import pytest
from sqlalchemy import event, text

from trivium.identity.service import Identity
from trivium.ledger import store as ledger
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind, Settlement
from trivium.ledger.statement import store
from trivium.ledger.statement.service import Statement

DAY_S = 86_400
SUMS = (
    "SELECT user_id, created_at / 86400, SUM(-amount_nanos), COUNT(*) FROM entries "
    "WHERE kind = 'usage' GROUP BY 1, 2 ORDER BY 1, 2"
)
KEPT = "SELECT user_id, day, nanos, entries FROM usage_days ORDER BY 1, 2"


def settlement(user_id, number, at):
    return Settlement(
        request_id=f"req_{number}", user_id=user_id, cost_nanos=number, at=at, note="", detail=""
    )


async def booked(database, clock):
    """Usage of two users over three days: by the batch, one by one, and a batch that is repeated."""
    identity, entries = Identity(database, clock), Entries(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com")
    for user in (ada, eve):
        await entries.book(user.id, EntryKind.TOP_UP, 10**9)
    now = int(clock.now())
    for first in range(1, 60, 20):
        batch = [
            settlement((ada, eve)[n % 2].id, n, now - n % 3 * DAY_S)
            for n in range(first, first + 20)
        ]
        for repeated in (False, True):
            async with database.write() as conn:
                await ledger.turn(conn, "worker", batch, {}, repeated=repeated)
    await entries.book(eve.id, EntryKind.USAGE, -7, request_id="video")
    await entries.book(eve.id, EntryKind.USAGE, -7, request_id="video")
    return ada


@pytest.mark.asyncio
async def test_days_are_the_sums_of_their_entries(database, clock):
    """Whoever booked them, and also where a batch was sent again."""
    ada = await booked(database, clock)
    async with database.read() as conn:
        wanted = (await conn.execute(text(SUMS))).all()
        assert 6 == len(wanted)
        assert wanted == (await conn.execute(text(KEPT))).all()
        since = int(clock.now()) // DAY_S - 1
        found = [tuple(row) for row in await store.days(conn, ada.id, since)]
        assert found == [tuple(row[1:]) for row in wanted if row[0] == ada.id and row[1] >= since]


async def steps(database, ask):
    """How many of its steps SQLite needs for the statements that are asked."""
    asked, count = [], 0

    def listen(conn, cursor, statement, parameters, context, many):
        asked.append((statement, parameters))

    def tick():
        nonlocal count
        count += 1
        return 0

    event.listen(database._reader.sync_engine, "before_cursor_execute", listen)
    await ask()
    event.remove(database._reader.sync_engine, "before_cursor_execute", listen)
    with contextlib.closing(sqlite3.connect(database.path)) as counting:
        counting.set_progress_handler(tick, 1)
        for statement, parameters in asked:
            counting.execute(statement, parameters).fetchall()
    assert count
    return count


@pytest.mark.asyncio
async def test_what_a_page_reads_does_not_grow_with_what_was_booked(sqlite_database, clock):
    """A fortnight's days, and the payments among the usage."""
    ada = await Identity(sqlite_database, clock).create_user("ada", "ada@example.org")
    statement, now = Statement(sqlite_database), int(clock.now())
    await Entries(sqlite_database, clock).book(ada.id, EntryKind.TOP_UP, 10**9)
    kinds = [kind for kind in EntryKind if kind is not EntryKind.USAGE]
    asks = {
        "days": lambda: statement.days(ada.id, now, 14),
        "payments": lambda: statement.page(ada.id, None, 50, kinds),
        "entries": lambda: statement.page(ada.id),
    }

    async def used(numbers):
        batch = [settlement(ada.id, number, now - number % 14 * DAY_S) for number in numbers]
        async with sqlite_database.write() as conn:
            await ledger.turn(conn, "worker", batch, {})

    await used(range(400))
    before = {name: await steps(sqlite_database, ask) for name, ask in asks.items()}
    await used(range(400, 8000))
    assert before == {name: await steps(sqlite_database, ask) for name, ask in asks.items()}
