"""Answers by key: who runs, who follows, on one worker and on two."""

import asyncio

import pytest

from idempotency.test_store import SILENT_S, age
from idempotency.test_writer import HEAD, VAULT
from trivium.faults import Kind
from trivium.idempotency.model import Place
from trivium.idempotency.service import KeptAnswers
from trivium.settings.model import IdempotencySettings
from trivium.storage.database import Database

HERE = Place(3, "d1")


class Run:
    """Remembers whether it is to answer."""

    def __init__(self):
        self.answer, self.drops, self.released = None, None, False

    def run(self, answer, drops):
        self.answer, self.drops = answer, drops

    def release(self):
        self.released = True


class Reader:
    """Reads all that comes."""

    def __init__(self, answer):
        self.answer, self.at, self.ended = answer, 0, asyncio.Event()
        answer.enter(self)
        self.more()

    def more(self):
        self.at = len(self.answer.pieces)
        if self.answer.is_ended:
            self.ended.set()

    async def all(self):
        async with asyncio.timeout(20):
            await self.ended.wait()
        return b"".join(self.answer.pieces)


class Node:
    """A worker."""

    def __init__(self, db, name, **limits):
        self.answers = KeptAnswers(db, VAULT, name, IdempotencySettings(**limits))

    def ask(self, request_id="req_1", body="b", place=HERE):
        run = Run()
        answer = self.answers.begin(b"k", place, body, request_id, run)
        return run, Reader(answer)

    async def ran(self, run):
        async with asyncio.timeout(20):
            while run.answer is None:
                await asyncio.sleep(0.01)
        return run.answer

    def add(self, answer, data):
        if answer.head is None:
            answer.begin(HEAD)
        answer.add(data)
        self.answers.writer.grown(answer)

    async def end(self, answer, **how):
        answer.end(**how)
        self.answers.writer.grown(answer)
        assert await self.answers.writer.flush()


@pytest.mark.asyncio
async def test_another_worker_follows_and_then_replays(database):
    """From what is stored: nothing runs there."""
    one, two = Node(database, "w1"), Node(database, "w2")
    run, mine = one.ask()
    answer = await one.ran(run)
    assert one.answers.find(HERE) is answer
    other, theirs = two.ask("req_2")
    one.add(answer, b"one")
    await one.answers.writer.flush()
    async with asyncio.timeout(20):
        while not theirs.answer.pieces:
            await asyncio.sleep(0.01)
    one.add(answer, b"two")
    await one.end(answer)
    assert [b"onetwo"] * 2 == [await mine.all(), await theirs.all()]
    await asyncio.sleep(0)
    assert (None, True, "req_1") == (other.answer, other.released, theirs.answer.request_id)
    assert (None, None) == (one.answers.find(HERE), two.answers.find(HERE))
    for node in (one, two):
        _, again = node.ask("req_3")
        assert (b"onetwo", False) == (await again.all(), again.answer.is_own)


@pytest.mark.asyncio
async def test_another_body_is_refused(database):
    """Wherever it comes."""
    one, two = Node(database, "w1"), Node(database, "w2")
    run, _ = one.ask()
    await one.ran(run)
    other, reader = two.ask(body="b2")
    await reader.all()
    assert (422, None) == (reader.answer.fault.status, other.answer)


@pytest.mark.asyncio
async def test_when_the_first_fails_the_next_is_called_anew(database):
    """Whoever waits elsewhere and has nothing of it yet."""
    one, two = Node(database, "w1"), Node(database, "w2")
    run, _ = one.ask()
    answer = await one.ran(run)
    other, _ = two.ask("req_2")
    await asyncio.sleep(0.1)
    await one.end(answer, broken=True)
    assert ("req_2", 0) == ((await two.ran(other)).request_id, other.drops)


@pytest.mark.asyncio
async def test_what_was_too_large_is_called_anew_and_says_so(database):
    """Under an id of its own."""
    one, two = Node(database, "w1", answer_bytes_max=1024), Node(database, "w2")
    run, _ = one.ask()
    answer = await one.ran(run)
    one.add(answer, b"x" * 2000)
    assert one.answers.find(HERE) is None
    await one.answers.writer.flush()
    other, _ = two.ask("req_2")
    assert ("req_2", 1) == ((await two.ran(other)).request_id, other.drops)


@pytest.mark.asyncio
async def test_a_dead_workers_request_is_called_anew_under_its_id(database):
    """Who has read some of it is cut off, as the new answer may be another."""
    one, two, three = Node(database, "w1"), Node(database, "w2"), Node(database, "w3")
    run, _ = one.ask()
    answer = await one.ran(run)
    waits, _ = two.ask("req_2")
    one.add(answer, b"half")
    await one.answers.writer.flush()
    _, begun = three.ask("req_3")
    async with asyncio.timeout(20):
        while not begun.answer.pieces:
            await asyncio.sleep(0.01)
    await age(database, SILENT_S + 1)
    await begun.all()
    assert (True, 503) == (begun.answer.is_broken, begun.answer.fault.status)
    del waits
    again, _ = three.ask("req_4")
    assert "req_1" == (await three.ran(again)).request_id


@pytest.mark.asyncio
async def test_who_left_before_it_began_leaves_nothing_behind(database):
    """Nothing runs, and the key is free."""
    one = Node(database, "w1")
    run, reader = one.ask()
    reader.answer.leave(reader)
    async with asyncio.timeout(20):
        while not run.released:
            await asyncio.sleep(0.01)
    assert await one.answers.writer.flush()
    again, _ = one.ask("req_2")
    assert "req_2" == (await one.ran(again)).request_id


@pytest.mark.asyncio
async def test_without_the_database_it_cannot_be_promised(tmp_path):
    """503, and soon enough; nothing runs."""
    db = Database(f"sqlite:///{tmp_path / 'no' / 'such.db'}")
    run, reader = Node(db, "w1").ask()
    await reader.all()
    assert (503, Kind.UPSTREAM_BUSY, True) == (
        reader.answer.fault.status, reader.answer.fault.kind, run.released,
    )  # fmt: skip
    await db.close()
