"""A queue is fair, bounded and leaks no place."""

import asyncio
import random

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, TimeLimits
from trivium.settings.limits import RateLimits
from trivium.upstream.channel_queue import ChannelQueue

CHANNEL = Channel(
    name="a",
    provider=PROVIDERS["openai"],
    base_url="https://x.example/v1",
    credentials=(),
    headers={},
    limits=TimeLimits(connect=1, first_byte=1, idle=1, total=1),
    rates=RateLimits(concurrency=2),
    queue_max=3,
    queue_s=5.0,
)


async def turns():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def gate():
    return lambda: ChannelQueue(asyncio.get_running_loop())


@pytest.mark.asyncio
async def test_whoever_waited_longest_goes_first(gate):
    """And a newcomer does not slip in between."""
    gate = gate()
    await gate.enter(CHANNEL)
    await gate.enter(CHANNEL)
    order = []

    async def one(name):
        await gate.enter(CHANNEL)
        order.append(name)

    waiting = [asyncio.create_task(one(name)) for name in "xyz"]
    await turns()
    assert ((2, 3), []) == (gate.standing("a"), order)
    gate.leave(CHANNEL)
    late = asyncio.create_task(one("late"))
    await turns()
    assert ["x"] == order
    for _ in range(3):
        gate.leave(CHANNEL)
        await turns()
    assert ["x", "y", "z", "late"] == order
    gate.leave(CHANNEL)
    gate.leave(CHANNEL)
    assert (0, 0) == gate.standing("a")
    await asyncio.gather(*waiting, late)


@pytest.mark.asyncio
async def test_a_full_queue_refuses_at_once(gate):
    """Another channel may have room."""
    gate = gate()
    channel = msgspec.structs.replace(CHANNEL, queue_max=0)
    await gate.enter(channel)
    await gate.enter(channel)
    with pytest.raises(Fault) as caught:
        await gate.enter(channel)
    assert caught.value.kind is Kind.UPSTREAM_BUSY
    assert (2, 0) == gate.standing("a")


@pytest.mark.asyncio
async def test_nobody_waits_longer_than_told(gate):
    """And no place is lost with him."""
    gate = gate()
    channel = msgspec.structs.replace(CHANNEL, queue_s=0.02)
    await gate.enter(channel)
    await gate.enter(channel)
    with pytest.raises(Fault, match=r"within 0\.02 s"):
        await gate.enter(channel)
    assert (2, 0) == gate.standing("a")


@pytest.mark.asyncio
async def test_who_leaves_the_queue_takes_no_place_along(gate):
    """Neither before nor in the very turn in which it was granted."""
    gate = gate()
    await gate.enter(CHANNEL)
    await gate.enter(CHANNEL)
    early, granted, last = (asyncio.create_task(gate.enter(CHANNEL)) for _ in range(3))
    await turns()
    early.cancel()
    await turns()
    gate.leave(CHANNEL)
    granted.cancel()
    await turns()
    assert last.done()
    assert (2, 0) == gate.standing("a")


@pytest.mark.asyncio
async def test_counters_return_to_zero_after_a_thousand_of_all_kinds(gate):
    """Some leave in the queue, some within, some wait in vain; never more than two are inside."""
    gate, chance = gate(), random.Random(7)
    channel = msgspec.structs.replace(CHANNEL, queue_max=50, queue_s=0.005)
    most = 0

    async def one():
        nonlocal most
        await gate.enter(channel)
        try:
            most = max(most, gate.standing("a")[0])
            await asyncio.sleep(chance.random() / 2000)
        finally:
            gate.leave(channel)

    tasks = [asyncio.create_task(one()) for _ in range(1000)]
    for task in tasks[::7]:
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (2, (0, 0)) == (most, gate.standing("a"))
