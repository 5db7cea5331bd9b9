"""The database itself keeps acts as they are."""

import time

import pytest
from sqlalchemy import text

from storage.rescans import row_by_row
from trivium.observe.audit import store
from trivium.observe.audit.model import Act, ActKind
from trivium.storage.errors import StorageError

DAY_MS = 86_400_000


def act(at_ms, what=""):
    return Act(
        id=0, at_ms=at_ms, actor_id=None, subject_id=1, kind=ActKind.LOGIN.value,
        what=what, address="", agent="", detail="",
    )  # fmt: skip


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE acts SET what = 'nothing'",
        "UPDATE acts SET address = '' WHERE id = 1",
        "DELETE FROM acts",
        "DELETE FROM acts WHERE id = 1",
    ],
)
@pytest.mark.asyncio
async def test_nobody_changes_or_removes_a_young_act(database, statement):
    """Not the gateway and not whoever has only its connection."""
    now_ms = int(time.time() * 1000)
    async with database.write() as conn:
        await store.insert(conn, act(now_ms, "kept"))
    with pytest.raises(StorageError, match="append-only"):
        async with database.write() as conn:
            await conn.execute(text(statement))
    async with database.read() as conn:
        assert ["kept"] == [a.what for a in await store.newest(conn, None, 10, None, None)]


@pytest.mark.asyncio
async def test_an_old_act_may_go_but_not_change(database):
    """Beyond the shortest retention the sweeper must be able to delete."""
    now_ms = int(time.time() * 1000)
    async with database.write() as conn:
        await store.insert(conn, act(now_ms - 31 * DAY_MS, "old"))
        await store.insert(conn, act(now_ms - 29 * DAY_MS, "young"))
    with pytest.raises(StorageError, match="append-only"):
        async with database.write() as conn:
            await conn.execute(text("UPDATE acts SET what = '' WHERE what = 'old'"))
    async with database.write() as conn:
        assert 1 == await store.delete_before(conn, now_ms - 30 * DAY_MS, 10)
    with pytest.raises(StorageError, match="append-only"):
        async with database.write() as conn:
            await store.delete_before(conn, now_ms, 10)


@pytest.mark.asyncio
async def test_no_more_are_deleted_than_asked(database):
    """The oldest first."""
    now_ms = int(time.time() * 1000)
    async with database.write() as conn:
        for days in (33, 31, 32):
            await store.insert(conn, act(now_ms - days * DAY_MS, f"{days} days"))
    async with database.write() as conn:
        await row_by_row(conn)
        assert 2 == await store.delete_before(conn, now_ms - 30 * DAY_MS, 2)
    async with database.read() as conn:
        assert ["31 days"] == [a.what for a in await store.newest(conn, None, 10, None, None)]


@pytest.mark.asyncio
async def test_a_kind_of_a_newer_version_can_still_be_listed(database):
    """Two versions share a database during an upgrade."""
    async with database.write() as conn:
        row = act(5)
        await store.insert(
            conn,
            Act(**{**{n: getattr(row, n) for n in row.__struct_fields__}, "kind": "teleported"}),
        )
    async with database.read() as conn:
        assert ["teleported"] == [a.kind for a in await store.of_user(conn, 1, None, 5)]
