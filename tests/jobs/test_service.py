"""A job and its money begin together and end together, once."""

import asyncio

import msgspec
import pytest

from jobs.conftest import ACCOUNT, DOLLAR, hold, order
from trivium.faults import Fault, Kind
from trivium.jobs.model import BIRTH_S, CLAIM_S, ArchiveState
from trivium.jobs.service import strays
from trivium.ledger.verify import detail_of
from trivium.storage.schema.requests import jobs as table
from trivium.wire.videos.answer import SeenVideo, VideoStatus

QUEUED = SeenVideo(id="up_1", status=VideoStatus.QUEUED)
WORKING = SeenVideo(id="up_1", status=VideoStatus.IN_PROGRESS, progress=40)
DONE = SeenVideo(id="up_1", status=VideoStatus.COMPLETED, progress=100, expires_at=77)
FAILED = SeenVideo(
    id="up_1", status=VideoStatus.FAILED, error_code="moderation", error_message="no"
)
PRICE = 2_400_000_000


async def begun(jobs, user_id, number=1, **changes):
    job = await jobs.begin(order(user_id, number, **changes), hold(user_id, number))
    return await jobs.born(job, ACCOUNT, QUEUED)


@pytest.mark.asyncio
async def test_a_job_is_what_was_asked_for(jobs, account, clock, database):
    """With an id nobody guesses, and a prompt that nobody else reads in the table."""
    ada = await account()
    job = await begun(jobs, ada, remixed_from="video_0")
    found = await jobs.find(ada, job.id)
    assert job == found
    assert ("video_", 54) == (job.id[:6], len(job.id))
    assert ("up_1", VideoStatus.QUEUED, "a cät", "video_0") == (
        found.upstream_id,
        found.status,
        found.prompt,
        found.remixed_from,
    )
    assert int(clock.now()) == found.created_at
    async with database.read() as conn:
        row = (await conn.execute(table.select())).one()
    assert "a cät".encode() not in row.prompt
    shown = found.resource
    assert (job.id, "m", "8", "a cät", None) == (
        shown.id,
        shown.model,
        shown.seconds,
        shown.prompt,
        shown.error,
    )


@pytest.mark.asyncio
async def test_money_is_held_until_the_end(jobs, account, books):
    """Paid when it is made, with the job's id in the entry."""
    ada = await account()
    job = await begun(jobs, ada)
    assert (10 * DOLLAR, PRICE, []) == await books(ada)
    job = await jobs.see(job, WORKING)
    assert (10 * DOLLAR, PRICE, []) == await books(ada)
    job = await jobs.see(job, DONE)
    balance, leased, (entry,) = await books(ada)
    assert (10 * DOLLAR - PRICE, 0) == (balance, leased)
    assert (-PRICE, "r1", job.id) == (entry.amount_nanos, entry.request_id, entry.note)
    assert (8.0, "1280x720") == (
        detail_of(entry).usage.seconds,
        detail_of(entry).usage.video_size,
    )
    assert (100, 77, None) == (job.progress, job.expires_at, job.look_at)


@pytest.mark.asyncio
async def test_a_failed_video_costs_nothing(jobs, account, books):
    """And says why."""
    ada = await account()
    job = await jobs.see(await begun(jobs, ada), FAILED)
    assert (10 * DOLLAR, 0, []) == await books(ada)
    assert ("moderation", "no") == (job.error.code, job.error.message)
    assert (None, None) == (job.completed_at, job.expires_at)


@pytest.mark.asyncio
async def test_an_end_is_seen_once_however_often_it_is_told(make_jobs, account, books):
    """By two nodes at once, after another end, again after a restart."""
    ada = await account()
    nodes = [make_jobs(), make_jobs()]
    job = await begun(nodes[0], ada)
    await asyncio.gather(*(node.see(job, DONE) for node in nodes for _ in range(3)))
    late = await make_jobs().see(job, FAILED)
    assert VideoStatus.COMPLETED is late.status
    balance, leased, entries = await books(ada)
    assert (10 * DOLLAR - PRICE, 0, 1) == (balance, leased, len(entries))


