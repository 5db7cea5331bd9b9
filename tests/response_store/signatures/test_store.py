"""Traces in SQL, on both engines."""

import pytest

from storage.rescans import row_by_row
from trivium.response_store.signatures import store


async def fill(database, *rows):
    async with database.write() as conn:
        await store.insert(conn, rows)


async def found(database, user_id, *ids, since=0):
    async with database.read() as conn:
        return await store.find(conn, user_id, ids, since)


@pytest.mark.asyncio
async def test_a_trace_is_found_by_its_owner_alone(database):
    """Another user's id leads nowhere, be it the same."""
    await fill(database, (1, "a", 10, b"one"), (2, "a", 10, b"two"))
    assert [{"a": b"one"}, {"a": b"two"}, {}] == [
        await found(database, user, "a", "b") for user in (1, 2, 3)
    ]


@pytest.mark.asyncio
async def test_a_trace_never_changes(database):
    """A repeated write, also of other bytes, leaves the first in place."""
    await fill(database, (1, "a", 10, b"one"))
    await fill(database, (1, "a", 20, b"two"), (1, "b", 20, b"more"))
    assert {"a": b"one", "b": b"more"} == await found(database, 1, "a", "b")


@pytest.mark.asyncio
async def test_old_traces_are_not_found(database):
    """Whether they are already swept or not."""
    await fill(database, (1, "a", 10, b"old"), (1, "b", 11, b"new"))
    assert {"b": b"new"} == await found(database, 1, "a", "b", since=11)


@pytest.mark.asyncio
async def test_any_number_of_ids_can_be_asked_for(database):
    """More than one query takes."""
    ids = [f"i{number}" for number in range(store.IDS_MAX + 1)]
    await fill(database, *((1, id_, 10, b"x") for id_ in ids))
    assert {*ids} == {*await found(database, 1, *ids)}


@pytest.mark.asyncio
async def test_the_oldest_are_deleted_first_and_no_more_than_the_limit(database):
    """So that a sweep is a row of short transactions."""
    await fill(database, *((1, f"i{at}", at, b"x") for at in (13, 11, 12, 20)))
    counts = []
    for _ in range(2):
        async with database.write() as conn:
            await row_by_row(conn)
            counts.append(await store.delete_before(conn, 20, 2))
    assert ([2, 1], {"i20": b"x"}) == (
        counts,
        await found(database, 1, "i11", "i12", "i13", "i20"),
    )
