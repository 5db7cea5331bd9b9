"""No attribute is taken to be what it was before a call that changes it.

What ``if self.x is None`` found out mypy holds to be true until ``self.x`` is assigned in the same
function, whatever is called in between. Python does not mind; compiled code insists, and raises
TypeError where the call has made it something else (docs/decisions/0021). Looked at is what a class
does to its own attributes: what it has others do to them, this cannot see.
"""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "trivium"
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

_spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
assert _spec is not None
assert _spec.loader is not None
hatch_build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(hatch_build)


def own(node):
    """The name of an attribute of ``self``."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and node.value.id == "self" else None


def unions(cls):
    """Attributes that are declared to be one thing or another."""
    return {
        own(node.target) or getattr(node.target, "id", None)
        for node in ast.walk(cls)
        if isinstance(node, ast.AnnAssign) and " | " in ast.unparse(node.annotation)
    } - {None}


def changes(methods):
    """Which attributes each method assigns, or has another of its class assign."""
    assigned, called = {}, {}
    for name, function in methods.items():
        seen = [node for node in ast.walk(function) if own(node)]
        assigned[name] = {own(node) for node in seen if not isinstance(node.ctx, ast.Load)}
        called[name] = {own(node) for node in seen} & set(methods)
    while True:
        more = {name: assigned[name].union(*map(assigned.get, called[name])) for name in methods}
        if more == assigned:
            return more
        assigned = more


def in_order(node):
    """A node's parts before itself, as they are run; not what runs later."""
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):  # the value first
        children = sorted(children, key=lambda child: child is not node.value)
    for child in children:
        if not isinstance(child, (*FUNCTION, ast.Lambda)):
            yield from in_order(child)
    yield node


def asked(node):
    """Attributes about whose type a condition finds something out."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Is | ast.IsNot):
            yield own(part.left)
        elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "isinstance":
            yield own(part.args[0])
        elif isinstance(part, ast.BoolOp):
            yield from map(own, part.values)
        elif isinstance(part, ast.UnaryOp):
            yield own(part.operand)
    yield own(node)


def stale(function, changed, fickle) -> Iterator[tuple[int, str]]:
    """Where an attribute is read that was looked at, and may have become another thing since."""
    conditions = {
        id(node.test): set(asked(node.test)) & fickle
        for node in ast.walk(function)
        if isinstance(node, ast.If | ast.While | ast.Assert)
    }
    everything = set().union(*changed.values())
    known, doubtful = set(), set()
    for part in in_order(function):
        name = own(part)
        if name and not isinstance(part.ctx, ast.Load):
            known.discard(name)
            doubtful.discard(name)
        elif name in doubtful:
            yield part.lineno, name
        if isinstance(part, ast.Call):
            doubtful |= known & changed.get(own(part.func), set())
        elif isinstance(part, ast.Await | ast.Yield):
            doubtful |= known & everything
        known |= conditions.get(id(part), set())


def found(tree):
    """All of a module: line, method and attribute."""
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef):
            methods = {each.name: each for each in cls.body if isinstance(each, FUNCTION)}
            changed = changes(methods)
            changed.pop("__init__", None)
            for name, function in methods.items():
                for line, attribute in stale(function, changed, unions(cls) - set(methods)):
                    yield line, name, attribute


SAMPLE = """
class Reader:
    def __init__(self):
        self.error: bytes | None = None
        self.size = 0

    def end(self):
        if self.error is None:
            self.read()
            if self.error is None:
                return b""
        return b"x"

    def read(self):
        self._take()

    def _take(self):
        self.error = b"e"
        self.size = 1

    def harmless(self):
        if self.error is None:
            self.error = b""
            self.read()
        if self.size:
            self.read()
        return self.size

    async def waits(self):
        assert self.error
        await other()
        return self.error
"""


def test_what_is_looked_for_is_found() -> None:
    assert [(10, "end", "error"), (32, "waits", "error")] == list(found(ast.parse(SAMPLE)))


def test_no_compiled_module_relies_on_what_a_call_has_changed() -> None:
    everything = [
        (path.relative_to(PACKAGE).as_posix(), *each)
        for path in hatch_build.compilable(PACKAGE)
        for each in found(ast.parse(path.read_bytes()))
    ]
    assert everything == []