@pytest.mark.asyncio
async def test_what_no_upstream_took_leaves_nothing(jobs, account, books):
    """No row, no hold; a second time changes nothing."""
    ada = await account()
    job = await jobs.begin(order(ada), hold(ada))
    for _ in range(2):
        await jobs.stillborn(job)
    assert (10 * DOLLAR, 0, []) == await books(ada)
    assert None is await jobs.find(ada, job.id)


@pytest.mark.asyncio
async def test_a_request_that_is_made_again_finds_the_job_it_made(jobs, account, books):
    """Its worker was killed on the way to its caller: it is made once, and held for once."""
    ada, bob = await account(), await account()
    job = await begun(jobs, ada)
    assert job == await jobs.begin(order(ada), hold(ada))
    assert (10 * DOLLAR, PRICE, []) == await books(ada)
    await jobs.see(job, DONE)
    again = await jobs.begin(order(ada), hold(ada))
    assert (job.id, VideoStatus.COMPLETED) == (again.id, again.status)
    balance, leased, entries = await books(ada)
    assert (10 * DOLLAR - PRICE, 0, 1) == (balance, leased, len(entries))
    assert job.id != (await jobs.begin(order(bob, 2), hold(bob, 2))).id


@pytest.mark.parametrize("interrupted", ["free", "hold"])
@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.asyncio
async def test_a_job_that_nobody_took_gives_way_to_its_request_made_again(
    make_jobs, account, books, interrupted, is_lost
):
    """Killed while it asked; together they are billed once, whatever an interruption costs."""
    jobs, ada = make_jobs(interrupted=interrupted), await account()
    job = await jobs.begin(order(ada), hold(ada))
    if is_lost:
        await jobs.lose(job)
    again = await jobs.begin(order(ada), hold(ada))
    assert (True, None) == (job.id != again.id, await jobs.find(ada, job.id))
    late = await jobs.born(job, ACCOUNT, QUEUED)  # it was only silent
    assert (job.id, None) == (late.id, await jobs.find(ada, job.id))
    await jobs.see(await jobs.born(again, ACCOUNT, QUEUED), DONE)
    balance, leased, entries = await books(ada)
    assert (10 * DOLLAR - PRICE, 0, 1) == (balance, leased, len(entries))


@pytest.mark.asyncio
async def test_an_account_that_cannot_pay_is_refused(jobs, account, books, spare):
    """After its worker was asked for what it leased ahead; no row is left."""
    ada = await account(2)
    with pytest.raises(Fault) as caught:
        await jobs.begin(order(ada), hold(ada))
    assert Kind.BALANCE_TOO_LOW is caught.value.kind
    assert [(ada, hold(ada).amount_nanos)] == spare.asked
    assert (2 * DOLLAR, 0, []) == await books(ada)
    assert ([], False) == await jobs.page(ada, None, 10, newest_first=True)


@pytest.mark.asyncio
async def test_what_a_worker_leased_ahead_may_be_all_that_is_missing(
    jobs, account, database, spare
):
    """It is given back, and the job begins."""
    from trivium.ledger.model import LeaseRequest
    from trivium.ledger.store import give_back, turn

    ada = await account(3)
    async with database.write() as conn:
        await turn(conn, "w", [], {ada: LeaseRequest(0, DOLLAR, 0)})

    async def give():
        async with database.write() as conn:
            await give_back(conn, "w")

    spare.gives = give
    assert None is not await jobs.begin(order(ada), hold(ada))


@pytest.mark.asyncio
async def test_jobs_at_once_never_exceed_the_balance(make_jobs, account, books):
    """Ten of 2.40 on a balance of ten, from two nodes."""
    ada = await account(10)
    nodes = [make_jobs(), make_jobs()]

    async def one(number):
        try:
            await nodes[number % 2].begin(order(ada, number), hold(ada, number))
        except Fault:
            return 0
        return 1

    assert 4 == sum(await asyncio.gather(*(one(number) for number in range(10))))
    assert (10 * DOLLAR, 4 * PRICE, []) == await books(ada)


