"""A process that serves has no Rich, and whoever wants it may have it all the same."""

import subprocess
import sys

import pytest

FAILING = """
import trivium.cli, structlog
from trivium.observe import logs
logs.setup(form="text")
try:
    1 / 0
except ZeroDivisionError:
    structlog.get_logger().exception("broke")
"""
CASES = {
    "ours": ("import trivium.cli", "False False"),
    "an exception": (FAILING, "False False"),
    "wanted later": ("import trivium.cli, rich.console", "True False"),
    "there before": ("import rich.traceback, trivium.cli, structlog.dev", "True True"),
}
"""What a fresh interpreter does, and whether it has Rich then, and structlog has."""


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_rich_is_there_for_whoever_asks_for_it(source, expected):
    """And for nobody else."""
    asked = "import sys; print('rich' in sys.modules, structlog.dev.rich is not None)"
    done = subprocess.run(
        [sys.executable, "-c", f"{source}\nimport structlog.dev\n{asked}"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert expected == done.stdout.strip()
    assert ("ZeroDivisionError" in done.stderr) is ("1 / 0" in source)
