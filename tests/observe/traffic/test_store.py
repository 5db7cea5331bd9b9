"""Sums of request records are those of the records, whatever happens to a batch."""

import asyncio
import random

import pytest
from sqlalchemy import text

from observe.traffic.summing import (
    keys_of_records,
    keys_of_sums,
    of_records,
    of_sums,
    record,
)
from trivium.identity.service import Identity
from trivium.observe import store as records_store
from trivium.observe.record import Record
from trivium.observe.recorder import Recorder
from trivium.observe.traffic import store
from trivium.settings.model import RecordsSettings
from trivium.storage.errors import StorageDown
from trivium.storage.schema.core import users

pytestmark = pytest.mark.asyncio
NOON = 1_790_000_000 // 86_400 * 86_400 + 43_200
DAY = 86_400


async def recorded(database, *records, recorder=None):
    recorder = recorder or Recorder(database, RecordsSettings())
    for each in records:
        recorder.add(each)
    assert await recorder.flush()


async def same(database):
    """Whether the sums are those of the records; there must be some."""
    found = await of_records(database)
    assert found
    assert found == await of_sums(database)
    assert await keys_of_records(database) == await keys_of_sums(database)


async def test_sums_are_those_of_the_records(database):
    """Batches of all kinds, in any order of time."""
    chance = random.Random(1)
    for first in range(0, 300, 100):
        some = [record(n, NOON - chance.randint(0, 3 * DAY)) for n in range(first, first + 100)]
        await recorded(database, *some)
    await same(database)


@pytest.mark.parametrize("where", ["before", "in the middle", "after the commit"])
async def test_a_batch_that_comes_again_is_counted_once(database, where, monkeypatch):
    """Whether what failed the first time had been stored or not, in whole batches and singly."""
    recorder = Recorder(database, RecordsSettings())
    calls = []
    real = {"records": records_store.insert, "sums": store.add}
    write = database.write

    async def insert(conn, rows):
        calls.append(len(rows))
        if where == "before" and len(calls) == 1:
            raise StorageDown("away")
        await real["records"](conn, rows)

    async def add(conn, batch):
        await real["sums"](conn, batch)
        if where == "in the middle" and len(calls) == 1:
            calls.append(0)
            raise StorageDown("away")

    def unsure():
        made = write()
        if where != "after the commit" or calls:
            return made

        class Lost:
            async def __aenter__(self):
                return await made.__aenter__()

            async def __aexit__(self, *error):
                await made.__aexit__(*error)
                raise StorageDown("nobody knows whether it is stored")

        return Lost()

    monkeypatch.setattr(records_store, "insert", insert)
    monkeypatch.setattr(store, "add", add)
    monkeypatch.setattr(database, "write", unsure)
    for number in range(40):
        recorder.add(record(number, NOON + number))
    assert not await recorder.flush()
    recorder.add(record(40, NOON))
    assert await recorder.flush()
    await same(database)
    assert 41 == sum(row[5] for row in await of_sums(database))


async def test_a_batch_that_was_broken_off_is_counted_once(database):
    """A worker that is told to end in the middle of a transaction stores the rest of it."""
    recorder = Recorder(database, RecordsSettings(flush_s=0))
    store_, began = recorder._store, asyncio.Event()

    async def slow(records):
        recorder._store = store_
        await store_(records)
        began.set()
        await asyncio.Event().wait()

    recorder._store = slow
    for number in range(10):
        recorder.add(record(number, NOON))
    recorder.start()
    await began.wait()
    await recorder.close()
    await same(database)
    assert 10 == sum(row[5] for row in await of_sums(database))


async def test_records_that_a_database_refuses_are_in_no_sum(database, monkeypatch):
    """Those stored one by one are."""
    real = records_store.insert_again

    async def insert(conn, rows):
        raise ValueError("a row of it")

    async def again(conn, rows):
        if rows[0][0].endswith("_3"):
            raise ValueError("this one")
        return await real(conn, rows)

    monkeypatch.setattr(records_store, "insert", insert)
    monkeypatch.setattr(records_store, "insert_again", again)
    await recorded(database, *(record(n, NOON) for n in range(6)))
    await same(database)
    assert 5 == sum(row[5] for row in await of_sums(database))


async def test_models_that_there_are_not_share_a_row(database):
    """Whoever asks for a thousand names makes one row of it."""
    recorder = Recorder(database, RecordsSettings())
    recorder.knows = lambda name: name == "m"
    at = {"at": float(NOON), "status": 404, "fault": "model_unknown"}
    made = [Record(request_id=f"r{n}", model=f"guess {n}", **at) for n in range(50)]
    await recorded(database, *made, Record(request_id="r", model="m", **at), recorder=recorder)
    assert [("", 50), ("m", 1)] == [(row[1], row[5]) for row in await of_sums(database)]


async def test_workers_add_to_the_same_rows_at_once(database):
    """None waits for another in turn, and nothing is lost."""
    recorders = [Recorder(database, RecordsSettings()) for _ in range(4)]
    for seed, recorder in enumerate(recorders):
        for number in range(200):
            recorder.add(record(number, NOON + number % 900, seed=seed))
    assert all(await asyncio.gather(*(each.flush() for each in recorders)))
    await same(database)
    assert 800 == sum(row[5] for row in await of_sums(database))


