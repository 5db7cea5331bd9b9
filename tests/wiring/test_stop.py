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
    said[0].leave()
    await asyncio.sleep(0)
    said[0].leave()
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


async def _noticed(said, *, supervised, notice_s):
    stop = Stop()
    stop.listen(supervised=supervised)
    stop.serves()
    said.append(stop)
    await stop.told.wait()
    said.append("leaving" if stop.leaving else "relieved")
    await stop.notice(notice_s)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("numbers", "supervised", "said"),
    [
        ((signal.SIGINT,), False, "leaving"),
        ((signal.SIGTERM, signal.SIGINT), False, "leaving"),
        ((signal.SIGTERM, signal.SIGTERM), False, "leaving"),
        ((signal.SIGINT,), True, "leaving"),
        ((signal.SIGTERM, signal.SIGUSR2), True, "leaving"),
        ((signal.SIGUSR2,), True, "relieved"),
    ],
)
async def test_the_notice_is_cut_short(numbers, supervised, said):
    """By who is impatient, and by the supervisor, which says when nobody is let in any more."""
    found = []
    task = asyncio.ensure_future(_noticed(found, supervised=supervised, notice_s=1000))
    await asyncio.sleep(0)
    for number in numbers:
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.02)
    await asyncio.wait_for(task, 10)
    assert said == found[-1]


@pytest.mark.asyncio
@pytest.mark.parametrize("supervised", [False, True])
async def test_one_signal_gives_notice(supervised, monkeypatch):
    """For the time that is set; a supervisor that says nothing more is not waited for for ever."""
    monkeypatch.setattr("trivium.wiring.stop.SUPERVISOR_S", 0.2)
    found = []
    task = asyncio.ensure_future(_noticed(found, supervised=supervised, notice_s=0.3))
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0.1)
    assert ("leaving", False) == (found[-1], task.done())
    await asyncio.wait_for(task, 10)
