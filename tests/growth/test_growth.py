"""Twice as much of anything takes twice as long: no pass over a list or a text is quadratic.

What is measured is found by walking the registries (``rows.py``): the codecs' jobs, the operations'
passages, and the passes between them. CPU time counts, the best of several.
"""

import ast
import inspect
import sys
from pathlib import Path

import pytest

from growth import asked, counted, rows, streams, told
from growth.exempt import EXEMPT
from growth.measuring import FACTOR, LONG_S, growth, unswept
from trivium.wire.codecs import CODECS
from trivium.wire.registry import PASSAGES

ROWS = rows.rows()
SOURCES = Path(inspect.getfile(rows.peek)).parents[1]
SMALL, SAMPLED = 400, 18
SHARES = 24
"""Into so many tests the rows are dealt: one for each would take longer to report than to run."""

LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
COUNTED_FROM = 6_400
"""The smaller size whose instructions are counted for the sample: half a minute a row."""
LARGE_S = 5.0
"""What takes longer than this with 100 thousand is not measured with more."""
WALKED = (
    "conversation",
    "wire",
    "response_store/items.py",
    "response_store/signatures/tracer.py",
    "providers/repair",
)
"""What is pure and works on what callers and vendors send."""

MENDED = {
    "pass over events candidates rounds": 12_500,
    "pass over events probabilities_of_long_tokens cutter": 6_400,
    "pass over events probabilities_of_no_text cutter": 6_400,
    "pass over form written": 12_500,
    "pass over repair of responses citations": 12_500,
    "pass over sound told": 25_000,
    "read generate sealed_after_texts": 400,
    "read messages sealed_after_a_text": 12_500,
    "read responses sealed_after_texts": 1_600,
    "read stream generate counts_after_others": 1_600,
    "read stream messages counts_after_iterations": 200,
    "read stream messages counts_after_others": 1_600,
    "read stream messages unknown_counts": 1_600,
    "watch generate_stream unknown_counts": 1_600,
    "write answer generate thoughts": 12_500,
    "write stream generate calls_cut": 400,
    "write stream generate thoughts_all_open": 12_500,
}
"""Rows that were quadratic, and are looked at in every run, from a size on that shows it."""


def measured(names, small, doublings, longest_s=LONG_S):
    """Those that grow too fast, each with how it does."""
    found = {}
    with unswept():
        for name in names:
            size, many, factor = growth(ROWS[name], small, doublings, longest_s=longest_s)
            if factor > FACTOR:
                found[name] = f"{name}: x {factor:.2f} a doubling, {many * 1000:.0f} ms at {size}"
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("share", range(SHARES))
def test_twice_as_much_takes_twice_as_long(share):
    """A sample of all rows that differs from day to day in nothing: every eighteenth.

    Three of a run's processes share one cache: where time does not tell, instructions do.
    """
    names = sorted(ROWS)[share * SAMPLED :: SHARES * SAMPLED]
    found = measured(names, SMALL, 2)
    left = {n: text for n, text in found.items() if counted.growth(n, COUNTED_FROM) > FACTOR}
    assert {} == left, "\n".join(left.values())


@pytest.mark.parametrize("name", MENDED)
def test_what_was_quadratic_is_linear(name):
    """Up to four times the size at which it showed."""
    found = measured([name], MENDED[name], 2)
    assert {} == found, "\n".join(found.values())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("share", range(SHARES))
def test_twice_as_much_takes_twice_as_long_at_full_size(share):
    """25, 50 and 100 thousand of everything, unless a few thousand show that it would take hours.

    A table of very many names is in no cache at any size: the time of each name grows with them
    all. Where time does not tell, instructions do.
    """
    names = sorted(ROWS)[share::SHARES]
    found = measured(names, SMALL, 3)
    assert {} == found, "\n".join(found.values())
    found = measured(names, 25_000, 2, LARGE_S)
    left = {name: text for name, text in found.items() if counted.growth(name) > FACTOR}
    assert {} == left, "\n".join(left.values())


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


def loops(node, prefix=""):
    """Qualified names of functions that go through something: where a pass over a list can be."""
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.FunctionDef):
            if any(isinstance(each, LOOPS) for each in own(one)):
                yield prefix + one.name
            yield from loops(one, f"{prefix}{one.name}.<locals>.")
        else:
            yield from loops(
                one, f"{prefix}{one.name}." if isinstance(one, ast.ClassDef) else prefix
            )


def own(function):
    """The nodes of a function without those of functions within it."""
    for one in ast.iter_child_nodes(function):
        if not isinstance(one, ast.FunctionDef):
            yield one
            yield from own(one)


def walked():
    """Each function with a loop in what is pure, as (file, qualified name)."""
    found = set()
    for place in WALKED:
        path = SOURCES / place
        for file in [path] if path.suffix else sorted(path.rglob("*.py")):
            name = file.relative_to(SOURCES).as_posix()
            found |= {(name, one) for one in loops(ast.parse(file.read_text()))}
    return found


def reached():
    """The functions that the rows call, each row with a few of everything."""
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            code = frame.f_code
            seen.add((code.co_filename, code.co_qualname))

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
    missing = walked() - called
    exempt = set(EXEMPT)
    found = sorted(f"{file} {name} has no row" for file, name in missing - exempt)
    assert [] == found, "\n".join(found)
    assert [] == sorted(
        f"the exception for {file} {name} is stale" for file, name in exempt - missing
    )
