"""The statements below the jobs."""

import asyncio

import msgspec
import pytest

from jobs.conftest import ACCOUNT
from trivium.jobs import store
from trivium.jobs.model import CLAIM_S, ArchiveState, Job
from trivium.storage.schema.requests import jobs
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.resource import VideoError


def job(number=1, **changes):
    values = {
        "id": f"video_{number}", "user_id": 3, "key_id": 1, "request_id": f"r{number}",
        "model": "m", "account": ACCOUNT, "upstream_id": "up", "size": "720x1280", "seconds": 4,
        "prompt": "x", "created_at": 100, "looked_at": 100, "look_at": 105,
    }  # fmt: skip
    return Job(**{**values, **changes})


async def stored(database, *made):
    async with database.write() as conn:
        for each in made:
            await store.insert(
                conn, msgspec.structs.replace(each, status=VideoStatus.QUEUED), b"sealed"
            )
            await store.change(conn, each)


@pytest.mark.asyncio
async def test_a_job_reads_back_as_it_was_written(database):
    """Every field of it."""
    made = job(
        status=VideoStatus.FAILED, progress=7, error=VideoError(code="c", message="why"),
        remixed_from="video_0", completed_at=5, expires_at=6, kept=ArchiveState.WANTED, file="files/1",
    )  # fmt: skip
    await stored(database, made)
    async with database.read() as conn:
        row = await store.find(conn, 3, "video_1")
        assert None is await store.find(conn, 4, "video_1")
    assert (made, b"sealed") == (store.job_of(row, "x"), row.prompt)


@pytest.mark.asyncio
async def test_what_has_ended_does_not_change(database):
    """Whoever comes later is told."""
    await stored(database, job(status=VideoStatus.COMPLETED))
    async with database.write() as conn:
        assert not await store.change(conn, job(status=VideoStatus.FAILED))
        assert not await store.change(conn, job(9))


@pytest.mark.asyncio
async def test_two_who_claim_at_once_share_what_is_due(database):
    """Nothing twice, nothing left; what is not due is nobody's."""
    await stored(
        database, *(job(number) for number in range(6)), job(7, look_at=999), job(8, look_at=None)
    )

    async def claim():
        async with database.write() as conn:
            return [row.id for row in await store.claim(conn, 105, 3)]

    found = await asyncio.gather(claim(), claim())
    first = sorted(id_ for ids in found for id_ in ids)
    rest = await claim()
    assert [f"video_{number}" for number in range(6)] == sorted([*first, *rest])
    async with database.write() as conn:
        assert [] == list(await store.claim(conn, 105 + CLAIM_S - 1, 9))
        await store.extend(conn, ["video_0"], 150)
        again = await store.claim(conn, 105 + CLAIM_S, 9)
        assert 5 == len(again)
        assert "video_0" not in {row.id for row in again}


@pytest.mark.asyncio
async def test_one_is_claimed_if_nobody_has_it_and_it_was_not_just_seen(database):
    """And if there is anything to be seen."""
    await stored(database, job(1), job(2, status=VideoStatus.COMPLETED), job(3, upstream_id=None))
    async with database.write() as conn:
        assert not await store.claim_one(conn, "video_1", 101, 99)
        assert await store.claim_one(conn, "video_1", 101, 100)
        assert not await store.claim_one(conn, "video_1", 101, 100)
        assert not await store.claim_one(conn, "video_2", 101, 100)
        assert not await store.claim_one(conn, "video_3", 101, 100)
        await store.put_off(conn, "video_1", 200, 101)
        assert await store.claim_one(conn, "video_1", 102, 101)


@pytest.mark.asyncio
async def test_a_page_begins_behind_its_place(database):
    """Jobs of one second by their ids."""
    await stored(database, job(1), job(2), job(3, created_at=101), job(4, user_id=4))
    async with database.read() as conn:
        rows = await store.page(conn, 3, (100, "video_1"), 9, newest_first=False)
        assert ["video_2", "video_3"] == [row.id for row in rows]
        rows = await store.page(conn, 3, (101, "video_3"), 1, newest_first=True)
        assert ["video_2"] == [row.id for row in rows]


@pytest.mark.asyncio
async def test_what_is_kept_is_noted_until_the_job_is_gone(database):
    """And not afterwards."""
    await stored(database, job(status=VideoStatus.COMPLETED, kept=ArchiveState.WANTED))
    async with database.write() as conn:
        assert await store.keep(conn, "video_1", ArchiveState.YES, {"video": "x"}, 9)
        row = (await conn.execute(jobs.select())).one()
        assert ("yes", {"video": "x"}, 9, None) == (
            row.kept, msgspec.json.decode(row.assets), row.expires_at, row.look_at,
        )  # fmt: skip
        assert {"video": "x"} == await store.forget(conn, "video_1")
        assert await store.forget(conn, "video_1") is None
        assert not await store.keep(conn, "video_1", ArchiveState.YES, {}, 9)
