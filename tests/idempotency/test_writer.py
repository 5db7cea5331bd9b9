"""What is written of this worker's answers, and what is let go."""

import asyncio

import pytest

from idempotency.test_store import DAY_S, SILENT_S, age, read
from trivium.idempotency import store
from trivium.idempotency import writer as module
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.model import DONE, DROPPED, RUNNING, AnswerHead, ClaimRequest, Place
from trivium.idempotency.writer import AnswerWriter, place_in
from trivium.secret import Keyring
from trivium.settings.model import IdempotencySettings
from trivium.storage.errors import Rejected, StorageDown
from trivium.storage.vault import Vault

VAULT = Vault(Keyring(b"k" * 32))
HEAD = AnswerHead(200, b"text/event-stream", [], length=None)


class Answers:
    """A writer and answers of it."""

    def __init__(self, db, **limits):
        self.db = db
        self.writer = AnswerWriter(db, VAULT, "w1", IdempotencySettings(**limits))
        self.gone = []
        self.writer.gone = self.gone.append

    async def begun(self, name="d1", status=200):
        answer = KeptAnswer(Place(3, name), "b")
        asked = ClaimRequest(answer.place, "b", f"req_{name}")
        async with self.db.write() as conn:
            claimed = await store.claim(conn, asked, "w1", DAY_S, SILENT_S)
        answer.claim, answer.request_id = claimed.claim, claimed.request_id
        self.writer.begin(answer)
        answer.begin(AnswerHead(status, b"text/event-stream", [], length=None))
        return answer

    def add(self, answer, data):
        answer.add(data)
        self.writer.grown(answer)

    def end(self, answer, **how):
        answer.end(**how)
        self.writer.grown(answer)


async def body(db, name="d1"):
    """The state of an answer, and its body as it can be opened."""
    found = await read(db, place=Place(3, name))
    if found is None:
        return None, b""
    pieces = [VAULT.open(sealed, place_in(Place(3, name), found.claim, number))
              for number, sealed in found.pieces]  # fmt: skip
    return found.state, b"".join(pieces[1:])


@pytest.mark.asyncio
async def test_pieces_are_sealed_and_can_be_followed(database):
    """Those of several writes are one body; what is stored does not say what it is."""
    answers = Answers(database)
    answer = await answers.begun()
    for text in (b"secret one", b"two"):
        answers.add(answer, text)
    assert await answers.writer.flush()
    assert (RUNNING, b"secret onetwo") == await body(database)
    answers.add(answer, b"three")
    answers.end(answer)
    assert await answers.writer.flush()
    assert ((DONE, b"secret onetwothree"), [answer]) == (await body(database), answers.gone)
    assert not any(b"secret" in sealed for _, sealed in (await read(database)).pieces)


@pytest.mark.parametrize("how", [{"broken": True}, {"cut": True}])
@pytest.mark.asyncio
async def test_what_broke_is_forgotten(database, how):
    """Its row goes, with what was stored of it."""
    answers = Answers(database)
    answer = await answers.begun()
    answers.add(answer, b"one")
    await answers.writer.flush()
    answers.end(answer, **how)
    await answers.writer.flush()
    assert (None, b"") == await body(database)


@pytest.mark.asyncio
async def test_nothing_is_stored_of_an_error(database):
    """Not even until its end."""
    answers = Answers(database)
    answer = await answers.begun(status=400)
    answers.add(answer, b"no")
    await answers.writer.flush()
    assert [] == (await read(database)).pieces
    answers.end(answer)
    await answers.writer.flush()
    assert (None, b"") == await body(database)


@pytest.mark.asyncio
async def test_beyond_the_bound_it_is_not_kept(database):
    """And the key says so; what follows is not written."""
    answers = Answers(database, answer_bytes_max=1024)
    answer = await answers.begun()
    answers.add(answer, b"x" * 1000)
    await answers.writer.flush()
    answers.add(answer, b"x" * 25)
    await answers.writer.flush()
    assert (False, (DROPPED, b"")) == (answer.is_kept, await body(database))
    answers.add(answer, b"more")
    assert 0 == answers.writer.waiting


@pytest.mark.asyncio
async def test_memory_is_bounded_over_all_answers(database, monkeypatch):
    """One more is not kept; when some are written, there is room again."""
    monkeypatch.setattr(module, "MEMORY_BYTES_MAX", 1000)
    answers = Answers(database)
    one, two = await answers.begun("d1"), await answers.begun("d2")
    answers.add(one, b"x" * 900)
    answers.add(two, b"x" * 200)
    assert (True, False) == (one.is_kept, two.is_kept)
    answers.end(one)
    await answers.writer.flush()
    three = await answers.begun("d3")
    answers.add(three, b"x" * 900)
    assert three.is_kept


