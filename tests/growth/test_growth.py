"""Twice as much of anything takes twice as long: no pass over a list or a text is quadratic.

What is measured is found by walking the registries (``rows.py``): the codecs' jobs, the operations'
passages, and the passes between them. CPU time counts, the best of several.
"""

import ast
import inspect
import sys
from pathlib import Path

import pytest

from growth import asked, rows, streams, told
from growth.exempt import EXEMPT
from growth.measuring import FACTOR, growth, unswept
from trivium.wire.codecs import CODECS
from trivium.wire.registry import PASSAGES

ROWS = rows.rows()
SOURCES = Path(inspect.getfile(rows.peek)).parents[1]
SMALL, SAMPLED = 400, 9
SHARES = 24
"""Into so many tests the rows are dealt: one for each would take longer to report than to run."""

WALKED = ("conversation", "wire", "recall/items.py", "recall/traces/model.py", "providers/repair")
"""What is pure and works on what callers and vendors send."""

MENDED = (
    "write answer generate thoughts",
    "write stream generate thoughts_all_open",
    "pass over events candidates rounds",
    "pass over repair of responses citations",
    "pass over form written",
)
"""Rows that were quadratic, and are looked at in every run, where a large size shows it."""


def measured(names, small, doublings, allowed=FACTOR):
    """Those that grow too fast, with how they do."""
    found = []
    with unswept():
        for name in names:
            size, many, factor = growth(ROWS[name], small, doublings, allowed)
            if factor > allowed:
                found.append(f"{name}: x {factor:.2f} a doubling, {many * 1000:.0f} ms at {size}")
    return found


@pytest.mark.parametrize("share", range(SHARES))
def test_twice_as_much_takes_twice_as_long(share):
    """A sample of all rows that differs from day to day in nothing: every ninth."""
    names = sorted(ROWS)[share * SAMPLED :: SHARES * SAMPLED]
    found = measured(names, SMALL, 3)
    assert [] == found, "\n".join(found)


@pytest.mark.parametrize("name", MENDED)
def test_what_was_quadratic_is_linear_at_full_size(name):
    """12, 25, 50 and 100 thousand."""
    found = measured([name], 12_500, 3)
    assert [] == found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("share", range(SHARES))
def test_twice_as_much_takes_twice_as_long_at_full_size(share):
    """12, 25, 50 and 100 thousand of everything."""
    found = measured(sorted(ROWS)[share::SHARES], 12_500, 3)
    assert [] == found, "\n".join(found)


def test_every_shape_and_operation_has_rows():
    """One that is new has none, and is named here."""
    assert set(PASSAGES) == set(rows.WORDS)
    for shape in rows.CALLERS:
        assert asked.kinds(shape.value)
    for shape in CODECS:
        assert told.whole_kinds(shape.value)
        assert streams.kinds(shape.value)
    for operation, passage in PASSAGES.items():
        assert told.whole_kinds(told.words(operation))
        assert passage.watch is None or streams.kinds(told.words(operation))


def loops(tree):
    """Lines of functions that go through something: where a pass over a list can be."""
    kinds = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(one, kinds) for one in ast.walk(node)
        ):
            yield node.name, node.lineno


def walked():
    """Each function with a loop in what is pure, as (file, name, line)."""
    found = set()
    for place in WALKED:
        path = SOURCES / place
        for file in [path] if path.suffix else sorted(path.rglob("*.py")):
            for name, line in loops(ast.parse(file.read_text())):
                found.add((file.relative_to(SOURCES).as_posix(), name, line))
    return found


def reached():
    """The functions that the rows call, each row with a few of everything."""
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            code = frame.f_code
            seen.add((code.co_filename, code.co_name))

    for make in ROWS.values():
        work = make(6)
        sys.setprofile(note)
        try:
            work()
        finally:
            sys.setprofile(None)
    prefix = f"{SOURCES}/"
    return {(file.removeprefix(prefix), name) for file, name in seen}


@pytest.mark.skipif(
    not rows.peek.__file__.endswith(".py"), reason="compiled functions are not seen"
)
def test_every_pass_has_a_row():
    """A function with a loop that no row calls is tested by nobody, unless it is said why not."""
    called = reached()
    missing = {(file, name) for file, name, _ in walked() if (file, name) not in called}
    exempt = set(EXEMPT)
    assert [] == sorted(f"{file} {name} has no row" for file, name in missing - exempt)
    assert [] == sorted(
        f"the exception for {file} {name} is stale" for file, name in exempt - missing
    )
