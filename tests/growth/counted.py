"""How the instructions of a row grow: they are the same beside any neighbour and in any cache.

Valgrind counts them, fifty times as slowly as they run: only for what seems to grow too fast in
time at every size. What each row's input takes to be made is counted by itself and left out.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SMALL, DOUBLINGS = 12_500, 2
_COLLECTED = re.compile(r"Collected : (\d+)")


def growth(name, smallest=SMALL):
    """How many times as many instructions each doubling takes; without Valgrind no end of them."""
    if shutil.which("valgrind") is None:
        return float("inf")
    sizes = (smallest, smallest << DOUBLINGS)
    small, large = (count(name, size) - count(name, size, 0) for size in sizes)
    return (large / small) ** (1 / DOUBLINGS)


def count(name, size, times=1):
    """Instructions of a process that makes a row's input and works on it so many times."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    done = subprocess.run(
        [*command, "-m", "growth.counted", name, str(size), str(times)],
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
        timeout=1800,
    )
    return int(_COLLECTED.search(done.stderr)[1])


def main(name, size, times):
    """What is counted."""
    from growth.measuring import unswept
    from growth.rows import rows

    with unswept():
        work = rows()[name](int(size))
        for _ in range(int(times)):
            work()


if __name__ == "__main__":
    main(*sys.argv[1:])
