"""The table of what is to be reached: every row measured beside nginx, printed beside its target.

usage: table.py [options of bench.py] [--only WORDS]

``bench/run.sh table`` sets up this checkout and calls it. A row has several cases; shown are the least
and the greatest of their medians, and the target is met when the greatest is. Rows of milliseconds
are read beside nginx's own in the same run, since both share the load's core. ``--only``: rows whose
name holds the words.
"""

import argparse
import contextlib
import copy
import datetime as dt
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bench

SHAPES = ("chat", "messages", "responses", "generate")
PAIRS = [(shape, other) for shape in SHAPES for other in SHAPES if shape != other]
DELAY_PORT = 9101
DELAYED = 1000
"""Streams at once of which the delay is measured."""
Rows = dict[tuple[str, str], list[dict[str, Any]]]


class Row(NamedTuple):
    """A line of the table."""

    name: str
    target: float
    """What the greatest of its cases may be; for ``tail`` 0 stands for nginx's own."""
    cases: list[str]
    kind: str = "cpu"
    """cpu: times nginx's; tail: the 99th percentile in milliseconds; memory: MiB after them."""
    paced: bool = False


def same(more: str, kind: str = "json") -> list[str]:
    """Every shape asked in its own."""
    return [f"{shape}:{kind}{more}" for shape in SHAPES]


def translated(more: str, kind: str = "json") -> list[str]:
    """Every pair of two shapes."""
    return [f"{shape}:{kind}:to-{other}{more}" for shape, other in PAIRS]


FEW = ["chat:json", "messages:json"]
TABLE = (
    Row("JSON, same shape, c = 8 and 32, 0.5 and 16 KiB", 2.2,
        [case for more in ("@c8", "@c32", "@c8@16k", "@c32@16k") for case in same(more)]),
    Row("JSON, same shape, c = 1", 1.7, same("@c1")),
    Row("JSON, translated, 0.5 KiB", 3.0, translated("@c32")),
    Row("stream of 100 in bulk, same shape", 0.9, same("@c32", "stream")),
    Row("stream of 100 in bulk, translated", 1.3, translated("@c32", "stream")),
    Row("p99 of JSON at c = 8, ms", 1.5, [f"{case}@c8" for case in FEW], "tail"),
    Row("p99 of JSON at c = 32, ms", 0, [f"{case}@c32" for case in FEW], "tail"),
    Row("resident after these, MiB", 80, ["chat:json@c32"], "memory"),
    Row("JSON, same shape, 400 KiB, c = 1", 2.5, same("@c1@400k")),
    Row("JSON, same shape, 400 KiB, c = 8", 3.5, same("@c8@400k")),
    Row("JSON, translated, 400 KiB, c = 1", 4.0, translated("@c1@400k")),
    Row("JSON, translated, 400 KiB, c = 8", 6.0, translated("@c8@400k")),
    Row("resident after prompts of 400 KiB, MiB", 100, ["chat:json@c8@400k"], "memory"),
    Row("stream paced at 20 ms, 100 at once, same shape", 1.2, same("@c100", "stream"), paced=True),
    Row("stream paced at 20 ms, 1,000 at once, same shape", 1.2, ["chat:stream@c1000"], paced=True),
    Row("stream paced at 20 ms, 100 at once, translated", 1.3,
        ["chat:stream:to-messages@c100", "messages:stream:to-chat@c100"], paced=True),
)  # fmt: skip


def measured(row: Row, rows: Rows) -> list[tuple[float, float]]:
    """Of each case the gateway's figure and nginx's; 1 for nginx where the figure is a ratio."""
    out = []
    for (case, name), found in rows.items():
        if name == "nginx":
            continue
        beside = rows.get((case, "nginx"), [])
        if row.kind == "memory":
            out.append((found[-1]["rss"], beside[-1]["rss"] if beside else 0.0))
        elif row.kind == "tail":
            p99 = [statistics.median(one["p99"] for one in each) for each in (found, beside)]
            out.append((p99[0], p99[1]))
        else:
            pairs = zip(found, beside, strict=True)
            out.append(
                (statistics.median(a["cpu_us"] / max(b["cpu_us"], 1e-9) for a, b in pairs), 1)
            )
    return out


