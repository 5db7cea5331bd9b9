"""Jobs come to their end whether anybody asks about them or not."""

import asyncio

import pytest
from sqlalchemy import text

from trivium.jobs.model import BIRTH_S, CLAIM_S
from trivium.jobs.poll import LOST_S, SWEEP_S, Poller
from trivium.settings.section import JobsSettings as Limits
from trivium.storage.errors import StorageDown
from video_gateway import DOLLAR, SECOND, House
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"
COST = 4 * SECOND["720x1280"]


async def row(house, video, who="ada"):
    return await house.video_services.jobs.find(house.people[who][1].user_id, video["id"])


@pytest.mark.asyncio
@pytest.mark.parametrize(("end", "booked"), [("completed", [COST]), ("failed", [])])
async def test_a_job_nobody_asks_about_ends_all_the_same(database, end, booked):
    """And its money with it, on each database."""
    async with Films() as vendor, House.on(database, ("a", "openai", vendor, [KEY])) as house:
        video = await house.made()
        await house.poll()
        assert (10 * DOLLAR, COST, []) == await house.money()
        vendor.finish() if end == "completed" else vendor.fail("up_1")
        await house.poll()
        assert end == (await row(house, video)).status.value
        assert (10 * DOLLAR - sum(booked), 0, booked) == await house.money()
        before = len(vendor.seen)
        for _ in range(5):
            await house.poll(100)
        assert before == len(vendor.seen)


@pytest.mark.asyncio
async def test_several_nodes_look_once(database):
    """Each look is one node's; the end is one entry."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(database, channel) as one, House.on(database, channel) as other:
            videos = [await one.made() for _ in range(5)]
            for house in (one, other):
                house.clock.at = 1_790_000_006.0
            await asyncio.gather(one.poller.round(), other.poller.round())
            await asyncio.gather(one.poller.settled(), other.poller.settled())
            assert len(videos) == vendor.count("GET")
            vendor.finish()
            for house in (one, other):
                house.clock.at += 30
            await asyncio.gather(one.poller.round(), other.poller.round())
            await asyncio.gather(one.poller.settled(), other.poller.settled())
            assert 2 * len(videos) == vendor.count("GET")
            assert [COST] * 5 == (await one.money())[2]


@pytest.mark.asyncio
async def test_a_node_that_died_is_followed_by_another(sqlite_database):
    """When its claim is over."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(sqlite_database, channel) as one:
            video = await one.made()
            vendor.hang.add("GET")
            one.clock.advance(6)
            await one.poller.round()
            await asyncio.sleep(0.05)
            vendor.hang.clear()
            vendor.finish()
            async with House.on(sqlite_database, channel, clock=one.clock) as other:
                await other.poll(CLAIM_S - 1)
                assert "queued" == (await row(other, video)).status.value
                await other.poll(1)
                assert "completed" == (await row(other, video)).status.value


@pytest.mark.asyncio
async def test_a_look_that_takes_long_keeps_its_claim(sqlite_database):
    """A heartbeat says so."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(sqlite_database, channel) as one:
            await one.made()
            vendor.hang.add("GET")
            one.clock.advance(6)
            await one.poller.round()
            for _ in range(3):
                one.clock.advance(CLAIM_S - 1)
                await one.poller.round()
            assert [] == await one.video_services.jobs.due(5)


@pytest.mark.asyncio
async def test_a_vendor_that_is_away_is_asked_again(sqlite_database):
    """After an outage, a wrong key, a broken answer: the video is still there."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as house,
    ):
        video = await house.made()
        for status in (503, 401, 200):
            vendor.refuse["GET"] = status
            await house.poll(100)
            assert "queued" == (await row(house, video)).status.value
        vendor.refuse.clear()
        vendor.finish()
        await house.poll(100)
        assert "completed" == (await row(house, video)).status.value


