"""Measures what budgets cost: processor time of a request with and without them, beside each other.

usage: budgets.py [--budgets N] [--python PROGRAM] [options of bench.py]

One gateway of one worker is asked with two keys in turn: a user's, and that of a service account that
counts against a budget of each of ``--budgets`` teams in each other. The load and the figures are
bench.py's: CPU microseconds of the whole gateway, booking included, over the requests answered, and
the median of the rounds' own ratios.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bench
import calls

NOBODY = "no team"
LOAD = ("--no-nginx", "--base", NOBODY, "--rounds", "15", "--seconds", "2", "--settle", "1.5")
CASES = ("--case", "chat:json:same", "--case", "chat:json:same@c1")


def keys(budgets: int, trivium: list[str], where: list[str]) -> dict[str, str]:
    """A key of each kind, by what the table calls it."""
    user = ["user", "create", "bench", "--email", "b@example.org", "--credit", "1000000"]
    subprocess.check_output([*trivium, *user, *where])
    owners = {NOBODY: "bench", f"{budgets} budgets": calls.company(budgets, trivium, where)}
    create = [*trivium, "key", "create", *where, "--user"]
    return {
        kind: subprocess.check_output([*create, owner]).decode().strip()
        for kind, owner in owners.items()
    }


def main() -> int:
    """Start the gateway, have it measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budgets", type=int, default=5, choices=range(1, 9))
    parser.add_argument("--python", default=sys.executable, help="that of the checkout to measure")
    options, load = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        return measured(options, load, Path(name))


def measured(options: argparse.Namespace, load: list[str], folder: Path) -> int:
    """Serve from a folder and let bench.py ask with either key; what it returns."""
    settings = folder / "trivium.toml"
    settings.write_text(
        calls.SETTINGS.format(folder=folder, vendor=bench.UPSTREAM_PORT, price=calls.PRICE)
    )
    os.environ["BENCH_VENDOR_KEY"] = "sk-bench"
    trivium = [str(Path(options.python).with_name("trivium"))]
    where = ["--config", str(settings)]
    by_kind = keys(options.budgets, trivium, where)
    serve = ["taskset", "-c", bench.GATEWAY_CORE, *trivium, "serve", *where]
    with calls.running([*serve, "--listen", f"127.0.0.1:{calls.PORT}"], calls.PORT) as pid:
        sys.argv = ["bench.py", *LOAD, *(load if "--case" in load else [*CASES, *load])]
        for kind, key in by_kind.items():
            sys.argv += ["--key", f"{kind}={key}"]
            sys.argv += ["--target", f"{kind}=http://127.0.0.1:{calls.PORT},{pid}"]
        return bench.main()


if __name__ == "__main__":
    sys.exit(main())
