"""Start-up is a budget: what relays must not wait for what shows pages or moves tables.

Every module of the relay's path is imported in a fresh interpreter, one after the other, and the
first one that draws in something heavy is named.
"""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "alembic",
    "aiosqlite",
    "asyncpg",
    "cryptography",
    "jinja2",
    "opentelemetry",
    "pydantic",
    "requests",
    "sqlalchemy",
    "starlette",
    "stripe",
    "tiktoken",
    "typer.rich_utils",
    "xllamacpp",
)
"""What may be imported late, never at start.

`rich` itself is not among them: structlog imports it wherever it is installed, for 35 ms.
"""

LATE = {
    "storage": "the database is opened after the socket",
    "console": "pages come after relaying",
    "edge.pages": "pages come after relaying",
    "wiring.console": "built at the first page for people",
    "edge.openapi": "described when somebody asks",
    "demo": "a process of its own",
    "identity.accounts": "people log in at pages",
    "identity.directory": "administrators are people too",
    "identity.announcements": "people are told where the pages are",
    "identity.erasure": "people are erased at pages and commands",
    "identity.revocation": "accounts end at pages and commands",
    "identity.scim": "directories come where the pages are",
    "identity.service": "users are made at pages and commands",
    "identity.snapshot": "keys are read from the database",
    "identity.teams.invitations": "people are invited at pages and commands",
    "identity.teams.letters": "letters are written beside the database",
    "identity.teams.listing": "teams are listed where the pages are",
    "identity.teams.membership": "people come and go at pages and commands",
    "identity.teams.service": "teams are made at pages and commands",
    "identity.user_keys": "keys are changed at pages and commands",
    "oauth": "applications come by the pages",
}
"""Modules, and those below them, that are imported at first use."""

CPU_SECONDS_MAX = 1.0
"""Processor time of all imports together; twice what a slow laptop needs."""

SOURCES = Path(__file__).resolve().parents[2] / "src"
"""Of this very tree, wherever the package is installed from."""

SCRIPT = """
import importlib, sys, time
sys.path.insert(0, sys.argv[3])
began = time.process_time()
for name in sys.argv[2].split():
    importlib.import_module(name)
    drawn = [heavy for heavy in sys.argv[1].split() if heavy in sys.modules]
    if drawn:
        raise SystemExit(f"{name} imports {', '.join(drawn)}")
print(time.process_time() - began)
"""


def relaying(sources):
    """Modules that are imported before the gateway listens, in the order of their names."""
    names = [f"trivium.{source.module}" for source in sources if source.module and early(source)]
    return ["trivium", *names]


def early(source):
    """Whether a module belongs to the relay's path; of the commands only their entrance does."""
    if source.path.name in ("store.py", "__main__.py"):
        return False
    if source.module.split(".")[0] == "cli":
        return source.module in ("cli", "cli.main")
    return not any(source.module == late or source.module.startswith(f"{late}.") for late in LATE)


def start(*names):
    """Import modules in a fresh interpreter: its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", SCRIPT, " ".join(HEAVY), " ".join(names), str(SOURCES)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={},  # without the coverage of the run, which would be measured too
    )
    return done.returncode, (done.stdout + done.stderr).strip()


def test_the_relay_imports_nothing_heavy(sources):
    """Listening does not wait for the database layer, the pages or the tables."""
    names = relaying(sources)
    assert {"trivium.faults", "trivium.settings.model", "trivium.wire.sse"} <= set(names)
    start(*names)  # compiled once, as an installed package is
    code, said = start(*names)
    assert (0, True) == (code, code == 0 and float(said) < CPU_SECONDS_MAX), said


@pytest.mark.parametrize("heavy", ["sqlalchemy", "starlette", "pydantic"])
def test_a_heavy_import_is_caught(heavy):
    """The rule can fail, and names the module."""
    assert (1, f"{heavy} imports {heavy}") == start("trivium.faults", heavy)
