"""Measures what budgets cost: processor time of a request with and without them, beside each other.

usage: budgets.py [--budgets N] [--rounds N] [--requests N] [--python PROGRAM]

One gateway of one worker is asked by two keys in turn: a user's, and that of a service account that
counts against a budget of each of ``--budgets`` teams in each other. What the worker's threads have
run is read from the kernel (``/proc/PID/task/*/schedstat``), which other processes do not disturb
as they do clocks; what is booked meanwhile is in it. The least of all rounds are compared: whatever
else runs only adds.
"""

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import calls

CASE = calls.CASES["same shape"]


def ran_ns(pid: int) -> int:
    """What the threads of a process have run, in nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks)


def measured(connection: http.client.HTTPConnection, key: str, pid: int, requests: int) -> float:
    """Microseconds a request, booked."""
    began = ran_ns(pid)
    for _ in range(requests):
        calls.ask(connection, *CASE, key)
    time.sleep(1.5)  # a turn with the database
    return (ran_ns(pid) - began) / requests / 1000


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budgets", type=int, default=5, choices=range(1, 9))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--python", default=sys.executable, help="that of the checkout to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        show(options, Path(name))
    return 0


def show(options: argparse.Namespace, folder: Path) -> None:
    """Start both servers in ``folder`` and print what both keys cost."""
    settings = folder / "trivium.toml"
    filled = calls.SETTINGS.format(folder=folder, vendor=calls.VENDOR_PORT, price=calls.PRICE)
    settings.write_text(filled)
    os.environ["BENCH_VENDOR_KEY"] = "sk-bench"
    trivium = [str(Path(options.python).with_name("trivium"))]
    where = ["--config", str(settings)]
    user = ["user", "create", "bench", "--email", "b@example.org", "--credit", "1000"]
    subprocess.check_output([*trivium, *user, *where])
    keys = {
        kind: subprocess.check_output([*trivium, "key", "create", "--user", owner, *where]).decode()
        for kind, owner in (
            ("no team", "bench"),
            (f"{options.budgets} budgets", calls.company(options.budgets, trivium, where)),
        )
    }
    vendor = [sys.executable, calls.__file__, "--vendor"]
    serve = [*trivium, "serve", *where, "--listen", f"127.0.0.1:{calls.PORT}"]
    found: dict[str, list[float]] = {kind: [] for kind in keys}
    with (
        calls.running(vendor, calls.VENDOR_PORT),
        calls.running(serve, calls.PORT) as pid,
    ):
        connection = http.client.HTTPConnection("127.0.0.1", calls.PORT, timeout=10)
        for number in range(options.rounds + 1):
            for kind, key in keys.items():
                took = measured(connection, key.strip(), pid, options.requests)
                if number:  # the first is for imports and leases
                    found[kind].append(took)
    before = min(next(iter(found.values())))
    print(f"{'key':12} {'us a request':>12} {'more':>7} {'median':>8}")
    for kind, each in found.items():
        least, median = min(each), statistics.median(each)
        print(f"{kind:12} {least:12.1f} {least / before - 1:7.1%} {median:8.1f}")


if __name__ == "__main__":
    sys.exit(main())
