"""Signals call a start off, and are noted by what serves."""

import asyncio
import os
import signal

import pytest

from trivium.wiring.stop import Stop


async def _life(said, *, serves):
    stop = Stop()
    stop.listen()
    with stop.calling_off():
        if serves:
            stop.serves()
        said.append(stop)
        try:
            await (stop.told.wait() if serves else asyncio.Event().wait())
        finally:
            await asyncio.sleep(0.01)  # closing takes its time
            said.append("closed")
    return 0


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("serves", [False, True])
async def test_whatever_it_does_it_ends_well(number, serves):
    """A start is left where it is, serving comes to its end; what is open is closed."""
    said = []
    task = asyncio.ensure_future(_life(said, serves=serves))
    await asyncio.sleep(0)
    os.kill(os.getpid(), number)
    assert 0 == await asyncio.wait_for(task, 10)
    assert "closed" == said[-1]
    assert 0 == task.cancelling()


@pytest.mark.asyncio
async def test_told_twice_it_still_closes_what_is_open():
    """An impatient operator does not cut the closing short."""
    said = []
    task = asyncio.ensure_future(_life(said, serves=False))
    await asyncio.sleep(0)
    said[0].tell()
    await asyncio.sleep(0)
    said[0].tell()
    assert 0 == await asyncio.wait_for(task, 10)
    assert "closed" == said[-1]


@pytest.mark.asyncio
@pytest.mark.parametrize("serves", [False, True])
async def test_whoever_else_cancels_it_sees_it_cancelled(serves):
    """Only a signal is an end that was asked for."""
    task = asyncio.ensure_future(_life([], serves=serves))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
