"""Kept answers in SQL, on both engines."""

import asyncio

import pytest
from sqlalchemy import select, update

from trivium.idempotency import store
from trivium.idempotency.model import (
    DONE,
    DROPPED,
    RUNNING,
    Change,
    ClaimRequest,
    ClaimVerdict,
    LookRequest,
    Place,
)
from trivium.storage.schema.idempotency import answer_pieces, kept_answers

HERE = Place(3, "d1")
DAY_S, SILENT_S = 86_400, 10


async def claim(db, request_id="req_1", *, place=HERE, body="b1", worker="w1", keep_s=DAY_S):
    async with db.write() as conn:
        asked = ClaimRequest(place, body, request_id)
        found = await store.claim(conn, asked, worker, keep_s, SILENT_S)
    return found.verdict, found.claim, found.request_id


def change(state, *pieces, place=HERE, number=1, size=0):
    return Change(place, number, state, size, list(pieces))


async def write(db, *changes, worker="w1"):
    async with db.write() as conn:
        return await store.write(conn, worker, changes)


async def read(db, after=0, place=HERE, size=-1):
    async with db.read() as conn:
        (found,) = await store.read(conn, [LookRequest(place, after, size)])
    return found


async def age(db, seconds, column="beat_at"):
    """Let time pass for all rows."""
    async with db.write() as conn:
        old = kept_answers.c[column] - seconds
        await conn.execute(update(kept_answers).values({column: old}))


async def count(db, table):
    async with db.read() as conn:
        return len((await conn.execute(select(table))).all())


@pytest.mark.asyncio
async def test_the_first_has_it_and_others_wait(database):
    """The same key with another body is told apart; another owner's key is another."""
    assert (ClaimVerdict.MINE, 1, "req_1") == await claim(database)
    assert (ClaimVerdict.RUNNING, 1, "req_1") == await claim(database, "req_2", worker="w2")
    assert (ClaimVerdict.OTHER_BODY, 1, "req_1") == await claim(database, "req_2", body="b2")
    theirs = Place(4, "d1")
    assert (ClaimVerdict.MINE, 1, "req_2") == await claim(database, "req_2", place=theirs)


@pytest.mark.asyncio
async def test_many_claims_at_once_give_one(database):
    """Whichever comes first, on either engine."""
    found = await asyncio.gather(*(claim(database, f"req_{n}", worker=f"w{n}") for n in range(8)))
    assert 1 == [verdict for verdict, _, _ in found].count(ClaimVerdict.MINE)
    assert 1 == len({request_id for _, _, request_id in found})


@pytest.mark.asyncio
async def test_pieces_are_read_as_they_come(database):
    """From where a reader is, in order, until it is done."""
    await claim(database)
    assert [] == await write(database, change(RUNNING, (0, b"head"), (1, b"one"), size=3))
    found = await read(database)
    assert (RUNNING, [(0, b"head"), (1, b"one")]) == (found.state, found.pieces)
    assert [] == await write(database, change(DONE, (3, b"two"), size=6))
    found = await read(database, 2)
    assert (DONE, [(3, b"two")], True) == (found.state, found.pieces, found.is_all)
    assert (ClaimVerdict.DONE, 1, "req_1") == await claim(database, "req_2", worker="w2")


@pytest.mark.asyncio
async def test_writing_again_changes_nothing(database):
    """A transaction whose commit was in doubt is made once more."""
    await claim(database)
    for _ in range(2):
        assert [] == await write(database, change(DONE, (0, b"head"), (1, b"one")))
    assert [(0, b"head"), (1, b"one")] == (await read(database)).pieces


