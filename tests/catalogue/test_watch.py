"""What is changed anywhere is taken up here, also after the database was away."""

import asyncio

import pytest
from structlog.testing import capture_logs

from catalogue.sealed import SEAL, put
from trivium.catalogue.snapshot import CatalogueSnapshot
from trivium.catalogue.watch import CatalogueWatch
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio


class Watched:
    """A watch, and what it took."""

    def __init__(self, db):
        self.snapshot = CatalogueSnapshot(db, SEAL)
        self.taken = []
        self.watch = CatalogueWatch(self.snapshot, self.take)

    async def take(self, entries):
        self.taken.append([each.name for each in entries])
        return True


async def test_each_change_is_taken_once(sqlite_database):
    """By whoever finds it first: the poll, or whoever made it and waits."""
    mine = Watched(sqlite_database)
    await mine.watch.look()
    assert [] == mine.taken
    await put(sqlite_database, {("group", "a"): "1"})
    await asyncio.gather(mine.watch.look(), mine.watch.in_force())
    await put(sqlite_database, {("group", "b"): "1"})
    # whoever changes something reads first, with the same snapshot
    await mine.snapshot.refresh()
    await mine.watch.in_force()
    await mine.watch.look()
    assert [["a"], ["a", "b"]] == mine.taken
    await mine.watch.close()


async def test_the_start_has_taken_what_was_there(sqlite_database):
    """It is not taken again."""
    mine = Watched(sqlite_database)
    await put(sqlite_database, {("group", "a"): "1"})
    await mine.snapshot.refresh()
    mine.watch.begin()
    await mine.watch.look()
    assert [] == mine.taken


async def test_a_database_that_is_away_is_told_once_and_looked_at_again(sqlite_database):
    """What was known stays in force meanwhile; nobody who waits hears of it."""
    mine = Watched(sqlite_database)
    turns = iter([True, True, False, False])
    refresh = mine.snapshot.refresh

    async def refreshed():
        if next(turns):
            raise StorageDown("it is away")
        return await refresh()

    mine.snapshot.refresh = refreshed
    await put(sqlite_database, {("group", "a"): "1"})
    slept = []

    async def sleep(seconds):
        slept.append(seconds)
        if len(slept) > 4:
            raise asyncio.CancelledError

    with capture_logs() as logs, pytest.raises(asyncio.CancelledError):
        await mine.watch.run(0.5, sleep)
    assert ["catalogue_stale", "catalogue_current_again"] == [line["event"] for line in logs]
    assert ([["a"]], 0.5) == (mine.taken, slept[0])
    mine.snapshot.refresh = None
    await mine.watch.in_force()
