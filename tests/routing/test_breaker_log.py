"""What rests is written down for people, and taken off when it is well."""

import asyncio

import msgspec
import pytest

from trivium.clock import FixedClock
from trivium.routing import store
from trivium.routing.breaker_log import KEPT_S, BreakerLog
from trivium.routing.channel_health import NEW, Breaker, HealthKey
from trivium.routing.shared_breakers import accounts
from trivium.secret import Secret

pytestmark = pytest.mark.asyncio


@pytest.fixture
def clock():
    return FixedClock(1_000_000.0)


@pytest.fixture
def channel(bind):
    return msgspec.structs.replace(bind("a").channel, credentials=(Secret("k0"), Secret("k1")))


@pytest.fixture
def board(database, clock, channel):
    return BreakerLog(database, clock, clock.monotonic, {"a": channel}.get)


async def rows(database):
    async with database.read() as conn:
        return await store.listed(conn)


async def test_a_rest_is_noted_with_its_account_and_its_end(board, database, clock, channel):
    """Seconds since the epoch, whatever the worker's own clock counts."""
    until = clock.monotonic() + 30
    board.changed(HealthKey("a", 1, ""), Breaker(until=until, trips=1, told=True, why="upstream_x"))
    await board.write()
    (row,) = await rows(database)
    assert ("a", accounts(channel)[1], "", "upstream_x", True, 1, 1_000_030, 1_000_000) == (
        row.channel, row.account, row.model, row.fault, row.told, row.openings, row.until_at,
        row.written_at,
    )  # fmt: skip


async def test_a_longer_rest_replaces_the_note_and_a_recovery_removes_it(board, database, clock):
    """One row a breaker, however often it changes."""
    for seconds in (5, 10):
        board.changed(HealthKey("a", 0, "m"), Breaker(until=clock.monotonic() + seconds, why="x"))
        await board.write()
    assert [1_000_010] == [row.until_at for row in await rows(database)]
    board.changed(HealthKey("a", 0, "m"), NEW)
    await board.write()
    assert [] == await rows(database)


async def test_settings_read_again_clear_all_notes(board, database, clock):
    """And what is found after that is noted again."""
    board.changed(HealthKey("a", 0, "m"), Breaker(until=clock.monotonic() + 5, why="x"))
    await board.write()
    board.forgotten()
    board.changed(HealthKey("a", 1, "m"), Breaker(until=clock.monotonic() + 5, why="x"))
    await board.write()
    assert 1 == len(await rows(database))


async def test_notes_of_a_gateway_that_is_no_more_go_in_time(board, database, clock):
    """An hour after their rest."""
    board.changed(HealthKey("a", 0, "m"), Breaker(until=clock.monotonic() + 5, why="x"))
    await board.write()
    clock.advance(KEPT_S + 10)
    board.changed(HealthKey("gone", 0, "m"), Breaker(until=clock.monotonic() + 5, why="x"))
    await board.write()
    assert [] == await rows(database)


async def test_what_changes_while_it_is_written_is_written_next(board, database, clock):
    """Nothing that was told is lost."""
    key = HealthKey("a", 0, "m")
    board.changed(key, Breaker(until=clock.monotonic() + 5, why="x"))
    task = asyncio.ensure_future(board.write())
    await asyncio.sleep(0)
    board.changed(key, NEW)
    await task
    await board.write()
    assert [] == await rows(database)