@pytest.mark.asyncio
async def test_a_transaction_is_bounded_in_bytes(database, monkeypatch):
    """What waits while the database is away is not copied at once."""
    monkeypatch.setattr(module, "BATCH_BYTES", 1000)
    answers, sizes, real = Answers(database), [], store.write

    async def write(conn, named, changes):
        sizes.append(len(changes))
        return await real(conn, named, changes)

    monkeypatch.setattr(store, "write", write)
    for n in range(5):
        answer = await answers.begun(f"d{n}")
        answers.add(answer, b"x" * 600)
        answers.end(answer)
    assert await answers.writer.flush()
    assert [2, 2, 1] == sizes
    assert {(DONE, b"x" * 600)} == {await body(database, f"d{n}") for n in range(5)}


@pytest.mark.asyncio
async def test_who_was_taken_over_writes_nothing_more(database):
    """What another worker answers now is left alone."""
    answers = Answers(database)
    answer = await answers.begun()
    await age(database, SILENT_S + 1)
    async with database.write() as conn:
        asked = ClaimRequest(answer.place, "b", "req_2")
        await store.claim(conn, asked, "w2", DAY_S, SILENT_S)
    answers.add(answer, b"one")
    answers.end(answer)
    assert await answers.writer.flush()
    assert ((RUNNING, b""), False) == (await body(database), answer.is_kept)


@pytest.mark.asyncio
async def test_it_waits_for_the_database(database, monkeypatch):
    """Nothing is lost meanwhile."""
    answers = Answers(database)
    answer = await answers.begun()
    answers.add(answer, b"one")

    async def away(*_):
        raise StorageDown("gone")

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", away)
        assert not await answers.writer.flush()
    answers.end(answer)
    assert await answers.writer.flush()
    assert (DONE, b"one") == await body(database)


@pytest.mark.asyncio
async def test_a_commit_in_doubt_loses_nothing_that_came_since(database, monkeypatch):
    """Rows that may be there are written as they were, and what came since in rows of its own."""
    answers = Answers(database)
    answer = await answers.begun()
    real = store.write
    for text in (b"one", b"two"):
        answers.add(answer, text)
        with monkeypatch.context() as patch:

            async def committed(db, named, changes):
                async with database.write() as conn:
                    await real(conn, named, changes)
                raise StorageDown("the answer was lost")

            if database.is_sqlite:  # two writers would wait for each other

                async def committed(conn, named, changes):
                    await real(conn, named, changes)
                    await conn.commit()
                    raise StorageDown("the answer was lost")

            patch.setattr(store, "write", committed)
            assert not await answers.writer.flush()
    answers.add(answer, b"three")
    answers.end(answer)
    assert await answers.writer.flush()
    assert (DONE, b"onetwothree") == await body(database)


@pytest.mark.asyncio
async def test_one_that_is_refused_holds_up_no_other(database, monkeypatch):
    """It is not kept."""
    answers = Answers(database)
    bad, good = await answers.begun("d1"), await answers.begun("d2")
    real = store.write

    async def write(conn, named, changes):
        if any(change.place.digest == "d1" and change.pieces for change in changes):
            raise Rejected("no such value")
        return await real(conn, named, changes)

    monkeypatch.setattr(store, "write", write)
    for answer in (bad, good):
        answers.add(answer, b"one")
        answers.end(answer)
    assert await answers.writer.flush()
    assert (DONE, b"one") == await body(database, "d2")
    assert (DROPPED, b"") == await body(database, "d1")


@pytest.mark.asyncio
async def test_the_end_of_the_worker_loses_nothing_that_is_being_written(database, monkeypatch):
    """Its task is cancelled, and what it had in its hands is written after all."""
    answers = Answers(database)
    answer = await answers.begun()
    answers.add(answer, b"one")
    answers.end(answer)
    with monkeypatch.context() as patch:

        async def stands(*_):
            await asyncio.sleep(60)

        patch.setattr(store, "write", stands)
        task = asyncio.ensure_future(answers.writer.flush())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await answers.writer.close()
    assert (DONE, b"one") == await body(database)


@pytest.mark.asyncio
async def test_what_was_begun_anew_meanwhile_is_left_alone(database):
    """An answer that was let go gives its memory back, and not that of the next under its key."""
    answers = Answers(database)
    old = await answers.begun()
    answers.add(old, b"x" * 100)
    old.drop()
    new = KeptAnswer(old.place, "b")
    answers.writer.begin(new)
    answers.add(new, b"y" * 10)
    answers.writer._forget(old)
    assert (10, 1) == (answers.writer._bytes, answers.writer.waiting)


@pytest.mark.asyncio
async def test_one_users_answers_are_bounded(database):
    """The oldest go while it goes on, before any sweeper comes."""
    answers = Answers(database, user_keys_max=3)
    for n in range(10):
        answer = await answers.begun(f"d{n}")
        answers.add(answer, b"x")
        answers.end(answer)
        await answers.writer.flush()
        await age(database, 1, "created_at")
    states = [(await body(database, f"d{n}"))[0] for n in range(10)]
    assert states.count(DONE) <= 2 * 3
    assert DONE == states[-1]
