"""What a case may do to a worker: the goal, and the table that says how near each came."""

import datetime as dt
import json
import os

from corpus.stage import MIB

TURN_MS, MIB_MS, FREE_MIB = 50, 10, 8
"""Of the loop at a time: for bodies of up to 8 MiB, and for each MiB beyond."""
SLACK = 16 * MIB
"""Of memory: what a small case may grow by. Allocators take and keep it in such steps."""
BUILDS = ("plain", "compiled")
KEPT = 0.2
"""Of what the worker had before, when it is over."""


def allowed_ms(size):
    return TURN_MS + MIB_MS * max(0.0, size / MIB - FREE_MIB)


def wrongs(case, found):
    """What a case did that it must not."""
    size = case.size()
    out = []
    if found.turn_ms > allowed_ms(size):
        out.append(f"a turn of {found.turn_ms:.0f} ms where {allowed_ms(size):.0f} are allowed")
    if found.grown > 2 * size + SLACK:
        out.append(f"grew by {found.grown / MIB:.0f} MiB for {size / MIB:.1f}")
    if found.kept > KEPT * found.before + SLACK:
        out.append(f"kept {found.kept / MIB:.0f} MiB")
    if found.lost:
        out.append(f"{found.lost} light requests were not answered")
    return out


def note(folder, build, rows):
    """Keep what was measured on a build, and the table of all builds that were measured there."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        name: [
            round(size / MIB, 1),
            round(one.turn_ms),
            round(one.grown / MIB),
            round(one.kept / MIB),
        ]
        for name, size, one in rows
    }
    (folder / f"{build}.json").write_text(json.dumps(found, indent=1))
    builds = {
        name: json.loads(path.read_text())
        for name in BUILDS
        if (path := folder / f"{name}.json").exists()
    }
    (folder / "table.md").write_text(table(builds))


def table(builds):
    """The rows as the page has them. Builds by name, each with (MiB, ms, MiB, MiB) by case."""
    day = dt.datetime.now(dt.UTC).date()
    heads = "".join(f" {name}: ms | grown | kept |" for name in builds)
    lines = [
        f"{os.cpu_count()} cores, {day}:",
        "",
        f"| case | MiB |{heads}",
        "| --- | --- |" + " --- | --- | --- |" * len(builds),
    ]
    every = {name: row[0] for rows in builds.values() for name, row in rows.items()}
    for name, size in every.items():
        cells = [rows.get(name, ["", "", "", ""])[1:] for rows in builds.values()]
        lines.append(
            f"| {name} | {size} | " + " | ".join(str(one) for row in cells for one in row) + " |"
        )
    return "\n".join(lines) + "\n"
