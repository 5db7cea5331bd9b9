"""Fuzzes a target of tests/fuzz/targets.py: run.py TARGET SECONDS [options of libFuzzer]."""

import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "fuzz" / "found"
MEMORY_MIB = 1024
SLOWEST_S = 5

sys.path[:0] = [str(ROOT / "tests")]
with atheris.instrument_imports(include=["trivium"]):
    from fuzz.targets import held, seeds, targets


def main() -> None:
    """Run until the time is over, or something is found: it is written to fuzz/found."""
    name, seconds, *options = sys.argv[1:]
    run = targets()[name]
    kept = FOUND / name
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as begun:
        for number, seed in enumerate(seeds(name)):
            Path(begun, f"{number}").write_bytes(seed)
        flags = [
            f"-max_total_time={seconds}",
            f"-timeout={SLOWEST_S}",
            f"-rss_limit_mb={MEMORY_MIB}",
            f"-artifact_prefix={kept}/",
            "-verbosity=0",
            "-print_final_stats=1",
        ]
        atheris.Setup(
            [sys.argv[0], *flags, *options, begun, str(kept)], lambda data: held(run, data)
        )
        atheris.Fuzz()


main()
