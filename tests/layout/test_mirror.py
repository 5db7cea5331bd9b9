"""Every module with code has a test file of the same name in the same place."""

import ast

import pytest

EXCEPTIONS: dict[str, str] = {}
"""Module path below ``src/trivium`` to the reason why it has no twin."""

MIGRATIONS = "storage/migrations/"
"""Steps that are only true together: ``storage/test_migrate.py`` walks them all."""


def has_code(tree):
    """Whether a module has a function with something to run.

    Declarations (structs, enums, protocols) have nothing that a test of their own could show.
    """
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not empty(node)
        for node in ast.walk(tree)
    )


def empty(function):
    """Whether a body is only a docstring, ``...`` or ``pass``."""
    return all(
        isinstance(step, ast.Pass)
        or (isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant))
        for step in function.body
    )


def twin(where):
    """Test file of a module: ``wire/sse.py`` has ``wire/test_sse.py``, ``__init__`` test_init."""
    folder, _, name = where.rpartition("/")
    name = f"test_{name.removesuffix('.py').strip('_')}.py"
    return f"{folder}/{name}" if folder else name


def orphans(sources, has_test, exceptions):
    """Modules without a twin, and exceptions nobody needs any more."""
    below = {source.where.removeprefix("src/trivium/"): source for source in sources}
    needed = {
        where
        for where, source in below.items()
        if has_code(source.tree) and not where.startswith(MIGRATIONS)
    }
    missing = {where for where in needed if not has_test(twin(where))}
    return sorted(
        [f"{where} has no tests/{twin(where)}" for where in missing - set(exceptions)]
        + [f"the exception for {where} is stale" for where in set(exceptions) - missing]
    )


def test_every_module_has_its_twin(sources, root):
    """Whoever changes a module knows which file tests it."""
    found = orphans(sources, lambda name: (root / "tests" / name).is_file(), EXCEPTIONS)
    assert [] == found, "\n".join(found)


CODE = "def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("where", "test"),
    [
        ("wire/sse.py", "wire/test_sse.py"),
        ("faults.py", "test_faults.py"),
        ("providers/__init__.py", "providers/test_init.py"),
        ("wire/chat/stream.py", "wire/chat/test_stream.py"),
        ("__main__.py", "test_main.py"),
    ],
)
def test_a_module_without_a_twin_is_caught(invent, where, test):
    """The rule can fail, and asks for the right name."""
    source = invent.of(f"src/trivium/{where}", CODE)
    assert [f"{where} has no tests/{test}"] == orphans([source], lambda _: False, {})
    assert [] == orphans([source], lambda name: name == test, {})


def test_a_stale_exception_is_caught(invent):
    """An exception goes when the test has come, or the module has gone."""
    source = invent.of("src/trivium/wire/sse.py", CODE)
    excused = {"wire/sse.py": "reason"}
    assert [] == orphans([source], lambda _: False, excused)
    assert ["the exception for wire/sse.py is stale"] == orphans([source], lambda _: True, excused)
    assert ["the exception for wire/sse.py is stale"] == orphans([], lambda _: False, excused)


@pytest.mark.parametrize(
    "text",
    ["", "X = 1", "class P:\n    def f(self):\n        'What.'\n        ...\n"],
)
def test_a_module_of_declarations_needs_no_twin(invent, text):
    """Structs, tables and protocols are tested where they are used."""
    assert [] == orphans([invent.of("src/trivium/wire/x.py", text)], lambda _: False, {})
