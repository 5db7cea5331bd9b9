"""What the operating system says of this process, for the ``process_*`` numbers.

Names and meanings are those of the Prometheus client libraries ("Process metrics", read
2026-11-23). Where there is no ``/proc`` the numbers that come from there are left out.
"""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trivium.observe.metrics.counters import Key
from trivium.observe.metrics.model import FDS, FDS_MAX, MEMORY, PROCESSOR, STARTED

_PROC: Final = Path("/proc/self")


def counters() -> Iterator[tuple[Key, int]]:
    """Yield the numbers that only grow: processor time in microseconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield (PROCESSOR.name,), round((used.ru_utime + used.ru_stime) * 1e6)


def gauges(started: float) -> Iterator[tuple[Key, int]]:
    """Yield the numbers that go up and down. ``started``: when the worker began, epoch seconds."""
    yield (STARTED.name,), round(started * 1e6)
    yield (FDS_MAX.name,), resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        pages = int((_PROC / "statm").read_text().split()[1])
        fds = sum(1 for _ in os.scandir(_PROC / "fd"))
    except OSError:
        return
    yield (MEMORY.name,), pages * resource.getpagesize()
    yield (FDS.name,), fds
