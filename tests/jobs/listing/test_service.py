"""Lists of videos: found by each filter, page by page, within a bound; costs and holds beside."""

import pytest

from jobs.conftest import hold, order
from trivium.jobs.listing import service
from trivium.jobs.listing.model import VideoFilter
from trivium.jobs.listing.service import VideoLists, place_of
from trivium.jobs.model import JobAccount
from trivium.observe import store as records
from trivium.observe.record import Record
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import SeenVideo, VideoStatus

pytestmark = pytest.mark.asyncio
ELSEWHERE = JobAccount(channel="b", credential="", operation=Operation.VIDEOS, model="own")


async def begun(jobs, clock, user_id, number, **changes):
    """A video that a vendor makes, a second after the one before."""
    clock.at += 1
    return await jobs.begin(
        order(user_id, number, **changes), hold(user_id, number, amount=2_400_000_000)
    )


async def found(database, before=None, limit=50, **wanted):
    page = await VideoLists(database).page(VideoFilter(**wanted), before, limit)
    return [each.request_id for each in page.videos], page


async def test_each_filter_finds_its_own(database, clock, jobs, account):
    """Alone and together; newest first."""
    ada, bob = await account(100), await account(100)
    start = int(clock.now())
    await begun(jobs, clock, ada, 1)
    await begun(jobs, clock, ada, 2, key_id=6)
    await begun(jobs, clock, bob, 3, model="n", account=ELSEWHERE)
    for wanted, ids in (
        ({}, ["r3", "r2", "r1"]),
        ({"user_id": ada}, ["r2", "r1"]),
        ({"user_id": 999}, []),
        ({"key_id": 6}, ["r2"]),
        ({"user_id": ada, "key_id": 5}, ["r1"]),
        ({"model": "n"}, ["r3"]),
        ({"channel": "b"}, ["r3"]),
        ({"status": VideoStatus.QUEUED}, ["r3", "r2", "r1"]),
        ({"status": VideoStatus.FAILED}, []),
        ({"since": start + 2}, ["r3", "r2"]),
        ({"until": start + 2}, ["r1"]),
        ({"since": start + 2, "until": start + 3}, ["r2"]),
        ({"model": "none"}, []),
    ):
        assert ids == (await found(database, **wanted))[0], wanted


async def test_pages_follow_each_other_without_a_gap(database, clock, jobs, account):
    """Also where several were asked for in one second."""
    ada = await account(100)
    for number in range(1, 6):
        await begun(jobs, clock, ada, number)
        clock.at -= number % 2
    seen, before = [], None
    while True:
        ids, page = await found(database, before, 2, user_id=ada)
        seen += ids
        before = page.before
        if before is None:
            break
    assert 5 == len(seen)
    assert {f"r{number}" for number in range(1, 6)} == set(seen)
    assert seen == (await found(database, user_id=ada))[0]


async def test_a_page_looks_at_so_many_and_says_how_far(
    database, clock, jobs, account, monkeypatch
):
    """The next one goes on from there."""
    monkeypatch.setattr(service, "SCAN", 2)
    ada = await account(100)
    for number in range(1, 6):
        await begun(jobs, clock, ada, number, key_id=7 if number == 1 else 5)
    pages, before = [], None
    for _ in range(3):
        ids, page = await found(database, before, key_id=7)
        pages.append(ids)
        before = page.before
        if before is not None:
            assert page.looked_to is not None
    assert [[], [], ["r1"]] == pages
    assert before is None


async def test_a_list_says_what_each_cost(database, clock, jobs, account):
    """What is set aside while it is made, what was booked once it is, and nothing if it failed."""
    ada = await account(100)
    going = await begun(jobs, clock, ada, 1)
    made = await begun(jobs, clock, ada, 2)
    lost = await begun(jobs, clock, ada, 3)
    for video, status in ((made, VideoStatus.COMPLETED), (lost, VideoStatus.FAILED)):
        up = f"up_{video.request_id}"
        going_on = SeenVideo(id=up, status=VideoStatus.QUEUED)
        born = await jobs.born(video, video.account, going_on)
        await jobs.see(born, SeenVideo(id=up, status=status, progress=100))
    async with database.write() as conn:
        flag = int if database.is_sqlite else bool
        record = Record(request_id="r2", at=clock.now(), operation="videos", model="m")
        await records.insert(conn, [records.row_of(record, flag)])
    _, page = await found(database)
    costs = {
        each.request_id: (each.status, each.cost_nanos, each.held_nanos, each.has_record)
        for each in page.videos
    }
    assert (VideoStatus.QUEUED, None, 2_400_000_000, False) == costs["r1"]
    assert (VideoStatus.COMPLETED, 2_400_000_000, None, True) == costs["r2"]
    assert (VideoStatus.FAILED, None, None, False) == costs["r3"]
    one = await VideoLists(database).one(going.id)
    assert ("r1", "1280x720", 8, "") == (one.request_id, one.size, one.seconds, one.error_code)
    for nobodys in ("video_" + "0" * 48, "video_1", "\0"):
        assert None is await VideoLists(database).one(nobodys)


async def test_what_is_no_place_is_the_beginning():
    """Whoever writes it by hand begins anew."""
    for typed in (
        None,
        "",
        "5",
        "x.video_" + "0" * 48,
        "5.video_1",
        "9" * 16 + ".video_" + "0" * 48,
    ):
        assert None is place_of(typed)
    assert (5, "video_" + "a" * 48) == place_of("5.video_" + "a" * 48)
