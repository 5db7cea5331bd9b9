"""What the operating system says of this process."""

import mmap
import os
import time

from trivium.observe.metrics import process


def test_processor_time_grows_with_work():
    """In microseconds, of this process alone."""
    ((_, before),) = process.counters()
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    ((name, after),) = process.counters()
    assert ("process_cpu_seconds_total",) == name
    assert 40_000 < after - before < 5_000_000


def test_open_files_and_memory_are_counted():
    """What is opened is seen, and what is taken."""
    before = dict(process.gauges(12.5))
    fds = [os.open(os.devnull, os.O_RDONLY) for _ in range(7)]
    # pages of its own: what is allocated may lie where something was let go
    taken = mmap.mmap(-1, 40_000_000)
    taken.write(b"x" * len(taken))
    after = dict(process.gauges(12.5))
    for fd in fds:
        os.close(fd)
    assert 7 == after["process_open_fds",] - before["process_open_fds",]
    grown = after["process_resident_memory_bytes",] - before["process_resident_memory_bytes",]
    assert grown > len(taken) // 2
    taken.close()
    assert 12_500_000 == after["process_start_time_seconds",]


def test_a_system_without_proc_has_fewer_numbers(monkeypatch, tmp_path):
    """And no error."""
    monkeypatch.setattr(process, "_PROC", tmp_path)
    assert {("process_start_time_seconds",), ("process_max_fds",)} == set(dict(process.gauges(1.0)))
