"""Waiting for what is promised within a time, on a machine that is busy with something else."""

import asyncio
import contextlib
import time


async def within(limit_s, comes, *, pause_s=0.02, look_s=0.1):
    """Wait until ``comes`` gives something true, and give that. It takes no longer than ``limit_s``,
    but for the time that the machine gave to something else: a look takes ``look_s`` at the most.
    """
    began = last = time.monotonic()
    late = 0.0
    while True:
        found = await comes()
        now = time.monotonic()
        late += max(0.0, now - last - look_s)
        assert now - began - late < limit_s
        if found:
            return found
        last = now
        await asyncio.sleep(pause_s)


async def quickest(limit_s, does, tries=5):
    """What always takes longer than ``limit_s`` waits for something; what does so now and then was
    held up.
    """
    took = []
    for _ in range(tries):
        began = time.perf_counter()
        await does()
        took.append(time.perf_counter() - began)
        if took[-1] < limit_s:
            return
    raise AssertionError(f"at least {min(took)} s")


@contextlib.asynccontextmanager
async def stopwatch(turn_s=0.01):
    """Tells the seconds since it began, less those for which this loop did not get its turns."""
    began = last = time.monotonic()
    late = 0.0

    async def watch():
        nonlocal last, late
        while True:
            await asyncio.sleep(turn_s)
            now = time.monotonic()
            late += max(0.0, now - last - 2 * turn_s)
            last = now

    watching = asyncio.create_task(watch())
    try:
        yield lambda: time.monotonic() - began - late
    finally:
        watching.cancel()
