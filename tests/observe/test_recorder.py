"""Records are stored in batches, wait while the database is away, and are counted when lost."""

import asyncio

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from trivium.observe import recorder as module
from trivium.observe import store
from trivium.observe.record import Record
from trivium.observe.recorder import Recorder
from trivium.settings.model import RecordsSettings
from trivium.storage.errors import Rejected, SchemaStale, StorageDown


def record(number):
    return Record(request_id=f"r{number:04}", at=1.0)


async def ids(database):
    async with database.read() as conn:
        found = await conn.execute(text("SELECT request_id FROM records ORDER BY request_id"))
        return [row.request_id for row in found]


def fill(recorder, count):
    for number in range(count):
        recorder.add(record(number))


class Pauses:
    """Turns of a recorder's clock: how long each pause was, and what happens in it."""

    def __init__(self, *during):
        self.taken = []
        self._during = list(during)

    async def sleep(self, seconds):
        self.taken.append(seconds)
        if not self._during:
            await asyncio.Event().wait()
        self._during.pop(0)()
        await asyncio.sleep(0)

    async def used_up(self, count):
        async with asyncio.timeout(20):
            while len(self.taken) < count:
                await asyncio.sleep(0.001)


@pytest.fixture
def failing(monkeypatch):
    """Makes every insert fail with an error until it is put back; counts the tries."""
    patch = pytest.MonkeyPatch()
    tries = []

    class Failing:
        def begin(self, error):
            async def insert(conn, rows):
                tries.append(len(rows))
                raise error

            patch.setattr("trivium.observe.store.insert", insert)
            patch.setattr("trivium.observe.store.insert_again", insert)

        def end(self):
            patch.undo()

    failing = Failing()
    failing.tries = tries
    yield failing
    patch.undo()


@pytest.mark.asyncio
async def test_records_are_stored_in_the_background(database):
    """Adding returns at once; a batch follows every ``flush_s``."""
    recorder = Recorder(database, RecordsSettings(flush_s=0.01))
    recorder.start()
    fill(recorder, 3)
    assert 3 == recorder.waiting
    async with asyncio.timeout(20):
        while recorder.waiting:
            await asyncio.sleep(0.005)
    assert ["r0000", "r0001", "r0002"] == await ids(database)
    await recorder.close()


@pytest.mark.asyncio
async def test_closing_writes_what_waits(database):
    """Also what would fill several batches, and without a log line."""
    recorder = Recorder(database, RecordsSettings(flush_s=60))
    recorder.start()
    fill(recorder, 2 * module.BATCH_MAX + 1)
    with capture_logs() as logs:
        await recorder.close()
    assert 2 * module.BATCH_MAX + 1 == len(await ids(database))
    assert [] == logs


@pytest.mark.asyncio
async def test_a_batch_is_bounded(database, monkeypatch):
    """No transaction holds more than its share of rows."""
    monkeypatch.setattr(module, "BATCH_MAX", 2)
    recorder = Recorder(database, RecordsSettings())
    sizes = []
    store = recorder._store

    async def counted(records):
        sizes.append(len(records))
        await store(records)

    recorder._store = counted
    fill(recorder, 5)
    assert await recorder.flush()
    assert [2, 2, 1] == sizes


def test_a_full_queue_drops_the_oldest(clock):
    """And counts them."""
    recorder = Recorder(None, RecordsSettings(queue_max=3), clock)
    fill(recorder, 5)
    assert ["r0002", "r0003", "r0004"] == [each.request_id for each in recorder._queue]
    assert (3, 2) == (recorder.waiting, recorder.dropped)


@pytest.mark.asyncio
async def test_dropped_records_are_told_once_a_minute(database, clock):
    """However many are dropped, and with a total."""

    def overflow():
        fill(recorder, 3)

    def a_minute():
        clock.advance(60)

    pauses = Pauses(overflow, overflow, overflow, a_minute)
    recorder = Recorder(database, RecordsSettings(queue_max=2), clock, pauses.sleep)
    with capture_logs() as logs:
        recorder.start()
        await pauses.used_up(5)
    assert [("writes_dropped", 1, 1), ("writes_dropped", 2, 3)] == [
        (line["event"], line["count"], line["total"]) for line in logs
    ]
    await recorder.close()


