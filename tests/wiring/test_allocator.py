"""Memory of large bodies is given back once they are gone."""

import ctypes
import subprocess
import sys

import pytest

from trivium.wiring import allocator

PROGRAM = """
import sys
from trivium.wiring import allocator

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

if sys.argv[1] == "tuned":
    assert allocator.tune()
before = resident()
kept = []
for round in range(3):
    bodies = [bytearray(size) for size in (3_000_000, 20_000_000, 30_000_000) * 4]
    for body in bodies:
        body[::4096] = b"x" * len(body[::4096])
    kept.append([bytes(200_000) for _ in range(20)])
    peak = resident()
    del bodies, body
print(resident() - before - sum(map(len, sum(kept, []))), peak - before)
"""


def grown(how):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True
    )
    return map(int, ran.stdout.split())


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="not the GNU library")
def test_what_large_bodies_took_is_given_back():
    """Within a tenth, though smaller blocks made meanwhile stay."""
    left, peak = grown("tuned")
    assert peak > 200_000_000
    assert left < peak / 10


def test_a_library_without_the_call_is_left_alone(monkeypatch):
    """It serves as well."""
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda _: object())
    assert not allocator.tune()
