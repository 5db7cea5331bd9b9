"""Of attempts that run at once one wins, and the others are hung up on in the same turn."""

import asyncio

import pytest

from trivium.pipeline.race import Race
from trivium.routing.channel_health import HealthKey


class Attempt:
    def __init__(self):
        self.released = False

    def release(self):
        self.released = True


@pytest.mark.asyncio
async def test_the_first_wins_and_the_others_end_with_their_tasks():
    """One that has called is hung up on, one that has not is cancelled all the same."""
    race = Race(0.1)
    fast, slow = Attempt(), Attempt()
    entered = [HealthKey("a", 0, "m"), HealthKey("b", 0, "m"), HealthKey("c", 0, "m")]
    ready = asyncio.Event()

    async def run(key, attempt):
        race.enter(key)
        if attempt is not None:
            race.call(attempt)
        await ready.wait()

    attempts = zip(entered, (fast, slow, None), strict=True)
    tasks = [asyncio.create_task(run(key, attempt)) for key, attempt in attempts]
    await asyncio.sleep(0)
    assert (entered[0], entered[1:]) == race.win(fast)
    assert race.winner is fast
    assert (False, True) == (fast.released, slow.released)
    ready.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [False, True, True] == [task.cancelled() for task in tasks]


@pytest.mark.asyncio
async def test_one_that_has_failed_already_is_not_said_to_be_outrun():
    """Its own fault is what is told of it."""
    race = Race(0.1)
    left, fast = Attempt(), Attempt()

    async def fail():
        race.enter(HealthKey("a", 0, "m"))
        race.call(left)

    await asyncio.create_task(fail())
    race.enter(HealthKey("b", 0, "m"))
    race.call(fast)
    assert (HealthKey("b", 0, "m"), []) == race.win(fast)