async def test_folding_changes_no_sum(database):
    """A few rows at a time, also when records come late for what is folded already."""
    await recorded(database, *(record(n, NOON - 97 * n) for n in range(300)))
    hours = await of_sums(database, 3_600)
    for first in (0, 300):
        for table in ("traffic", "traffic_keys"):
            folded = 7
            while folded == 7:
                async with database.write() as conn:
                    to = (3_600,) if table == "traffic" else (3_600, DAY)
                    folded = await store.fold(conn, table, 300, to, NOON + DAY, 7)
        assert hours == await of_sums(database, 3_600)
        async with database.read() as conn:
            found = await conn.execute(text("SELECT DISTINCT span_s FROM traffic"))
            assert [3_600] == [row.span_s for row in found]
        if not first:
            await recorded(database, *(record(300 + n, NOON - 97 * n) for n in range(300)))
            hours = await of_records(database, 3_600)
    for span_s in (3_600, DAY):
        assert await keys_of_records(database, span_s) == await keys_of_sums(database, span_s)


async def test_folding_beside_records_loses_none(database):
    """Whoever adds to a row that is being folded makes it anew."""
    recorder = Recorder(database, RecordsSettings())

    async def fold():
        for _ in range(12):
            async with database.write() as conn:
                await store.fold(conn, "traffic", 300, (3_600,), NOON + DAY, 5)
            await asyncio.sleep(0)

    async def write():
        for first in range(0, 240, 20):
            await recorded(
                database,
                *(record(n, NOON + n % 7 * 300) for n in range(first, first + 20)),
                recorder=recorder,
            )

    await asyncio.gather(fold(), write())
    assert await of_records(database, 3_600) == await of_sums(database, 3_600)


async def test_old_sums_go(database):
    """Of whatever span, a few at a time, and no younger ones."""
    await recorded(database, *(record(n, NOON - n * DAY) for n in range(10)))
    async with database.write() as conn:
        await store.fold(conn, "traffic", 300, (DAY,), NOON - 4 * DAY, 100)
        assert 3 == await store.delete_before(conn, (NOON - 5 * DAY) * 1000, 3)
        assert 2 == await store.delete_before(conn, (NOON - 5 * DAY) * 1000, 3)
        assert 0 == await store.delete_before(conn, (NOON - 5 * DAY) * 1000, 3)
    kept = {row[0] for row in await of_sums(database, DAY)}
    assert {(NOON - n * DAY) // DAY * DAY for n in range(5)} == kept


async def test_what_is_read_out_of_a_period(database):
    """By steps, by model and channel, by cause, and by who asked; nothing beside the period."""
    chat = {"at": float(NOON), "model": "m", "channel": "c", "status": 200, "attempts": 1}
    await recorded(
        database,
        Record("a", first_byte_ms=100.0, total_ms=500.0, key_id=1, user_id=2, **chat),
        Record("b", first_byte_ms=900.0, total_ms=950.0, key_id=1, user_id=2, **chat),
        Record("c", **{**chat, "status": 502, "fault": "upstream_broke", "at": NOON + 400.0}),
        Record("d", **{**chat, "status": 499, "fault": "caller_left", "model": "n"}),
        Record("e", **{**chat, "at": NOON - 1.0}),
        Record("f", **{**chat, "at": NOON + 3_600.0}),
    )
    period = NOON, NOON + 3_600
    async with database.read() as conn:
        steps = await store.steps(conn, *period, 300)
        none = await store.steps(conn, *period, 300, channel="another")
        models = await store.groups(conn, *period, "model")
        channels = await store.groups(conn, *period, "channel")
        causes = await store.causes(conn, *period)
        by = {name: await store.callers(conn, *period, name, 9) for name in store.CALLERS}
        most = await store.callers(conn, *period, "key", 1)
    assert {NOON: (3, 0), NOON + 300: (1, 1)} == {
        at: (each.requests, each.failed) for at, each in steps.items()
    }
    assert {} == none
    assert {"m": (3, 1), "n": (1, 0)} == {
        name: (each.requests, each.failed) for name, each in models.items()
    }
    assert 80 < models["m"].first_p50_ms < 114
    assert 640 < models["m"].first_p95_ms < 905
    assert models["n"].first_p50_ms is None
    assert 4 == channels["c"].requests == sum(channels["c"].total)
    wanted = [("", 2, "c", 2), ("caller_left", 4, "c", 1), ("upstream_broke", 5, "c", 1)]
    assert wanted == sorted(causes)
    assert [(0, 2, 1), (1, 2, 0)] == by["key"]
    assert [(0, 2, 1), (2, 2, 0)] == by["user"]
    assert [(0, 4, 1)] == by["team"]
    assert [(0, 2, 1)] == most


@pytest.mark.parametrize("since", [NOON - 2 * DAY, NOON // DAY * DAY - DAY, NOON - 1_800])
@pytest.mark.parametrize(
    "until", [NOON + 300, NOON + 4_200, NOON // DAY * DAY + DAY, NOON + 2 * DAY]
)
@pytest.mark.parametrize("folded", [0, NOON - 3_600, NOON + 3_600, NOON + 3 * DAY])
async def test_who_asked_in_any_period(database, since, until, folded):
    """Whether it begins and ends amid a day or an hour or not, and whatever is folded by then."""
    times = [NOON + step * 300 for step in range(-600, 600, 7)]
    await recorded(database, *(record(n, at) for n, at in enumerate(times)))
    async with database.write() as conn:
        await store.fold(conn, "traffic_keys", 300, (3_600, DAY), folded, 10_000)
    # what is amid an hour that is folded is told to be at its beginning, as all over this module
    kept = [at // 3_600 * 3_600 if at < folded else at for at in times]
    async with database.read() as conn:
        found = await store.callers(conn, since, until, "user", 9)
    assert sum(since <= at < until for at in kept) == sum(requests for _, requests, _ in found)


async def test_names_and_teams(database, clock):
    """Of those that there are."""
    ada = await Identity(database, clock).create_user("ada", "ada@example.com")
    async with database.read() as conn:
        assert {ada.id: "ada"} == await store.names_of(conn, users, [ada.id, 999])
        assert {} == await store.names_of(conn, users, [])
