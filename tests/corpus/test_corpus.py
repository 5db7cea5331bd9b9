"""The worst that one caller or one vendor can do is not felt by the others.

Beside each case somebody sends a light request every ten milliseconds. No turn of the worker's loop
may take longer than the goal, in CPU time, and no case may make it grow by much more than itself.
"""

import os
import sys
from pathlib import Path

import pytest

from corpus import cases, judging, stage

CASES = cases.named()
ROOT = Path(__file__).parents[2]
COMPILED = ROOT / ".compiled" / "bin" / "python"
SHARE = 0.05
FAST = 4
"""Of the cases every fourth runs with each check, at a twentieth of its size."""
TRIES = 6
"""Of which the best counts: a busy machine makes a turn longer, never shorter."""


async def wrongs(worker, name, share, tries=TRIES):
    """What a case did wrong in the best of some tries, its size and what was measured."""
    case = CASES[name](share)
    for _ in range(tries):
        found = worker.measure(case)
        assert worker.gateway.process.poll() is None, worker.gateway.log[-4000:]
        out = judging.wrongs(case, found)
        if not out:
            break
    return out, case.size(), found


async def played(folder, names, share, python=None):
    """All of these on one worker; the table's rows, and what went wrong."""
    rows, bad = [], []
    async with stage.worker(folder, python) as worker:
        for name in names:
            out, size, found = await wrongs(worker, name, share)
            rows.append((name, size, found))
            bad += [f"{name}: {one}" for one in out]
    return rows, bad


@pytest.mark.asyncio
async def test_nobody_is_held_up(tmp_path):
    """A part of the corpus, made small: what is quadratic shows even so."""
    names = [name for at, name in enumerate(CASES) if at % FAST == 0]
    _, bad = await played(tmp_path, names, SHARE)
    assert [] == bad, "\n".join(bad)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.asyncio
@pytest.mark.parametrize("build", ["plain", "compiled"])
async def test_nobody_is_held_up_at_full_size(tmp_path, build):
    """All of it, on either build. TRIVIUM_CORPUS names a folder for the table."""
    if build == "compiled" and not COMPILED.exists():
        pytest.skip("`make compiled` has not been run")
    python = COMPILED if build == "compiled" else sys.executable
    rows, bad = await played(tmp_path, CASES, 1.0, python)
    if folder := os.environ.get("TRIVIUM_CORPUS"):
        judging.note(Path(folder), build, rows)
    assert [] == bad, "\n".join(bad)


def test_the_corpus_is_large():
    """And has every shape on both sides of it."""
    assert len(CASES) >= 60
    for shape in stage.SHAPES:
        assert any(f": {shape} to " in name for name in CASES), shape
        assert any(name.endswith(f" to {shape}") for name in CASES)


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("undone", "name", "share"),
    [
        ("joined", "24,000 messages of one role: chat to messages", 1.0),
        ("address", "8 MiB of semicolons for a picture: chat to messages", 0.1),
        ("inflate", "a million gzip members: chat to messages", 1.0),
    ],
)
async def test_the_corpus_bites(tmp_path, undone, name, share):
    """What was mended once is seen as soon as it is put back."""
    async with stage.worker(tmp_path, undone=undone) as worker:
        out, _, _ = await wrongs(worker, name, share, tries=1)
    assert any("a turn of" in one for one in out)
