"""What the fuzzer begins with, and whatever it once found: faults and nothing else come of it.

`make fuzz` goes on from here, guided by what each input reaches (fuzz/README.md).
"""

from pathlib import Path

import pytest

from fuzz.targets import held, seeds, targets

FOUND = Path(__file__).parents[2] / "fuzz" / "found"
TARGETS = targets()


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_nothing_but_faults(name):
    """Seeds whole, cut short and with a byte changed; then what was found."""
    run = TARGETS[name]
    for seed in seeds(name):
        held(run, seed)
        for at in range(1, len(seed), max(1, len(seed) // 24)):
            held(run, seed[:at])
            held(run, seed[:at] + b"\xff" + seed[at + 1 :])
            held(run, seed[:at] + b'"' + seed[at:])
    for path in sorted((FOUND / name).glob("*")):
        held(run, path.read_bytes())


def test_what_was_found_belongs_to_a_target():
    """A folder for each, by its name."""
    assert {path.name for path in FOUND.iterdir() if path.is_dir()} <= set(TARGETS)
