"""Faults of the machines under a gateway: a server that restarts, a disk that is full, a clock.

See `outages.py`.
"""

import asyncio
import contextlib
import os
import resource
import subprocess
import sys
from pathlib import Path

from end_to_end.outages import SLOW, Seen, node, somebody, text, well_again
from scripted_upstream import Double

DISK = "1m"
JUMPING = [sys.executable, str(Path(__file__).with_name("jumping.py"))]
"""`trivium` with a clock that follows a file, which works everywhere."""


async def database_restarted(folder, postgres, row):
    """`pg_ctl stop` and `start`: the end of every connection, nobody for two seconds, a new server."""
    key = await somebody(postgres.url)
    async with Double([SLOW]) as vendor:
        settings = text(vendor, postgres.url, folder / "journal")
        async with node(folder, settings, key) as one, Seen(one).watching() as seen:
            await asyncio.to_thread(postgres.restart, 2.0)
            row.lasts = await well_again(one)
            await asyncio.sleep(1.5)
        said = one.heard("keys_stale") or one.heard("ledger_waits") or one.heard("budgets_stale")
        seen.into(
            row,
            metric="" if seen.metrics else "none: it is over before a part was found missing",
            log=said or one.heard("keys_current_again"),
        )
    return row, seen, postgres.direct


@contextlib.contextmanager
def small_disk(folder):
    """A file system of a megabyte at a folder; whether there is one: only root may have it."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    try:
        mounted = (
            os.geteuid() == 0
            and not subprocess.run(mount, check=False, capture_output=True).returncode
        )
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path):
    """Write until nothing fits any more."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (65_536, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))


async def journal_full(folder, postgres, row, seconds):
    """The journal's own small disk is full for a while; what was written stays."""
    key = await somebody(postgres.url)
    with small_disk(folder / "disk") as mounted:
        async with Double([SLOW]) as vendor:
            settings = text(vendor, postgres.url, folder / "disk" / "journal")
            async with node(folder, settings, key) as one, Seen(one).watching() as seen:
                hard = resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE)[1]
                if mounted:
                    fill(folder / "disk" / "full")
                else:  # no file of the gateway may grow: what a full disk looks like from inside
                    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (1, hard))
                await asyncio.sleep(seconds)
                if mounted:
                    (folder / "disk" / "full").unlink()
                else:
                    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
                row.lasts = await well_again(one)
            said = one.heard("journal_failed")
            seen.into(row, log=said if mounted else f"{said} (by a limit of the process)")
    return row, seen, postgres.direct


def faketime():
    """Where libfaketime is; ``None``: not installed."""
    found = [
        path
        for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")
        for path in Path(folder).glob("**/libfaketime.so.1")
        if path.parent.name in ("faketime", "lib", "lib64")
    ]
    return found[0] if found else None


class Clock:
    """The time of day of one gateway: ahead of the machine's by what a file says."""

    def __init__(self, folder):
        self.file = folder / "time"
        self.set(0)

    def set(self, seconds):
        """Whole, or not at all: it is read at any moment."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{seconds:+d}")
        fresh.replace(self.file)

    def environ(self, library):
        """What libfaketime goes by: the file, once a second, and no clock but the time of day."""
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


async def jumped(one, times):
    """Wait until a node has told so many jumps; the last of them, in seconds."""
    async with asyncio.timeout(60):
        while True:
            told = [line["seconds"] for line in one.events if line["event"] == "clock_jumped"]
            if len(told) >= times:
                return told[times - 1]
            await asyncio.sleep(0.1)


async def clock_jumps(folder, url, row, seconds, library=None, *, lasts_s=3):
    """The time of day jumps for this process alone, and back after a while.

    What measures durations does not. ``library``: libfaketime; ``None``: a patched Python.
    """
    key = await somebody(url, requests=100_000)
    clock = Clock(folder)
    world = {"environ": clock.environ(library)} if library else {"program": JUMPING}
    rest = "[ledger]\nlease_s = 60\n"
    async with Double([SLOW]) as vendor:
        settings = text(vendor, url, folder / "journal", rest=rest)
        async with node(folder, settings, key, **world) as one, Seen(one).watching() as seen:
            clock.set(seconds)
            first = await jumped(one, 1)
            await asyncio.sleep(lasts_s)
            log = one.heard("clock_jumped")
            clock.set(0)
            second = await jumped(one, 2)
            row.lasts = await well_again(one)
            await asyncio.sleep(0.5)
        seen.into(row, log=log)
    assert abs(first - seconds) < 30
    assert abs(second + seconds) < 30
    return row, seen
