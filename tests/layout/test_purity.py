"""Levels 0 to 2 are pure: no I/O, no clock, no randomness, no logging, nothing awaited.

The rule is an allow-list, so that a new import in the pure core is a decision and not an accident.
"""

import ast

import pytest

PURE = ("conversation", "wire", "providers", "faults", "secret")

ALLOWED = frozenset(
    {
        "abc",
        "array",
        "base64",
        "bisect",
        "binascii",
        "codecs",
        "collections",
        "collections.abc",
        "contextlib",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "hmac",
        "ipaddress",
        "itertools",
        "math",
        "msgspec",
        "operator",
        "re",
        "string",
        "struct",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "zlib",
    }
)

EXCEPTIONS = {
    ("wire", "python_multipart.exceptions"): "boundaries are found by a library that does no I/O",
    ("wire", "python_multipart.multipart"): "boundaries are found by a library that does no I/O",
    **dict.fromkeys(
        [
            ("providers", name)
            for name in (
                "botocore",
                "botocore.config",
                "botocore.credentials",
                "botocore.session",
            )
        ],
        "an identity in AWS is found by a library, which a thread imports and waits for",
    ),
    ("wire", "importlib"): "rows of clouds' modules are imported when one is first asked for",
    ("providers", "importlib"): "the registry reads its table from inside the package",
    ("providers", "importlib.resources"): "the registry reads its table from inside the package",
    ("providers", "tomllib"): "the table of compatible providers is TOML",
    **{
        ("providers", name): "a finder's library, imported in the finder's own thread"
        for name in ("azure.core.exceptions", "azure.identity", "google.auth", "google.oauth2")
    },
}

CALLS = frozenset({"open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"})
READINGS = frozenset({"now", "today", "utcnow"})
AWAITS = (ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)


def imported(tree):
    """(line, module) of every import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def impurities(source):
    """Everything in a pure module that is not pure, one line each."""
    row = source.module.split(".")[0]
    found = []
    for line, name in imported(source.tree):
        ours = name == "trivium" or name.startswith("trivium.")
        if not ours and name not in ALLOWED and (row, name) not in EXCEPTIONS:
            found.append(f"{source.where}:{line} imports {name}")
    for node in ast.walk(source.tree):
        if isinstance(node, AWAITS):
            found.append(f"{source.where}:{node.lineno} awaits")
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in CALLS:
                found.append(f"{source.where}:{node.lineno} calls {node.func.id}")
            elif isinstance(node.func, ast.Attribute) and node.func.attr in READINGS:
                found.append(f"{source.where}:{node.lineno} reads a clock")
    return found


def test_the_lower_levels_are_pure(sources):
    """Protocol and provider code can be tested with bytes alone."""
    pure = [source for source in sources if source.module.split(".")[0] in PURE]
    assert pure
    found = [line for source in pure for line in impurities(source)]
    assert [] == found, "\n".join(found)


@pytest.mark.parametrize(
    "bad",
    [
        "import asyncio",
        "import socket",
        "import ssl",
        "import time",
        "import random",
        "import secrets",
        "import logging",
        "import structlog",
        "import os",
        "from os import path",
        "import os.path",
        "import subprocess",
        "import threading",
        "import httptools",
        "import uvloop",
        "import sqlalchemy",
        "import tomllib",
        "from . import sse",
        "def f():\n    import time\n",
        "async def f(): ...",
        "async def f(x):\n    await x",
        "open('x')",
        "print('x')",
        "import datetime\ndatetime.datetime.now()",
        "import datetime\ndatetime.date.today()",
    ],
)
def test_an_impure_module_is_caught(invent, bad):
    """The rule can fail, in each of its ways."""
    assert impurities(invent.of("src/trivium/wire/bad.py", bad))


def test_an_exception_holds_for_its_row_only(invent):
    """What the registry may import, a codec may not."""
    assert [] == impurities(invent.of("src/trivium/providers/registry.py", "import tomllib"))
    assert impurities(invent.of("src/trivium/wire/chat.py", "import tomllib"))


def test_a_pure_module_passes(invent):
    """The rule does not fail on what is allowed."""
    text = "import re\nfrom trivium.faults import Fault\n\ndef f(x):\n    return re.escape(x)\n"
    assert [] == impurities(invent.of("src/trivium/wire/good.py", text))
