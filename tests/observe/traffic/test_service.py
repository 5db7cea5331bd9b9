"""What is made of the sums for an operator."""

import pytest

from observe.traffic.test_store import NOON, recorded
from trivium.identity.service import Identity
from trivium.observe.record import Record
from trivium.observe.traffic.model import TrafficSums
from trivium.observe.traffic.service import (
    CallerTraffic,
    FailureCause,
    Traffic,
    TrafficPeriod,
    together,
)

pytestmark = pytest.mark.asyncio
HOUR = TrafficPeriod(since=NOON, until=NOON + 3_600, step_s=300)


def record(number, **more):
    given = {"at": NOON + 60.0 * number, "model": "m", "channel": "one", "status": 200}
    return Record(f"r{number}", **{**given, "user_id": 1, "key_id": 1, **more})


async def test_all_requests_of_a_period(database):
    """By steps, and why some failed, through which channels; those that left are told apart."""
    broke = {"status": 502, "fault": "upstream_broke"}
    await recorded(
        database,
        *(record(n, first_byte_ms=50.0) for n in range(6)),
        record(6, **broke, channel="two"),
        record(7, **broke),
        record(8, **broke, channel="two"),
        record(9, status=429, fault="rate_limited", channel=""),
        record(10, status=499, fault="caller_left"),
        record(11, status=418),
    )
    found = await Traffic(database).overview(HOUR)
    assert [NOON, NOON + 300, NOON + 600] == sorted(found.steps)
    assert (12, 5) == (found.total.requests, found.total.failed)
    assert (
        FailureCause(fault="upstream_broke", requests=3, channels=("two", "one")),
        FailureCause(fault="", requests=1, channels=("one",)),
        FailureCause(fault="caller_left", requests=1, channels=("one",)),
        FailureCause(fault="rate_limited", requests=1, channels=()),
    ) == found.causes
    two = await Traffic(database).overview(HOUR, "two")
    assert (2, 2, 1) == (two.total.requests, two.total.failed, len(two.causes))
    assert {"m"} == set(await Traffic(database).by_model(HOUR))
    assert {"", "one", "two"} == set(await Traffic(database).by_channel(HOUR))


async def test_a_period_without_requests(database):
    """Has sums of nothing."""
    found = await Traffic(database).overview(HOUR)
    assert ({}, TrafficSums(), ()) == (found.steps, found.total, found.causes)


async def test_who_asked_for_most(database, clock):
    """Keys, users and the teams of keys; a few of many."""
    identity = Identity(database, clock)
    ada = await identity.create_user("ada", "ada@example.com")
    own, shared = [(await identity.create_key("ada", name))[0].id for name in ("own", "shared")]
    async with database.write() as conn:
        await conn.exec_driver_sql(f"UPDATE keys SET team_id = 77 WHERE id = {shared}")
    await recorded(
        database,
        *(record(n, user_id=ada.id, key_id=own) for n in range(3)),
        *(record(3 + n, user_id=ada.id, key_id=shared) for n in range(2)),
        record(5, user_id=999, key_id=999, status=500, fault="internal"),
        record(6, user_id=None, key_id=None, status=401, fault="key_unknown"),
    )
    traffic = Traffic(database)
    assert [own, shared] == [each.id for each in await traffic.by_key(HOUR, 2)]
    assert {ada.id: (5, 0.0), 999: (1, 1.0), 0: (1, 1.0)} == {
        each.id: (each.requests, each.error_rate) for each in await traffic.by_user(HOUR, 9)
    }
    assert [
        CallerTraffic(id=0, requests=5, failed=2),
        CallerTraffic(id=77, requests=2, failed=0),
    ] == await traffic.by_team(HOUR, 9)
    assert {own: "own"} == await traffic.names("keys", [own, 999])
    assert {ada.id: "ada"} == await traffic.names("users", [ada.id])
    assert 0.0 == CallerTraffic(id=1, requests=0, failed=0).error_rate


async def test_steps_begin_at_whole_ones():
    """Also those of a period that begins amid one."""
    assert [0, 300] == list(TrafficPeriod(since=100, until=600, step_s=300).starts())
    whole = TrafficSums(2, 1, (1, 1), (0, 2))
    assert TrafficSums(4, 2, (2, 2), (0, 4)) == together([whole, whole])