@pytest.mark.asyncio
@pytest.mark.parametrize("why", ["slow", "away", "account"])
async def test_a_job_that_is_too_old_has_failed_and_costs_nothing(sqlite_database, why):
    """Whatever its upstream says, or does not say."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        limits = Limits(age_max_s=500.0)
        async with House.on(sqlite_database, channel, limits=limits) as house:
            video = await house.made()
            if why == "away":
                vendor.refuse["GET"] = 503
            if why == "account":
                house.services.router.catalogue.channels.clear()
            await house.poll(400)
            assert "queued" == (await row(house, video)).status.value
            await house.poll(100)
            job = await row(house, video)
            assert ("failed", "timed_out") == (job.status.value, job.error.code)
            assert (10 * DOLLAR, 0, []) == await house.money()
            # what ends too late changes nothing
            vendor.refuse.clear()
            vendor.finish()
            await house.poll(100)
            assert "failed" == (await row(house, video)).status.value


@pytest.mark.asyncio
async def test_a_video_that_its_vendor_lost_has_failed(sqlite_database):
    """Not at once: its servers may not have told each other yet."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as house,
    ):
        video = await house.made()
        vendor.jobs.clear()
        await house.poll(10)
        assert "queued" == (await row(house, video)).status.value
        await house.poll(LOST_S)
        job = await row(house, video)
        assert ("failed", "lost") == (job.status.value, job.error.code)
        assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_no_more_are_looked_after_at_once_than_the_operator_says(sqlite_database):
    """The rest waits for room."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(sqlite_database, channel, limits=Limits(at_once=2)) as house:
            for _ in range(3):
                await house.made()
            await house.poll()
            assert 2 == vendor.count("GET")
            await house.poll(0)
            assert 3 == vendor.count("GET")


@pytest.mark.asyncio
async def test_the_poller_sweeps_now_and_then(sqlite_database):
    """Not in every round."""
    async with Films() as vendor:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(sqlite_database, channel, limits=Limits(retention_days=1)) as house:
            video = await house.done(vendor)
            await house.poll()
            await house.poll(86_500)
            assert None is await row(house, video)


@pytest.mark.asyncio
async def test_a_database_that_is_away_stops_nobody(sqlite_database, monkeypatch):
    """The poller goes on when it is back."""
    rounds = []

    async def sleep(seconds):
        rounds.append(seconds)
        if len(rounds) > 3:
            raise asyncio.CancelledError

    async with (
        Films() as vendor,
        House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as house,
    ):
        poller = Poller(house.video_services.jobs, house.video_services.video_client, sleep=sleep)
        due = house.video_services.jobs.due

        async def away(limit):
            if len(rounds) == 1:
                raise StorageDown("away")
            return await due(limit)

        monkeypatch.setattr(house.video_services.jobs, "due", away)
        with pytest.raises(asyncio.CancelledError):
            await poller.run()
        assert 4 == len(rounds)


@pytest.mark.asyncio
async def test_a_clock_that_jumps_ahead_gives_up_no_video(sqlite_database, monkeypatch):
    """By the time without the jump it is young, whatever its vendor says meanwhile."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as house,
    ):
        video = await house.made()
        right = house.clock.now
        with monkeypatch.context() as patch:
            patch.setattr(house.clock, "now", lambda: right() + 2 * 86_400)
            await house.poll(10)
            kept, vendor.jobs = vendor.jobs, {}
            await house.poll(70)
            assert "queued" == (await row(house, video)).status.value
            vendor.jobs = kept
        vendor.finish()
        await house.poll(0)
        assert "queued" == (await row(house, video)).status.value  # looked at two days from now
        await house.poll(SWEEP_S)
        await house.poll(10)
        assert "completed" == (await row(house, video)).status.value


@pytest.mark.asyncio
async def test_a_clock_that_jumps_ahead_loses_no_video_that_is_just_asked_for(
    sqlite_database, monkeypatch
):
    """It has no upstream's id yet, and looks like one whose worker was killed."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as house,
    ):
        video = await house.made()
        asked = (
            "UPDATE jobs SET upstream_id = NULL, look_at = created_at + :birth, claimed_until = 0"
        )
        async with sqlite_database.write() as conn:
            await conn.execute(text(asked), {"birth": BIRTH_S})
        right = house.clock.now
        with monkeypatch.context() as patch:
            patch.setattr(house.clock, "now", lambda: right() + 2 * 86_400)
            await house.poll(0)
            assert "queued" == (await row(house, video)).status.value
        await house.poll(SWEEP_S)
        await house.poll(BIRTH_S)
        assert "failed" == (await row(house, video)).status.value
