"""Looks for keys that are not in memory: many share one, and none is made of nothing."""

import asyncio

import pytest
import structlog

from trivium.identity import key_refresher as module
from trivium.identity.key_refresher import BATCH, PAUSE_S, KeyRefresher


class World:
    """A clock that sleeping moves, and looks that take as long as they are told to."""

    def __init__(self, fails=False):
        self.now = 100.0
        self.begun = []
        self.fails = fails
        self.gate = asyncio.Event()
        self.gate.set()
        self.known = {}
        """Callers in memory, by digest."""
        self.stored = {}
        """Those of keys that there are."""
        self.batches = []
        self.get = self.known.get
        self.key_refresher = KeyRefresher(self, lambda: self.now, self.sleep)

    async def sleep(self, seconds):
        self.now += seconds
        await asyncio.sleep(0)

    async def refresh(self):
        self.begun.append(self.now)
        await self.gate.wait()
        if self.fails:
            raise OSError

    def exists(self, digest):
        return digest in self.stored

    async def read(self, digests):
        self.batches.append(len(digests))
        await self.gate.wait()
        if self.fails:
            raise OSError
        self.known.update({each: self.stored[each] for each in digests if self.stored[each]})


@pytest.mark.asyncio
async def test_the_first_look_is_at_once_and_the_next_after_a_pause():
    """Whoever waits longer than the pause does not wait again."""
    world = World()
    await world.key_refresher.refresh_keys()
    await world.key_refresher.refresh_keys()
    world.now += 7
    await world.key_refresher.refresh_keys()
    assert [100.0, 100.0 + PAUSE_S, 107.0 + PAUSE_S] == world.begun


@pytest.mark.asyncio
async def test_all_who_wait_share_one_look():
    """However many keys are made up meanwhile."""
    world = World()
    await asyncio.gather(*(world.key_refresher.refresh_keys() for _ in range(1000)))
    assert 1 == len(world.begun)


@pytest.mark.asyncio
async def test_a_flood_makes_so_many_looks_a_second_and_no_more():
    """Every wave waits for the look after the one that runs."""
    world = World()
    waves = 0
    while world.now < 110.0:
        await asyncio.gather(*(world.key_refresher.refresh_keys() for _ in range(50)))
        waves += 1
    assert waves == len(world.begun)
    assert len(world.begun) <= 10.0 / PAUSE_S + 2


@pytest.mark.asyncio
async def test_a_look_that_has_begun_is_no_answer():
    """It may have read before what the newcomer knows of was written."""
    world = World()
    world.gate.clear()
    first = asyncio.create_task(world.key_refresher.refresh_keys())
    while not world.begun:
        await asyncio.sleep(0)
    second = asyncio.create_task(world.key_refresher.refresh_keys())
    await asyncio.sleep(0.01)
    assert (1, False) == (len(world.begun), second.done())
    world.gate.set()
    await asyncio.gather(first, second)
    assert 2 == len(world.begun)


@pytest.mark.asyncio
async def test_a_database_that_is_away_is_not_told_twice():
    """The watch meets the same; a later look may do better."""
    world = World(fails=True)
    await world.key_refresher.refresh_keys()
    world.fails = False
    await world.key_refresher.refresh_keys()
    assert 2 == len(world.begun)


@pytest.mark.asyncio
async def test_nobody_waits_for_a_database_that_stands_still(monkeypatch):
    """They are answered by what is known; looks do not pile up behind it, and end when closed."""
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    world = World()
    world.gate.clear()
    for _ in range(5):
        await world.key_refresher.refresh_keys()
    assert 1 == len(world.begun)
    await world.key_refresher.close()
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def digests(count):
    return [bytes([n % 256, n // 256]) * 16 for n in range(count)]


@pytest.mark.asyncio
async def test_a_key_that_there_is_is_read_without_a_look():
    """At once, and once; whoever is in memory by then is not read again."""
    world = World()
    one, other = digests(2)
    world.stored = {one: "ada", other: "eve"}
    assert await world.key_refresher.find(one)
    assert ("ada", [], [1]) == (world.get(one), world.begun, world.batches)
    assert await world.key_refresher.find(one)
    assert [1] == world.batches


@pytest.mark.asyncio
async def test_those_that_come_meanwhile_share_the_next_query():
    """One query at a time, of so many keys at most, and each of them once."""
    world = World()
    every = digests(BATCH + 51)
    world.stored = dict.fromkeys(every, "ada")
    world.gate.clear()
    first = asyncio.create_task(world.key_refresher.find(every[0]))
    while not world.batches:
        await asyncio.sleep(0)
    rest = [asyncio.create_task(world.key_refresher.find(each)) for each in every[1:] * 2]
    await asyncio.sleep(0.01)
    assert [1] == world.batches
    world.gate.set()
    assert all(await asyncio.gather(first, *rest))
    assert [1, BATCH, 50] == world.batches
    assert set(every) == set(world.known)


@pytest.mark.asyncio
async def test_a_key_that_is_made_up_costs_a_look_and_no_more():
    """All that are made up at once share it; one that the look finds is read at once."""
    world = World()
    made_up, new = digests(2)
    found = await asyncio.gather(*(world.key_refresher.find(made_up) for _ in range(100)))
    assert (True, 1, []) == (all(found), len(world.begun), world.batches)
    world.gate.clear()
    finding = asyncio.create_task(world.key_refresher.find(new))
    while len(world.begun) < 2:
        await asyncio.sleep(0)
    world.stored[new] = "eve"
    world.gate.set()
    assert (True, "eve", [1]) == (await finding, world.get(new), world.batches)


@pytest.mark.asyncio
async def test_it_is_told_when_a_key_that_there_is_cannot_be_read(monkeypatch):
    """At once where the database says so, after a while where it says nothing; not of others, and
    the next one does better. Nothing is left over at the end.
    """
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    world = World(fails=True)
    one, other, third, last = digests(4)
    world.stored = {one: "ada", other: "eve", third: None, last: "ada"}
    assert not await world.key_refresher.find(one)
    world.gate.clear()
    assert not await world.key_refresher.find(other)
    assert await world.key_refresher.find(b"made up")
    world.fails = False
    world.gate.set()
    monkeypatch.undo()
    assert await world.key_refresher.find(one)
    assert (await world.key_refresher.find(third), None) == (True, world.get(third))
    world.gate.clear()
    asking = asyncio.create_task(world.key_refresher.find(last))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await world.key_refresher.close()
    assert not await asking
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


@pytest.mark.asyncio
async def test_a_failure_is_logged_once_and_its_end():
    """Not once a key: all of them fail alike."""
    world = World(fails=True)
    world.stored = {b"a": 1, b"b": 2, b"c": 3}
    with structlog.testing.capture_logs() as logs:
        assert [False, False] == [await world.key_refresher.find(key) for key in (b"a", b"b")]
        world.fails = False
        assert await world.key_refresher.find(b"c")
        assert await world.key_refresher.find(b"a")
    assert ["keys_unread", "keys_read_again"] == [one["event"] for one in logs]
