"""Rows of sums become longer ones in time, within budgets."""

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from observe.traffic.summing import keys_of_records, keys_of_sums, of_records, of_sums, record
from trivium.observe.recorder import Recorder
from trivium.observe.traffic import sweep
from trivium.observe.traffic.sweep import TrafficFolder
from trivium.settings.model import RecordsSettings

pytestmark = pytest.mark.asyncio
DAY = 86_400


async def never(_):
    """No pause."""


async def spans(database, table, clock):
    """The age in whole days of the oldest and the youngest row of each span."""
    query = f"SELECT span_s, MIN(began_at), MAX(began_at) FROM {table} GROUP BY 1 ORDER BY 1"
    async with database.read() as conn:
        return {
            row[0]: (int(clock.now() - row[1]) // 3_600, int(clock.now() - row[2]) // 3_600)
            for row in await conn.execute(text(query))
        }


async def test_rows_grow_with_their_age(database, clock):
    """Five minutes for a day, hours for nine; of keys for two hours and two days, and days from the
    beginning. Sums stay."""
    recorder = Recorder(database, RecordsSettings())
    for number in range(600):
        recorder.add(record(number, clock.now() - number * 2_400))
    assert await recorder.flush()
    with capture_logs() as logs:
        assert await TrafficFolder(database, clock, never).round()
    assert ["folded"] == [line["event"] for line in logs]
    found = await spans(database, "traffic", clock)
    assert found[300][0] <= 27
    assert 26 <= found[3_600][1] <= found[3_600][0] <= 10 * 24
    assert 9 * 24 <= found[DAY][1]
    found = await spans(database, "traffic_keys", clock)
    assert found[300][0] <= 3
    assert 2 <= found[3_600][1] <= found[3_600][0] <= 3 * 24
    assert 2 <= found[DAY][1]
    assert await of_records(database, DAY) == await of_sums(database, DAY)
    assert await keys_of_records(database, DAY) == await keys_of_sums(database, DAY)
    with capture_logs() as logs:
        assert await TrafficFolder(database, clock, never).round()
    assert [] == logs


async def test_a_round_has_a_budget(database, clock, monkeypatch):
    """It ends, says so, and the next one goes on."""
    recorder = Recorder(database, RecordsSettings())
    for number in range(40):
        recorder.add(record(number, clock.now() - 20 * DAY - number * 300))
    assert await recorder.flush()
    monkeypatch.setattr(sweep, "BATCH", 5)
    monkeypatch.setattr(sweep, "ROWS_MAX", 10)
    folder, rounds = TrafficFolder(database, clock, never), 1
    while not await folder.round():
        rounds += 1
    assert rounds > 5
    assert {DAY} == set(await spans(database, "traffic", clock))
    assert await of_records(database, DAY) == await of_sums(database, DAY)