@pytest.mark.asyncio
async def test_an_unlimited_account_owes(jobs, account, books):
    """Nothing is set aside; the entry is booked all the same."""
    ada = await account(1)
    job = await jobs.begin(order(ada), hold(ada, limited=False))
    assert (DOLLAR, 0, []) == await books(ada)
    await jobs.see(await jobs.born(job, ACCOUNT, QUEUED), DONE)
    balance, leased, entries = await books(ada)
    assert (DOLLAR - PRICE, 0, 1) == (balance, leased, len(entries))


@pytest.mark.asyncio
async def test_a_free_video_is_not_booked(jobs, account, books):
    """It has no hold at all."""
    ada = await account(1)
    job = await jobs.begin(order(ada), None)
    job = await jobs.see(await jobs.born(job, ACCOUNT, QUEUED), DONE)
    assert VideoStatus.COMPLETED is job.status
    assert (DOLLAR, 0, []) == await books(ada)


@pytest.mark.asyncio
@pytest.mark.parametrize(("policy", "cost"), [("free", 0), ("input", 0), ("hold", PRICE)])
async def test_a_job_whose_worker_died_while_asking_ends_by_the_written_policy(
    make_jobs, account, books, clock, policy, cost
):
    """It is found when nobody can be asking any more."""
    ada = await account()
    await make_jobs().begin(order(ada), hold(ada))
    node = make_jobs(interrupted=policy)
    clock.advance(BIRTH_S - 1)
    assert [] == await node.due(10)
    clock.advance(1)
    (job,) = await node.due(10)
    job = await node.lose(job)
    assert (VideoStatus.FAILED, "interrupted") == (job.status, job.error.code)
    balance, leased, entries = await books(ada)
    assert (10 * DOLLAR - cost, 0) == (balance, leased)
    assert ["interrupted"] * bool(cost) == [detail_of(entry).end for entry in entries]


@pytest.mark.asyncio
async def test_a_job_is_found_by_its_owner_alone(jobs, account):
    """Another's id is as unknown as a made-up one."""
    ada, bob = await account(), await account()
    job = await begun(jobs, ada)
    assert None is await jobs.find(bob, job.id)
    assert None is await jobs.find(ada, "video_1")
    assert None is await jobs.page(bob, job.id, 5, newest_first=True)


@pytest.mark.asyncio
async def test_jobs_are_listed_page_by_page(jobs, account, clock):
    """Either way round; those of one second are told apart by their ids."""
    ada = await account(100)
    made = []
    for number in range(5):
        clock.advance(number % 2)
        made.append(await begun(jobs, ada, number))
    made.sort(key=lambda job: (job.created_at, job.id))
    for newest_first in (True, False):
        expected = [job.id for job in (made[::-1] if newest_first else made)]
        found, after, more = [], None, True
        while more:
            page, more = await jobs.page(ada, after, 2, newest_first=newest_first)
            found += [job.id for job in page]
            after = found[-1]
        assert expected == found


@pytest.mark.asyncio
async def test_a_job_is_looked_after_by_one_at_a_time(make_jobs, account, clock):
    """Until its claim is over; a heartbeat makes it last."""
    ada = await account()
    one, other = make_jobs(), make_jobs()
    job = await begun(one, ada)
    assert [] == await one.due(10)
    clock.advance(5)
    claims = await asyncio.gather(one.due(10), other.due(10))
    assert [job.id] == [each.id for found in claims for each in found]
    clock.advance(CLAIM_S - 1)
    await one.extend([job])
    clock.advance(CLAIM_S - 1)
    assert [] == await other.due(10)
    clock.advance(1)
    assert [job.id] == [each.id for each in await other.due(10)]


@pytest.mark.asyncio
async def test_whoever_asks_often_is_answered_from_the_row(make_jobs, account, clock):
    """One look a second, whoever makes it; none at a job that has ended."""
    ada = await account()
    one, other = make_jobs(), make_jobs()
    job = await begun(one, ada)
    assert not await one.is_mine(job)
    clock.advance(2)
    assert [True, False] == sorted(
        await asyncio.gather(one.is_mine(job), other.is_mine(job)), reverse=True
    )
    job = await one.see(job, WORKING)
    clock.advance(2)
    assert await other.is_mine(job)
    await one.see(job, DONE)
    clock.advance(CLAIM_S)
    assert not await one.is_mine(job)


