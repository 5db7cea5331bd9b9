"""What a case may do to a worker: the goal, and the table that says how near each came."""

import datetime as dt
import os

from corpus.stage import MIB

TURN_MS, MIB_MS, FREE_MIB = 50, 10, 8
"""Of the loop at a time: for bodies of up to 8 MiB, and for each MiB beyond."""
SLACK = 16 * MIB
"""Of memory: what a small case may grow by. Allocators take and keep it in such steps."""
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


def table(rows, build):
    """The rows as a page has them: (name, size, measured)."""
    lines = [
        "| case | MiB | longest turn, ms of CPU | grown, MiB | kept, MiB |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {name} | {size / MIB:.1f} | {one.turn_ms:.0f} | {one.grown / MIB:.0f} | {one.kept / MIB:.0f} |"
        for name, size, one in rows
    ]
    day = dt.datetime.now(dt.UTC).date()
    return f"{build}, {os.cpu_count()} cores, {day}:\n\n" + "\n".join(lines) + "\n"
