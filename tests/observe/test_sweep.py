"""Old records go, in small steps and within budgets."""

import asyncio

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from trivium.observe import store, sweep
from trivium.observe.record import Record
from trivium.observe.sweep import RecordSweeper
from trivium.storage.errors import StorageDown

DAY = 86_400


class Pauses:
    """Counts the pauses, moves the clock by a second in each, and ends after some."""

    def __init__(self, clock, count):
        self.taken = []
        self._clock = clock
        self._count = count

    async def sleep(self, seconds):
        if len(self.taken) == self._count:
            await asyncio.Event().wait()
        self.taken.append(seconds)
        self._clock.advance(1)
        await asyncio.sleep(0)


async def fill(database, clock, ages_days):
    """One record of each age."""
    rows = [
        store.row_of(Record(request_id=f"r{n}", at=clock.now() - age * DAY))
        for n, age in enumerate(ages_days)
    ]
    async with database.write() as conn:
        await store.insert(conn, rows)


async def count(database):
    async with database.read() as conn:
        return await conn.scalar(text("SELECT count(*) FROM records"))


@pytest.mark.asyncio
async def test_what_is_older_than_the_retention_goes(database, clock):
    """And what is not stays."""
    await fill(database, clock, [0, 1, 89.9, 90.1, 100, 1000])
    with capture_logs() as logs:
        assert await RecordSweeper(database, 90, clock).round()
        assert await RecordSweeper(database, 90, clock).round()
    assert 3 == await count(database)
    assert [("swept", "records", 3)] == [
        (line["event"], line["what"], line["rows"]) for line in logs
    ]


@pytest.mark.asyncio
async def test_a_round_pauses_between_batches(database, clock, monkeypatch):
    """Others write in between."""
    monkeypatch.setattr(sweep, "BATCH", 2)
    pauses = Pauses(clock, 10)
    await fill(database, clock, [100] * 5)
    assert await RecordSweeper(database, 90, clock, pauses.sleep).round()
    assert (0, [sweep.PAUSE_S] * 2) == (await count(database), pauses.taken)


@pytest.mark.parametrize(("budget", "value"), [("ROWS_MAX", 4), ("SECONDS_MAX", 1.5)])
@pytest.mark.asyncio
async def test_a_round_ends_with_its_budget(database, clock, monkeypatch, budget, value):
    """In rows or in seconds; the rest is for the next round."""
    monkeypatch.setattr(sweep, "BATCH", 2)
    monkeypatch.setattr(sweep, budget, value)
    await fill(database, clock, [100] * 7)
    sweeper = RecordSweeper(database, 90, clock, Pauses(clock, 10).sleep)
    assert not await sweeper.round()
    assert 3 == await count(database)
    assert await sweeper.round()
    assert 0 == await count(database)


@pytest.mark.asyncio
async def test_no_retention_keeps_everything(database, clock):
    """Zero days mean for ever, and nothing runs."""
    await fill(database, clock, [10_000])
    await asyncio.wait_for(RecordSweeper(database, 0, clock).run(), 20)
    assert 1 == await count(database)


@pytest.mark.asyncio
async def test_rounds_follow_each_other(database, clock, monkeypatch):
    """Sooner when the last one left something; with one log line while the database is away."""
    outcomes = [False, StorageDown("away"), StorageDown("away"), True]
    pauses = Pauses(clock, 4)
    sweeper = RecordSweeper(database, 90, clock, pauses.sleep)

    async def scripted(now):
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(sweeper, "round", scripted)
    with capture_logs() as logs:
        task = asyncio.create_task(sweeper.run())
        while outcomes:
            assert not task.done(), task
            await asyncio.sleep(0)
        task.cancel()
    assert [600, 60, 600, 600] == pauses.taken
    assert ["sweep_waits"] == [line["event"] for line in logs]