@pytest.mark.parametrize("error", [StorageDown("away"), SchemaStale("old")])
@pytest.mark.asyncio
async def test_records_wait_while_the_database_is_away(database, clock, failing, error):
    """With growing, bounded pauses and one log line a change of state; nothing is lost."""
    nothing = clock.monotonic
    pauses = Pauses(lambda: failing.begin(error), *[nothing] * 7, failing.end, nothing)
    recorder = Recorder(database, RecordsSettings(flush_s=1), clock, pauses.sleep)
    fill(recorder, 3)
    with capture_logs() as logs:
        recorder.start()
        await pauses.used_up(11)
    assert [("writes_wait", "records"), ("writes_flow_again", "records")] == [
        (line["event"], line["queue"]) for line in logs
    ]
    assert [1, 2, 4, 8, 16, 30, 30, 30, 30, 1, 1] == pauses.taken
    assert (["r0000", "r0001", "r0002"], 0) == (await ids(database), recorder.dropped)
    await recorder.close()


@pytest.mark.parametrize("error", [Rejected("no"), TypeError("no")])
@pytest.mark.asyncio
async def test_one_bad_record_does_not_hold_up_the_others(database, error):
    """It is dropped, counted and told; the rest of its batch is stored."""
    recorder = Recorder(database, RecordsSettings())
    store = recorder._store

    async def picky(records):
        if any(each.request_id == "r0001" for each in records):
            raise error
        await store(records)

    recorder._store = picky
    fill(recorder, 4)
    with capture_logs() as logs:
        assert await recorder.flush()
    assert ["r0000", "r0002", "r0003"] == await ids(database)
    assert (0, 1) == (recorder.waiting, recorder.dropped)
    assert [("records_refused", 1, ["r0001"])] == [
        (line["event"], line["records"], line["first"]) for line in logs
    ]


@pytest.mark.asyncio
async def test_a_database_that_goes_away_amid_single_records_loses_none(database):
    """What was not stored stays first in line."""
    recorder = Recorder(database, RecordsSettings())
    store, calls = recorder._store, []

    async def unlucky(records):
        calls.append(len(records))
        if len(calls) == 1:
            raise Rejected("no")
        if len(calls) == 3:
            raise StorageDown("away")
        await store(records)

    recorder._store = unlucky
    fill(recorder, 3)
    assert not await recorder.flush()
    assert 2 == recorder.waiting
    assert await recorder.flush()
    assert (["r0000", "r0001", "r0002"], 0) == (await ids(database), recorder.dropped)


@pytest.mark.asyncio
async def test_a_cancelled_batch_is_stored_by_close(database):
    """Stopping in the middle of a transaction loses and doubles nothing."""
    recorder = Recorder(database, RecordsSettings(flush_s=0))
    store, began = recorder._store, asyncio.Event()

    async def slow(records):
        recorder._store = store
        began.set()
        await asyncio.Event().wait()

    recorder._store = slow
    fill(recorder, 3)
    recorder.start()
    await began.wait()
    await recorder.close()
    assert ["r0000", "r0001", "r0002"] == await ids(database)


@pytest.mark.asyncio
async def test_closing_has_a_limit(database, clock, failing):
    """A worker ends although the database is away, and says how much was lost."""
    failing.begin(StorageDown("away"))
    recorder = Recorder(database, RecordsSettings(), clock)
    recorder.start()
    fill(recorder, 3)
    with capture_logs() as logs:
        await recorder.close(limit_s=0.25)
    assert 2 <= len(failing.tries)
    assert [("writes_wait", None), ("writes_dropped", 3)] == [
        (line["event"], line.get("count")) for line in logs
    ]


@pytest.mark.asyncio
async def test_a_batch_is_made_ready_slice_by_slice(database, monkeypatch):
    """The loop has its turns in between, and all of it is one transaction."""
    monkeypatch.setattr(module, "SLICE", 2)
    recorder = Recorder(database, RecordsSettings())
    sizes = []
    insert = store.insert

    async def counted(conn, rows):
        sizes.append((id(conn), len(rows)))
        await insert(conn, rows)

    monkeypatch.setattr(store, "insert", counted)
    fill(recorder, 5)
    assert await recorder.flush()
    assert [2, 2, 1] == [size for _, size in sizes]
    assert 1 == len({conn for conn, _ in sizes})
    assert [f"r{number:04}" for number in range(5)] == await ids(database)