@pytest.mark.asyncio
async def test_a_silent_workers_claim_is_taken_over_under_its_request_id(database):
    """What the dead one stored is gone, and should it come back it writes nothing more."""
    await claim(database)
    await write(database, change(RUNNING, (0, b"head"), (1, b"half")))
    await age(database, SILENT_S + 1)
    assert (ClaimVerdict.MINE, 2, "req_1") == await claim(database, "req_2", worker="w2")
    assert [] == (await read(database)).pieces
    assert [HERE] == await write(database, change(DONE, (2, b"rest")))
    assert (RUNNING, []) == ((found := await read(database)).state, found.pieces)


@pytest.mark.asyncio
async def test_who_lives_keeps_its_claim(database):
    """However long it takes."""
    await claim(database)
    await age(database, SILENT_S + 1)
    async with database.write() as conn:
        await store.beat(conn, "w1", [(HERE, 1)])
    assert (ClaimVerdict.RUNNING, 1, "req_1") == await claim(database, "req_2", worker="w2")


@pytest.mark.asyncio
async def test_who_was_seen_to_be_silent_is_taken_over_whatever_the_clock_says(database):
    """The database's was set back, so that what was said last is in its future."""
    await claim(database)
    await age(database, -3600)
    beat = (await read(database)).beat_at
    assert ClaimVerdict.RUNNING is (await claim(database, "req_2", worker="w2"))[0]
    for last, verdict in ((beat - 1, ClaimVerdict.RUNNING), (beat, ClaimVerdict.MINE)):
        async with database.write() as conn:
            asked = ClaimRequest(HERE, "b1", "req_2", last)
            found = await store.claim(conn, asked, "w2", DAY_S, SILENT_S)
        assert verdict is found.verdict


@pytest.mark.asyncio
async def test_many_are_looked_at_at_once_and_only_what_is_new_is_read(database):
    """So many bytes together, of each at least a piece, without a gap to the next look."""
    places = [Place(3, f"d{n}") for n in range(4)]
    for place in places[:3]:
        await claim(database, place=place)
        rows = [(number, b"x" * 100) for number in range(5)]
        await write(database, change(RUNNING, *rows, place=place, size=500))
    looks = [LookRequest(place, 0, 500 * (not n)) for n, place in enumerate(places)]
    async with database.read() as conn:
        found = await store.read(conn, looks, 250)
    assert None is found[3]
    numbers = [[number for number, _ in one.pieces] for one in found[:3]]
    assert [[], [0, 1], [0]] == numbers
    assert [True, False, False] == [one.is_all for one in found[:3]]
    rest = await read(database, 2, places[1])
    assert ([2, 3, 4], True) == ([number for number, _ in rest.pieces], rest.is_all)


@pytest.mark.asyncio
async def test_several_look_for_one_answer_each_from_where_it_is(database):
    """At once, and none is told what another has not."""
    await claim(database)
    await write(database, change(DONE, *((number, b"x") for number in range(3)), size=3))
    async with database.read() as conn:
        found = await store.read(conn, [LookRequest(HERE, after, -1) for after in (0, 2, 3, 0)])
    numbers = [[number for number, _ in one.pieces] for one in found]
    assert [[0, 1, 2], [2], [], [0, 1, 2]] == numbers


@pytest.mark.asyncio
async def test_a_failed_answer_is_forgotten(database):
    """The next one with the key is a request of its own, whatever its body."""
    await claim(database)
    await write(database, change(RUNNING, (0, b"head")))
    assert [] == await write(database, change(""))
    assert (0, None) == (await count(database, answer_pieces), await read(database))
    assert (ClaimVerdict.MINE, 1, "req_2") == await claim(database, "req_2", body="b2")


@pytest.mark.asyncio
async def test_a_dropped_answer_is_made_anew_and_that_is_known(database):
    """By the same body alone, under an id of its own."""
    await claim(database)
    await write(database, change(RUNNING, (0, b"head"), (1, b"much")))
    assert [] == await write(database, change(DROPPED))
    assert (DROPPED, []) == ((found := await read(database)).state, found.pieces)
    assert ClaimVerdict.OTHER_BODY is (await claim(database, body="b2"))[0]
    async with database.write() as conn:
        asked = ClaimRequest(HERE, "b1", "req_2")
        found = await store.claim(conn, asked, "w2", DAY_S, SILENT_S)
    assert (ClaimVerdict.MINE, 2, "req_2", 1) == (
        found.verdict, found.claim, found.request_id, found.drops,
    )  # fmt: skip


