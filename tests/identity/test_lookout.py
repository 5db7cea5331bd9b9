"""Looks beside the polls: as few as they may be, and never one that began too early."""

import asyncio

import pytest

from trivium.identity import lookout as module
from trivium.identity.lookout import PAUSE_S, Lookout


class World:
    """A clock that sleeping moves, and looks that take as long as they are told to."""

    def __init__(self, fails=False):
        self.now = 100.0
        self.begun = []
        self.fails = fails
        self.gate = asyncio.Event()
        self.gate.set()
        self.lookout = Lookout(self.refresh, lambda: self.now, self.sleep)

    async def sleep(self, seconds):
        self.now += seconds
        await asyncio.sleep(0)

    async def refresh(self):
        self.begun.append(self.now)
        await self.gate.wait()
        if self.fails:
            raise OSError


@pytest.mark.asyncio
async def test_the_first_look_is_at_once_and_the_next_after_a_pause():
    """Whoever waits longer than the pause does not wait again."""
    world = World()
    await world.lookout.look()
    await world.lookout.look()
    world.now += 7
    await world.lookout.look()
    assert [100.0, 100.0 + PAUSE_S, 107.0 + PAUSE_S] == world.begun


@pytest.mark.asyncio
async def test_all_who_wait_share_one_look():
    """However many keys are made up meanwhile."""
    world = World()
    await asyncio.gather(*(world.lookout.look() for _ in range(1000)))
    assert 1 == len(world.begun)


@pytest.mark.asyncio
async def test_a_flood_makes_so_many_looks_a_second_and_no_more():
    """Every wave waits for the look after the one that runs."""
    world = World()
    waves = 0
    while world.now < 110.0:
        await asyncio.gather(*(world.lookout.look() for _ in range(50)))
        waves += 1
    assert waves == len(world.begun)
    assert len(world.begun) <= 10.0 / PAUSE_S + 2


@pytest.mark.asyncio
async def test_a_look_that_has_begun_is_no_answer():
    """It may have read before what the newcomer knows of was written."""
    world = World()
    world.gate.clear()
    first = asyncio.create_task(world.lookout.look())
    while not world.begun:
        await asyncio.sleep(0)
    second = asyncio.create_task(world.lookout.look())
    await asyncio.sleep(0.01)
    assert (1, False) == (len(world.begun), second.done())
    world.gate.set()
    await asyncio.gather(first, second)
    assert 2 == len(world.begun)


@pytest.mark.asyncio
async def test_a_database_that_is_away_is_not_told_twice():
    """The watch meets the same; a later look may do better."""
    world = World(fails=True)
    await world.lookout.look()
    world.fails = False
    await world.lookout.look()
    assert 2 == len(world.begun)


@pytest.mark.asyncio
async def test_nobody_waits_for_a_database_that_stands_still(monkeypatch):
    """They are answered by what is known; looks do not pile up behind it, and end when closed."""
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    world = World()
    world.gate.clear()
    for _ in range(5):
        await world.lookout.look()
    assert 1 == len(world.begun)
    await world.lookout.close()
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
