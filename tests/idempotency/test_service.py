"""Answers by key: who runs, who follows, on one worker and on two."""

import asyncio
import contextlib

import pytest

from idempotency.test_store import SILENT_S, age
from idempotency.test_writer import HEAD, VAULT
from trivium.clock import SystemClock
from trivium.faults import Kind
from trivium.idempotency import service
from trivium.idempotency.model import Place
from trivium.idempotency.service import KeptAnswers
from trivium.settings.model import IdempotencySettings
from trivium.storage.database import Database
from trivium.storage.errors import StorageDown

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


class Hurried(SystemClock):
    """Time that can be let pass."""

    passed = 0.0

    def monotonic(self):
        return super().monotonic() + self.passed


class Unsteady:
    """A database that is away for so many reads."""

    def __init__(self, db, away):
        self.db, self.away = db, away
        self.write = db.write

    @contextlib.asynccontextmanager
    async def read(self, limit_s=30.0):
        if self.away:
            self.away -= 1
            raise StorageDown("gone")
        async with self.db.read(limit_s) as conn:
            yield conn


class Node:
    """A worker."""

    def __init__(self, db, name, clock=None, **limits):
        self.answers = KeptAnswers(
            db, VAULT, name, IdempotencySettings(**limits), clock or SystemClock()
        )

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
    assert one.answers.find(HERE, "b") is answer
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
    assert (None, None) == (one.answers.find(HERE, "b"), two.answers.find(HERE, "b"))
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
    assert one.answers.find(HERE, "b") is None
    await one.answers.writer.flush()
    other, _ = two.ask("req_2")
    assert ("req_2", 1) == ((await two.ran(other)).request_id, other.drops)


@pytest.mark.asyncio
async def test_a_dead_workers_request_is_called_anew_under_its_id(database):
    """Who has read some of it is cut off, as the new answer may be another."""
    clock = Hurried()
    one, two, three = Node(database, "w1"), Node(database, "w2", clock), Node(database, "w3", clock)
    run, _ = one.ask()
    answer = await one.ran(run)
    waits, _ = two.ask("req_2")
    one.add(answer, b"half")
    await one.answers.writer.flush()
    _, begun = three.ask("req_3")
    async with asyncio.timeout(20):
        while not begun.answer.pieces:
            await asyncio.sleep(0.01)
    clock.passed = SILENT_S + 1
    await begun.all()
    assert (True, 503) == (begun.answer.is_broken, begun.answer.fault.status)
    del waits
    again, _ = three.ask("req_4")  # at once, whatever the database's clock says
    assert "req_1" == (await three.ran(again)).request_id


@pytest.mark.asyncio
async def test_what_broke_off_is_not_taken_from_who_has_it_since(database):
    """Another worker has begun it anew: the next is told what that one says."""
    clock = Hurried()
    one, two, three = Node(database, "w1"), Node(database, "w2", clock), Node(database, "w3")
    run, _ = one.ask()
    one.add(await one.ran(run), b"half")
    await one.answers.writer.flush()
    _, begun = two.ask("req_2")
    async with asyncio.timeout(20):
        while not begun.answer.pieces:
            await asyncio.sleep(0.01)
    clock.passed = SILENT_S + 1
    await begun.all()
    await age(database, SILENT_S + 1)
    anew, _ = three.ask("req_3")
    answer = await three.ran(anew)
    other, reader = two.ask("req_4")
    three.add(answer, b"whole")
    await three.end(answer)
    assert (b"whole", None) == (await reader.all(), other.answer)


@pytest.mark.asyncio
async def test_what_broke_off_is_remembered_of_so_many(database, monkeypatch):
    monkeypatch.setattr(service, "SILENT_MAX", 2)
    clock = Hurried()
    one, two = Node(database, "w1"), Node(database, "w2", clock)
    places = [Place(3, f"d{number}") for number in range(3)]
    for place in places:
        run, _ = one.ask(place=place)
        one.add(await one.ran(run), b"half")
    await one.answers.writer.flush()
    begun = [two.ask("req_2", place=place)[1] for place in places]
    async with asyncio.timeout(20):
        while not all(reader.answer.pieces for reader in begun):
            await asyncio.sleep(0.01)
    clock.passed = SILENT_S + 1
    for reader in begun:
        await reader.all()
    async with asyncio.timeout(20):
        while two.answers.find(places[2], "b"):
            await asyncio.sleep(0.01)
    assert 2 == len(two.answers._silent)


@pytest.mark.asyncio
async def test_who_waits_for_a_dead_worker_takes_over(database):
    """By its own clock: those of the machines may say what they will."""
    clock = Hurried()
    one, two = Node(database, "w1"), Node(database, "w2", clock)
    run, _ = one.ask()
    await one.ran(run)
    await age(database, -3600)
    waits, _ = two.ask("req_2")
    await asyncio.sleep(0.3)
    assert waits.answer is None
    clock.passed = SILENT_S + 1
    assert "req_1" == (await two.ran(waits)).request_id


@pytest.mark.asyncio
async def test_another_body_is_told_apart_by_the_database_alone(database):
    """One that is about to be refused does not stand in for what is kept."""
    one, two = Node(database, "w1"), Node(database, "w2")
    run, _ = one.ask(body="b1")
    await one.ran(run)
    _, wrong = two.ask(body="b2")
    assert two.answers.find(HERE, "b1") is None
    run, right = two.ask("req_2", body="b1")
    await wrong.all()
    assert (422, None) == (wrong.answer.fault.status, right.answer.fault)


@pytest.mark.asyncio
async def test_who_follows_bears_with_the_database_for_a_while(database):
    """Its restart, not its end; and nobody is taken for dead meanwhile."""
    one, clock = Node(database, "w1"), Hurried()
    two = Node(Unsteady(database, 2), "w2", clock)
    run, _ = one.ask()
    answer = await one.ran(run)
    _, waits = two.ask("req_2")
    await asyncio.sleep(0.1)
    one.add(answer, b"one")
    await one.end(answer)
    assert b"one" == await waits.all()
    three = Node(Unsteady(database, 10**6), "w3", clock)
    _, waits = three.ask("req_3")
    await asyncio.sleep(0.1)
    clock.passed = 60.0
    await waits.all()
    assert 503 == waits.answer.fault.status


@pytest.mark.asyncio
async def test_what_is_replayed_is_held_no_further_than_its_reader_is(database):
    """However large the answer is; and who comes meanwhile has it from the beginning."""
    one = Node(database, "w1", answer_bytes_max=2**25)
    run, mine = one.ask()
    answer = await one.ran(run)
    for n in range(24):
        one.add(answer, b"%x" % (n % 16) * 2**20)
    await one.end(answer)
    whole = await mine.all()
    _, slow = one.ask("req_2")
    slow.more = lambda: None
    held = 0
    for _ in range(20):
        await asyncio.sleep(0.02)
        held = max(held, sum(map(len, slow.answer.pieces)))
    assert 0 < held <= 3 * 2**20
    assert one.answers.find(HERE, "b") is None
    _, other = one.ask("req_3")
    other.more = lambda: None
    read = [[], []]
    async with asyncio.timeout(60):
        while not all(
            reader.answer.is_ended and not reader.answer.pieces for reader in (slow, other)
        ):
            for got, reader in zip(read, (slow, other), strict=True):
                got.extend(reader.answer.pieces[reader.at - reader.answer.first :])
                reader.at = reader.answer.first + len(reader.answer.pieces)
                reader.answer.read()
            await asyncio.sleep(0.01)
    assert [whole, whole] == [b"".join(got) for got in read]


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
