"""A gateway that runs for long among failing vendors and callers that leave: its memory stays."""

import asyncio
import contextlib
import random
import statistics
import sys
from pathlib import Path

import pytest

from end_to_end.chaos import Crowd, Vendor
from end_to_end.running import listening, prepare, start
from end_to_end.test_chaos_served import booked, command, settings

MIB = 1 << 20
PAGE = 4096
SAMPLES = 240
"""Looks at the memory, whatever the time."""
GROWTH_MAX = 3 * MIB
"""Between the second quarter of the time and the last: what one more page of an arena is, not a
leak, which at 40 requests a second would be 20 bytes a request for this in an hour.
"""


def resident(pid):
    """Bytes of memory of a process and its children."""
    own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(resident(int(child)) for child in children)


async def leave(gateway, rate, stop):
    """Ask for a stream and be gone, before, within or after it, so many times a second."""
    chance = random.Random(7)
    while not stop.is_set():
        line = await gateway.wire()
        await line.send(gateway.chat(stream=True))
        await asyncio.sleep(chance.choice((0, 0.001, 0.01, 0.1)))
        with contextlib.suppress(OSError):
            await line.close()
        await asyncio.sleep(1 / rate)


async def soaked(folder, rate, seconds):
    """Resident bytes in the order they were looked at, of a gateway under mixed load."""
    async with Vendor(0.3, 1) as one, Vendor(0.3, 2) as two, Vendor(0.0, 3) as healthy:
        key = await prepare(folder, settings((one, two, healthy)))
        command(folder, "credit", "ada", "100000")
        gateway = start(folder, key, fresh=True)
        looks = []
        stop = asyncio.Event()
        try:
            await listening(gateway)
            leavers = asyncio.ensure_future(leave(gateway, rate / 10, stop))

            async def look():
                while not stop.is_set():
                    looks.append(resident(gateway.process.pid))
                    await asyncio.sleep(seconds / SAMPLES)

            looker = asyncio.ensure_future(look())
            crowd = Crowd(gateway, rate, seconds)
            await crowd.run()
            stop.set()
            await asyncio.gather(leavers, looker)
        finally:
            gateway.process.terminate()
            await gateway.ended()
        records, entries, _ = await booked(folder)
        curve = " ".join(f"{look / MIB:.1f}" for look in looks[:: SAMPLES // 20])
        figures = (
            f"{sum(crowd.found.values())} requests at {crowd.rate:.0f}/s: {dict(crowd.found)}\n"
            f"{records} records, {entries} entries; MiB: {curve}\n"
        )
        (folder / "figures.txt").write_text(figures)
        sys.stdout.write(figures)
        assert [] == crowd.wrong[:5]
        command(folder, "ledger", "verify")
        return looks


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.asyncio
async def test_memory_is_looked_at(tmp_path):
    """A few seconds of the hour below: the load runs, memory is seen, the ledger is right."""
    looks = await soaked(tmp_path, 30, 4)
    assert len(looks) > SAMPLES // 4
    assert 20 * MIB < max(looks) < 250 * MIB


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.asyncio
@pytest.mark.timeout(4200)
async def test_memory_stays_for_an_hour(tmp_path):
    """After a quarter of an hour it is as large as it gets."""
    looks = await soaked(tmp_path, 40, 3600)
    quarter = len(looks) // 4
    early = statistics.median(looks[quarter : 2 * quarter])
    late = statistics.median(looks[3 * quarter :])
    assert late - early <= GROWTH_MAX, f"{early / MIB:.1f} MiB, then {late / MIB:.1f} MiB"