@pytest.mark.asyncio
async def test_a_key_is_free_again_when_its_day_is_over(database):
    """Before anything has swept it, and for another body too."""
    await claim(database)
    await write(database, change(DONE, (0, b"head")))
    await age(database, DAY_S, "expires_at")
    assert await read(database) is None
    assert (ClaimVerdict.MINE, 2, "req_2") == await claim(database, "req_2", body="b2")


@pytest.mark.asyncio
async def test_what_is_over_is_deleted(database):
    """With its pieces, so many at a time."""
    for n in range(3):
        place = Place(3, f"d{n}")
        await claim(database, place=place)
        await write(database, change(DONE, (0, b"head"), place=place))
    async with database.write() as conn:
        assert 0 == await store.delete_expired(conn, 1, 10)
    for deleted in (2, 1):
        async with database.write() as conn:
            assert deleted == await store.delete_expired(conn, 2**40, 2)
    assert (0, 0) == (await count(database, kept_answers), await count(database, answer_pieces))


@pytest.mark.asyncio
async def test_what_has_many_pieces_goes_in_slices(database, monkeypatch):
    """A transaction does not grow with them."""
    monkeypatch.setattr(store, "SWEEP_PIECES", 4)
    await claim(database)
    await write(database, change(DONE, *((number, b"x") for number in range(10))))
    left = []
    for _ in range(3):
        async with database.write() as conn:
            gone = await store.delete_expired(conn, 2**40, 5)
        left.append((gone, await count(database, answer_pieces)))
    assert [(5, 6), (5, 2), (1, 0)] == left
    assert 0 == await count(database, kept_answers)


async def kept(db, number, size=100):
    """So many answers of one user, the first the oldest."""
    for n in range(number):
        place = Place(3, f"d{n}")
        await claim(db, f"req_{n}", place=place)
        await write(db, change(DONE, (0, b"head"), (1, b"x" * size), place=place, size=size))
        await age(db, 5, "created_at")


@pytest.mark.asyncio
async def test_the_oldest_go_when_a_user_has_too_many(database):
    """Down to the number; others' and running ones stay."""
    await kept(database, 5)
    await claim(database, place=Place(3, "running"))
    await claim(database, place=Place(4, "d0"))
    async with database.read() as conn:
        assert [3] == await store.owners_above(conn, 5, 10**6)
    async with database.write() as conn:
        assert 3 == await store.trim(conn, 3, 2, 10**6, 100)
    found = [bool(await read(database, place=Place(3, f"d{n}"))) for n in range(5)]
    assert [False, False, False, True, True] == found
    assert await read(database, place=Place(3, "running"))
    assert await read(database, place=Place(4, "d0"))


@pytest.mark.asyncio
async def test_beyond_the_bytes_keys_stay_and_answers_go(database):
    """A key whose answer went is known: the same body is called anew, another is refused."""
    await kept(database, 5)
    async with database.read() as conn:
        assert [3] == await store.owners_above(conn, 10, 250)
    async with database.write() as conn:
        assert 3 == await store.trim(conn, 3, 10, 250, 100)
    states = [(await read(database, place=Place(3, f"d{n}"))).state for n in range(5)]
    assert [DROPPED] * 3 + [DONE] * 2 == states
    assert 4 == await count(database, answer_pieces)
    assert ClaimVerdict.OTHER_BODY is (await claim(database, place=Place(3, "d0"), body="b2"))[0]
    async with database.write() as conn:
        assert 0 == await store.trim(conn, 3, 10, 250, 100)
