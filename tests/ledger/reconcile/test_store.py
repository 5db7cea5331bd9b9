"""Our side in SQL: what was metered over the channels asked for, page after page."""

import pytest

from ledger.reconcile.conftest import NEW_YEAR, answered, charged
from trivium.ledger.reconcile import store

ALL_TIME = (0, 10**15)


async def ids(database, channels=("main",), times=ALL_TIME, after=(-1, ""), limit=10):
    async with database.read() as conn:
        rows = await store.answers(conn, channels, *times, after, limit)
    return [row.request_id for row in rows]


@pytest.mark.asyncio
async def test_metered_answers_of_the_channels_are_found(database):
    """Not those of others, and none that failed before it was metered."""
    await answered(database, "a", fresh=1)
    await answered(database, "b", channel="other", fresh=1)
    await answered(database, "c", fresh=None)
    assert ["a"] == await ids(database)
    assert ["a", "b"] == await ids(database, ("main", "other"))


@pytest.mark.asyncio
async def test_pages_follow_each_other(database):
    """Also through answers of the same millisecond."""
    for name in "abcd":
        await answered(database, name, at=NEW_YEAR + (name == "d"))
    seen, after = [], (-1, "")
    while page := await ids(database, after=after, limit=2):
        seen += page
        after = (NEW_YEAR * 1000 + (1000 if page[-1] == "d" else 0), page[-1])
    assert ["a", "b", "c", "d"] == seen


@pytest.mark.asyncio
async def test_the_end_is_not_included(database):
    """The beginning is."""
    await answered(database, "a")
    now = NEW_YEAR * 1000
    assert [["a"], []] == [await ids(database, times=t) for t in ((now, now + 1), (now - 1, now))]


@pytest.mark.asyncio
async def test_entries_without_a_record_are_counted(database, user):
    """Records are swept after a while, entries never."""
    await user()
    await answered(database, "a")
    await charged(database, "a", 5)
    await charged(database, "b", 5)
    await charged(database, "c", 5, at=NEW_YEAR + 100)
    async with database.read() as conn:
        found = [await store.unrecorded(conn, NEW_YEAR, NEW_YEAR + n) for n in (0, 1, 101)]
    assert [0, 1, 2] == found
