"""Measures that a catalogue in the database costs a request nothing: processor time of a request to
a gateway whose channels and models are in its file, and to one that has the same in its database.

usage: stored.py [--models N] [--python PROGRAM] [options of bench.py]

Three gateways of one worker on one core, asked in turn: a second one with everything in its file
says how far apart two that do the same are. The load and the figures are bench.py's: CPU
microseconds of the whole gateway, booking included, over the requests answered, and the median of
the rounds' own ratios.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bench
import calls

FILE, AGAIN, DATABASE = "file", "file again", "database"
PORTS = {FILE: 9141, AGAIN: 9142, DATABASE: 9143}
LOAD = ("--no-nginx", "--base", FILE, "--rounds", "15", "--seconds", "2", "--settle", "1.5")
CASES = ("--case", "chat:json:same", "--case", "chat:json:same@c1")
MODEL = """[[models]]
name = "more-{number}"
{price}
bindings = [{{ channel = "openai" }}]
"""


def main() -> int:
    """Start the gateways, have them measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=200, help="beside those that are asked for")
    parser.add_argument("--python", default=sys.executable, help="that of the checkout to measure")
    options, load = parser.parse_known_args()
    os.environ["BENCH_VENDOR_KEY"] = "sk-bench"
    sys.argv = ["bench.py", *LOAD, *(load if "--case" in load else [*CASES, *load])]
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        for kind, port in PORTS.items():
            folder = Path(name, kind.replace(" ", "-"))
            folder.mkdir()
            key, serve = prepared(options, kind, folder)
            pid = stack.enter_context(
                calls.running([*serve, "--listen", f"127.0.0.1:{port}"], port)
            )
            sys.argv += ["--key", f"{kind}={key}"]
            sys.argv += ["--target", f"{kind}=http://127.0.0.1:{port},{pid}"]
        return bench.main()


def prepared(options: argparse.Namespace, kind: str, folder: Path) -> tuple[str, list[str]]:
    """A key of a gateway in a folder, and the command that serves it."""
    text = calls.SETTINGS.format(folder=folder, vendor=bench.UPSTREAM_PORT, price=calls.PRICE)
    text += "".join(MODEL.format(number=i, price=calls.PRICE) for i in range(options.models))
    settings = folder / "trivium.toml"
    trivium = [str(Path(options.python).with_name("trivium"))]
    where = ["--config", str(settings)]
    calls.configure(text, settings, trivium, stored=kind == DATABASE)
    user = ["user", "create", "bench", "--email", "b@example.org", "--credit", "1000000"]
    subprocess.check_output([*trivium, *user, *where])
    create = [*trivium, "key", "create", *where, "--user", "bench"]
    key = subprocess.check_output(create).decode().strip()
    return key, ["taskset", "-c", bench.GATEWAY_CORE, *trivium, "serve", *where]


if __name__ == "__main__":
    sys.exit(main())
