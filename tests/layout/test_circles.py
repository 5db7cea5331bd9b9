"""No module imports itself by a detour, not even for its types or when it runs."""

import ast

import pytest


def graph(sources):
    """Every module with those that it imports anywhere: for types and in functions too."""
    modules = {source.module for source in sources}
    return {source.module: imported(source, modules) - {source.module} for source in sources}


def imported(source, modules):
    """Modules of ours that are named by an import."""
    found = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("trivium.") for alias in node.names}
        elif (
            isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "trivium"
        ):
            package = node.module.removeprefix("trivium").removeprefix(".")
            for alias in node.names:
                name = f"{package}.{alias.name}".removeprefix(".")
                found.add(name if name in modules else package)
    return found & modules


def circles(edges):
    """Groups of modules that reach each other, each in order (Tarjan's way)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in edges[node]:
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            group = tuple(sorted(stack[at:]))
            del stack[at:]
            if len(group) > 1:
                found.append(group)

    for node in edges:
        if node not in number:
            visit(node)
    return sorted(found)


def test_there_is_no_circle(sources):
    """Nowhere."""
    assert [] == circles(graph(sources))


@pytest.mark.parametrize(
    "text",
    [
        "from trivium.edge import b",
        "from trivium.edge.b import thing",
        "import trivium.edge.b",
        "def f():\n    from trivium.edge import b",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trivium.edge.b import B",
    ],
)
def test_a_circle_is_caught(invent, text):
    """However one of its imports is hidden; modules outside of it are not named."""
    sources = [
        invent.of("src/trivium/edge/a.py", text),
        invent.of("src/trivium/edge/b.py", "from trivium.edge.c import C"),
        invent.of("src/trivium/edge/c.py", "from trivium.edge import a, d"),
        invent.of("src/trivium/edge/d.py", "import ast"),
        invent.of("src/trivium/edge/e.py", "from trivium.edge.a import A"),
    ]
    assert [("edge.a", "edge.b", "edge.c")] == circles(graph(sources))
    assert [] == circles(graph(sources[1:]))
