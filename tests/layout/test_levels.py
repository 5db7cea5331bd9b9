"""Who may import whom: one table, the same as in docs/ARCHITECTURE.md.

A row may import the rows above it (lower levels), never one below or beside it unless listed.
"""

import ast
import re

import pytest

LEVELS = {
    "faults": 0,
    "clock": 0,
    "secret": 0,
    "conversation": 0,
    "wire": 1,
    "providers": 2,
    "storage": 3,
    "observe": 3,
    "settings": 3,
    "shared": 3,
    "mail": 3,
    "assets": 3,
    "uploads": 3,
    "identity": 4,
    "ledger": 4,
    "routing": 4,
    "upstream": 4,
    "plugin": 4,
    "admission": 5,
    "response_store": 5,
    "idempotency": 5,
    "oauth": 5,
    "jobs": 5,
    "catalogue": 5,
    "pipeline": 6,
    "edge": 7,
    "console": 7,
    "wiring": 8,
    "demo": 8,
    "cli": 8,
}

BESIDE = {
    ("conversation", "faults"): "an answer can break off, and a member can be refused",
    ("observe", "storage"): "request records are rows",
    ("assets", "storage"): "what is kept has a row with its owner and its end",
    ("assets", "settings.section"): "files lie where the settings say",
    ("mail", "settings.accounts"): "letters go by the server that the settings name",
    ("upstream", "routing.model"): "a call is made to a channel, with its time limits",
    ("ledger", "routing.model"): "a quote is made from a model's price",
    ("oauth", "admission"): "what an application spent is summed up as its budget is",
    ("cli", "wiring"): "the command line starts what the wiring builds",
    ("cli", "demo"): "the command line starts the demo",
}


def wanted(source):
    """(line, module below the package) of every import of ours."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "trivium":
                    yield node.lineno, alias.name.removeprefix("trivium").removeprefix(".")
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "." * node.level
        elif isinstance(node, ast.ImportFrom) and node.module == "trivium":
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("trivium."):
            yield node.lineno, node.module.removeprefix("trivium.")


def breaches(source):
    """Imports that point up or sideways, one line each."""
    own = source.module.split(".")[0]
    if own in ("", "__main__"):
        return []  # the package itself and `python -m trivium` belong to no row
    if own not in LEVELS:
        return [f"{source.where}: {own} has no row in the level table"]
    found = []
    for line, target in wanted(source):
        other = target.split(".")[0]
        if target.startswith("."):
            found.append(f"{source.where}:{line} imports relatively")
        elif other in (own, "", "__version__"):
            continue
        elif other not in LEVELS:
            found.append(f"{source.where}:{line} imports {target}, which has no row")
        elif LEVELS[other] >= LEVELS[own] and not listed(own, target):
            found.append(f"{source.where}:{line} imports {target} (level {LEVELS[other]})")
    return found


def listed(own, target):
    """Whether a sideways import is in the list of those we chose."""
    return any(
        own == a and (target == b or target.startswith(b + ".")) for a, b in BESIDE if a == own
    )


def test_imports_point_downward_only(sources):
    """The parts of the gateway form layers, not a knot."""
    found = [line for source in sources for line in breaches(source)]
    assert [] == found, "\n".join(found)


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("wire/x.py", "from trivium.providers.base import Provider"),
        ("wire/x.py", "from trivium.settings import Settings"),
        ("wire/x.py", "import trivium.clock\nimport trivium.ledger.model"),
        ("wire/x.py", "from trivium import providers"),
        ("wire/x.py", "from . import sse"),
        ("faults.py", "from trivium.secret import Secret"),
        ("storage/x.py", "from trivium.observe.record import Record"),
        ("identity/x.py", "from trivium.routing.model import Model"),
        ("upstream/x.py", "from trivium.routing.policy import plan"),
        ("upstream/x.py", "from trivium.routing import model_of"),
        ("ledger/x.py", "def f():\n    from trivium.pipeline import handle\n"),
        ("edge/x.py", "from trivium.console import pages"),
        ("edge/x.py", "from trivium.wiring import build"),
        ("edge/x.py", "from trivium.nowhere import thing"),
        ("stray/x.py", ""),
    ],
)
def test_an_import_against_the_grain_is_caught(invent, where, text):
    """The rule can fail: upward, sideways, relative, unknown, and inside a function."""
    assert breaches(invent.of(f"src/trivium/{where}", text))


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("wire/x.py", "from trivium.faults import Fault\nfrom trivium.wire.sse import Reader"),
        ("upstream/x.py", "from trivium.routing.model import TimeLimits"),
        ("ledger/x.py", "from trivium.routing.model import Model"),
        ("cli/main.py", "from trivium import __version__\nfrom trivium.wiring import build"),
        ("wiring.py", "from trivium.edge.server import Server"),
    ],
)
def test_a_downward_or_listed_import_passes(invent, where, text):
    """The rule does not fail on what is allowed."""
    assert [] == breaches(invent.of(f"src/trivium/{where}", text))


def test_the_architecture_page_shows_the_same_table(root):
    """People read the page; it must not tell another story than this table."""
    page = (root / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| (\d) \| (.+?) \|", page)
    shown = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert shown == LEVELS
