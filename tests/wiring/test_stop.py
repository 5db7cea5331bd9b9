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


class Door:
    """Where somebody waits, or nobody."""

    def __init__(self, awaited):
        self.is_awaited, self.shut = awaited, 0

    def let_nobody_in(self):
        self.shut += 1


async def _begun(said, doors, starts, *, supervised=False, limit_s=1000.0):
    stop = Stop()
    stop.listen(supervised=supervised)
    with stop.calling_off():
        stop.wait_for_callers(doors, 0.0, limit_s)
        said.append(stop)
        await starts.wait()
        stop.serves()
        await stop.told.wait()
        said.append("served")


async def _told(awaited, *numbers, starts=False, limit_s=1000.0, supervised=False):
    """Whether a start that was told to end came to serve, and its doors."""
    said, doors, begin = [], [Door(False), Door(awaited)], asyncio.Event()
    task = asyncio.ensure_future(_begun(said, doors, begin, supervised=supervised, limit_s=limit_s))
    await asyncio.sleep(0)
    for number in numbers:
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.4)
    if starts:
        begin.set()
    await asyncio.wait_for(task, 10)
    return said[-1] == "served", [door.shut for door in doors]


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_start_that_somebody_waits_for_goes_on(number):
    """Who has connected is answered: nobody else would read what was sent."""
    assert (True, [1, 1]) == await _told(True, number, starts=True)


@pytest.mark.asyncio
async def test_a_start_that_nobody_waits_for_is_called_off():
    """After nobody can come any more."""
    assert (False, [1, 1]) == await _told(False, signal.SIGTERM)


@pytest.mark.asyncio
@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
async def test_told_again_a_start_is_called_off_whoever_waits(second):
    """It may wait for a frozen database."""
    assert (False, [1, 1]) == await _told(True, signal.SIGTERM, second)


@pytest.mark.asyncio
async def test_a_start_that_takes_too_long_is_called_off():
    """A caller does not hold up the end for ever."""
    assert (False, [1, 1]) == await _told(True, signal.SIGTERM, limit_s=0.1)


@pytest.mark.asyncio
async def test_a_supervisor_says_when_before_a_start_is_called_off(monkeypatch):
    """Until then the kernel deals callers to this worker as well."""
    monkeypatch.setattr("trivium.wiring.stop.SUPERVISOR_S", 1000.0)
    ends = signal.SIGTERM, signal.SIGUSR2
    assert (False, [1, 1]) == await _told(False, *ends, supervised=True)
    monkeypatch.setattr("trivium.wiring.stop.SUPERVISOR_S", 0.1)
    assert (False, [1, 1]) == await _told(False, signal.SIGTERM, supervised=True)