def line(name: str, figures: list[tuple[float, float]], target: float, failed: int = 0) -> str:
    """One line: the range, nginx's worst where that is no ratio, the target, whether it is met."""
    values = [mine for mine, _ in figures]
    beside = max(nginx for _, nginx in figures)
    limit = target or beside
    low, high = min(values), max(values)
    shown = f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
    other = "" if beside == 1 else f"{beside:.2f}"
    told = f"{limit:g}" if target else "nginx's"
    met = "yes" if high <= limit else "no"
    return f"| {name} | {shown} | {other} | {told} | {met} |" + (
        f" {failed} failed" if failed else ""
    )


def delayed(options: argparse.Namespace, tmp: Path, targets: dict[str, tuple[str, int]]) -> str:
    """What a piece's way takes through the gateway, beside the way without one: the last line."""
    program, body = tmp / "delay", tmp / "delay.json"
    source = Path(__file__).with_name("delay.c")
    subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
    body.write_text(json.dumps(bench.body("chat", True, "delayed"), separators=(",", ":")))
    figures = []
    ports = [int(url.rsplit(":", 1)[1]) for name, (url, _) in targets.items() if name != "nginx"]
    for port in (ports[0], DELAY_PORT):
        command = ["taskset", "-c", bench.LOAD_CORE, str(program), str(DELAY_PORT), str(port)]
        command += [str(DELAYED), "100", "20", bench.PATHS["chat"], str(body), *options.header]
        out = subprocess.run(command, capture_output=True, text=True, check=False)
        if out.returncode:
            return f"| delay of a piece | {out.stdout.strip()} {out.stderr.strip()} | | 10 | no |"
        figures.append(float(out.stdout.split()[5]))
    name = f"p99 of what a piece's way takes longer, {DELAYED:,} paced streams, ms"
    return line(name, [(max(0.0, figures[0] - figures[1]), figures[1])], 10)


@contextlib.contextmanager
def started(options: argparse.Namespace, paced: bool) -> Iterator[tuple[Path, dict[str, Any]]]:
    """A run of everything, whose vendor is paced or not."""
    own = copy.copy(options)
    own.chunk_ms = "20" if paced else "0"
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, contextlib.ExitStack() as stack:
        yield Path(folder), bench.start(own, Path(folder), stack)


def main() -> int:
    """Measure, print, and end with 1 where a request failed; a target that is missed is no failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--start", action="append", default=[], metavar="NAME=PORT=COMMAND")
    parser.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.target, options.no_nginx, options.first_byte_ms = [], False, "0"
    options.connections, options.model, options.generate_prefix = 32, "bench-model", ""
    for tool, package in (("gcc", "gcc libc6-dev"), ("wrk", "wrk"), ("nginx", "nginx-light")):
        bench.need(tool, package)
    today = dt.datetime.now(tz=dt.UTC).date()
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    print(f"{today}, {machine}, {options.rounds} rounds of {options.seconds} s.\n", flush=True)
    print("| row | measured | nginx | to reach | reached |\n| --- | --- | --- | --- | --- |")
    wanted: Callable[[Row], bool] = lambda row: options.only in row.name  # noqa: E731
    broken = 0
    for paced in (False, True):
        rows = [row for row in TABLE if row.paced is paced and wanted(row)]
        if not rows and not (paced and options.only in "delay of a piece"):
            continue
        with started(options, paced) as (tmp, targets):
            if not paced:
                idle = [bench.rss_mib(pid) for name, (_, pid) in targets.items() if name != "nginx"]
                print(line("resident, idle, MiB", [(idle[0], 1)], 60), flush=True)
            for row in rows:
                own = copy.copy(options)
                own.case = row.cases
                found = bench.measure(own, tmp, targets)
                failed = sum(one["refused"] for each in found.values() for one in each)
                broken += failed
                print(line(row.name, measured(row, found), row.target, failed), flush=True)
            if paced:
                print(delayed(options, tmp, targets), flush=True)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
