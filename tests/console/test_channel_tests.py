"""Tests of channels that administrators ask for are bounded."""

import asyncio
from types import SimpleNamespace

import pytest

from trivium.clock import FixedClock
from trivium.console import channel_tests
from trivium.console.channel_tests import AT_ONCE, TEST_EVERY_S, ChannelTestEarly
from trivium.console.gateway import ChannelTestError

pytestmark = pytest.mark.asyncio


class Asked:
    """A console over channels of these names, whose tests take until they are let go."""

    def __init__(self, *names):
        self.clock = FixedClock()
        self.gateway = self
        self.names = names
        self.asked = []
        self.go = asyncio.Event()

    def channels(self):
        return [SimpleNamespace(name=name) for name in self.names]

    async def tried(self, name, model):
        self.asked.append((name, model))
        await self.go.wait()
        return ()


@pytest.fixture(autouse=True)
def _fresh():
    channel_tests._tested_at.clear()
    channel_tests._running.clear()


async def test_a_channel_is_tested_now_and_then():
    """Once in ten seconds, and not while it is being tested; another one is."""
    console = Asked("a", "b")
    running = asyncio.ensure_future(channel_tests.try_channel(console, "a", "7", "m"))
    await asyncio.sleep(0)
    console.clock.advance(TEST_EVERY_S)
    with pytest.raises(ChannelTestEarly) as early:
        await channel_tests.try_channel(console, "a", "7")
    assert 1 == early.value.wait_s
    console.go.set()
    assert () == await running
    await channel_tests.try_channel(console, "b", "7")
    with pytest.raises(ChannelTestEarly, match="b was tested a moment ago") as early:
        await channel_tests.try_channel(console, "b", "7")
    assert TEST_EVERY_S == early.value.wait_s
    console.clock.advance(TEST_EVERY_S)
    await channel_tests.try_channel(console, "b", "7")
    assert [("a", "m"), ("b", None), ("b", None)] == console.asked


async def test_few_are_tested_at_once():
    """A vendor that does not answer holds a place; whoever gave up has left theirs."""
    names = [f"c{i}" for i in range(AT_ONCE + 1)]
    console = Asked(*names)
    running = [
        asyncio.ensure_future(channel_tests.try_channel(console, name, "7"))
        for name in names[:AT_ONCE]
    ]
    await asyncio.sleep(0)
    with pytest.raises(ChannelTestEarly, match="4 channels are being tested already"):
        await channel_tests.try_channel(console, names[-1], "7")
    running[0].cancel()
    await asyncio.gather(running[0], return_exceptions=True)
    console.go.set()
    await channel_tests.try_channel(console, names[-1], "7")
    await asyncio.gather(*running[1:])


async def test_what_is_not_there_leaves_nothing_behind():
    """Nor do channels that are gone."""
    console = Asked("a")
    console.go.set()
    with pytest.raises(ChannelTestError, match="there is no channel z"):
        await channel_tests.try_channel(console, "z", "7")
    await channel_tests.try_channel(console, "a", "7")
    console.names = ("b",)
    await channel_tests.try_channel(console, "b", "7")
    assert ["b"] == list(channel_tests._tested_at)