@pytest.mark.asyncio
async def test_pauses_grow_with_age(jobs, account, clock):
    """From five seconds to a minute."""
    ada = await account()
    job = await begun(jobs, ada)
    pauses = []
    for age in (5, 200, 405, 905):
        clock.at = job.created_at + age
        (due,) = await jobs.due(1)
        await jobs.put_off(due)
        pauses.append((await jobs.find(ada, job.id)).look_at - int(clock.now()))
    assert [5, 20, 40, 60] == pauses


@pytest.mark.asyncio
async def test_files_are_kept_where_the_operator_wants_it(make_jobs, account, clock):
    """A finished job is due once more; then never again."""
    ada = await account()
    node = make_jobs(keep_days=3)
    job = await node.see(await begun(node, ada), DONE)
    assert ArchiveState.WANTED is job.kept
    (due,) = await node.due(5)
    copied = msgspec.structs.replace(due, assets={"video": "a" * 40}, expires_at=500)
    assert await node.keep(copied, ArchiveState.WANTED)
    assert [] == await node.due(5)  # whoever copies its pictures has it still
    assert await node.keep(copied, ArchiveState.YES)
    found = await node.find(ada, job.id)
    assert (ArchiveState.YES, {"video": "a" * 40}, 500, None) == (
        found.kept, found.assets, found.expires_at, found.look_at,
    )  # fmt: skip
    clock.advance(10**6)
    assert [] == await node.due(5)
    assert {"video": "a" * 40} == await node.forget(job)
    assert not await node.keep(copied, ArchiveState.YES)
    assert await node.forget(job) is None


@pytest.mark.asyncio
async def test_an_unreadable_prompt_is_null(jobs, account, database):
    """A key that is gone does not take the video along."""
    ada = await account()
    job = await begun(jobs, ada)
    async with database.write() as conn:
        await conn.execute(table.update().values(prompt=b"damaged"))
    assert None is (await jobs.find(ada, job.id)).resource.prompt


@pytest.mark.asyncio
async def test_what_ended_long_ago_is_forgotten(make_jobs, account, clock):
    """With its prompt; what is still being made is not, and nothing where the operator says so."""
    ada = await account(100)
    node = make_jobs(retention_days=2)
    old = await node.see(await begun(node, ada, 1), DONE)
    running = await begun(node, ada, 2)
    clock.advance(2 * 86_400 + 1)
    young = await node.see(await begun(node, ada, 3), DONE)
    assert 0 == await make_jobs(retention_days=0).sweep()
    assert 1 == await node.sweep()
    found = [(await node.find(ada, job.id)) is not None for job in (old, running, young)]
    assert [False, True, True] == found


@pytest.mark.asyncio
async def test_a_hold_that_no_job_explains_is_found(jobs, account, database):
    """What ``trivium ledger verify`` prints."""
    ada = await account()
    await begun(jobs, ada)
    assert [] == await strays(database)
    async with database.write() as conn:
        await conn.execute(table.update().values(status="failed"))
    assert ["r1"] == await strays(database)


@pytest.mark.asyncio
async def test_a_job_is_handed_over_with_its_hold(jobs, account, clock, spare):
    """Another model, another price; nothing is held twice, and nothing of one that has ended."""
    del clock
    ada = await account()
    job = await jobs.begin(order(ada), hold(ada))
    dear = hold(ada)
    other = msgspec.structs.replace(job, model="other")
    await jobs.hand_over(other, msgspec.structs.replace(dear, amount_nanos=dear.amount_nanos + 5))
    assert "other" == (await jobs.find(ada, job.id)).model
    with pytest.raises(Fault) as caught:
        await jobs.hand_over(job, msgspec.structs.replace(dear, amount_nanos=10**15))
    assert Kind.BALANCE_TOO_LOW is caught.value.kind
    assert [(ada, 10**15 - dear.amount_nanos - 5)] == spare.asked
    assert "other" == (await jobs.find(ada, job.id)).model
    await jobs.hand_over(other, None)
    born = await jobs.born(other, ACCOUNT, DONE)
    assert "completed" == born.status.value
    await jobs.hand_over(job, dear)
    assert [] == await strays(jobs._db)
