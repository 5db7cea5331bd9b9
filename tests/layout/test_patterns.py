"""Every regular expression of the package is linear, in time and in memory.

Callers and vendors choose what most of them read, megabytes of it. A pattern that tries again from
every place, or remembers each step of the way, stops everybody for seconds. So each is found in
the sources and fed with texts made from its own pieces, which bring that out in any that has it.
"""

import ast
import importlib
import re
import tracemalloc
from re import _constants as codes  # what ``re`` reads a pattern into
from re import _parser
from typing import NamedTuple

import pytest

from growth import measuring

DYNAMIC = {
    "providers.profiles": "wildcards of our own tables, matched with a channel's own name of a model",
}
"""Modules with patterns that are made while they run -> what is read with them, and why that is
short."""

SLOW = {
    "providers.retry_after: _PART": "fields of a head, and the first 2,000 characters of a message",
    "providers.retry_after: _WORDS": "the first 2,000 characters of a message",
    "providers.failure: _NO_MODEL": "16,384 characters of a message, 200 for each `model` in it",
    "providers.error_text: _SECRET": "the first 2,000 characters of a message",
    "settings.locate: _STRING": "the operator's own file",
    "wire.generate.array: _PLAIN": "what one read brings; its memory is given back at once",
}
"""Pattern -> what bounds its input, where it takes more than it may."""

CHARS = 4096
"""Length of the longest text."""
SECONDS = 0.004
"""For such a text: a microsecond a character. One of them squared takes several times as long."""
BYTES = 16
"""Memory for each character. What remembers every step takes seventy and more."""

LOOKS = {"wire.state_refs": {"match"}}
"""Module -> how its patterns look, where they stand in tables and nothing tells."""

_LOOKS = {
    "match": {"match"},
    "fullmatch": {"fullmatch"},
    **{name: {"search"} for name in ("search", "sub", "subn", "split", "findall", "finditer")},
}
_ALL = frozenset({"match", "fullmatch", "search"})


class Pattern(NamedTuple):
    """One regular expression of the sources."""

    name: str
    """``module: NAME``, or the pattern itself where it has none."""
    found: re.Pattern
    looks: frozenset[str]
    """How it is used: ``match``, ``fullmatch``, ``search``."""


def patterns(sources, modules=None):
    """Every pattern that the sources hold, and the modules that make some while they run.

    ``modules``: the names of a module that is not to be imported.
    """
    sources = [one for one in sources if "re." in one.text or "Meta(" in one.text]
    used = uses(sources)
    found, dynamic = [], set()
    for source in sources:
        parents = {
            child: node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)
        }
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Call) or (where := given(node)) is None:
                continue
            text, how, flags = where
            names = (modules or {}).get(source.module) or names_of(source.module)
            try:
                value = evaluated(text, names)
                flags = evaluated(flags, names) if flags is not None else 0
            except NameError:
                dynamic.add(source.module)
                continue
            looks = how or LOOKS.get(source.module) or looked(node, source, parents, used)
            parent = parents.get(node)
            if isinstance(parent, ast.Attribute):
                parent = parents.get(parent)
            name = f"{source.module}: {assigned(parent) or value}"
            found.append(Pattern(name, re.compile(value, flags), frozenset(looks)))
    return found, dynamic


def names_of(module):
    """What a module of the package has defined."""
    return vars(importlib.import_module(f"trivium.{module}"))


def given(call):
    """A call's pattern, how it looks if the call says that, and its flags; ``None`` for others."""
    name = ast.unparse(call.func)
    if name.startswith("re.") and name[3:] in ("compile", *_LOOKS) and call.args:
        flags = call.args[1] if name == "re.compile" and len(call.args) > 1 else None
        return call.args[0], _LOOKS.get(name[3:]), flags
    if name.endswith("Meta"):
        for keyword in call.keywords:
            if keyword.arg == "pattern":
                return keyword.value, {"search"}, None
    return None


def evaluated(node, names):
    """What an expression of a module comes to. Raises ``NameError`` where it needs a local name."""
    return eval(compile(ast.Expression(node), "pattern", "eval"), dict(names))


def uses(sources):
    """Name of a pattern -> how it is looked with; private ones as ``module:name``."""
    out = {}
    for source in sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr in _LOOKS:
                holder = node.value
                name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
                out.setdefault(key(name, source), set()).update(_LOOKS[node.attr])
    return out


def key(name, source):
    """What tells a pattern's name from the same one elsewhere."""
    return f"{source.module}:{name}" if name.startswith("_") else name


def looked(call, source, parents, used):
    """How the pattern of one ``re.compile`` is used; all ways where nothing tells."""
    parent = parents.get(call)
    if isinstance(parent, ast.Attribute) and parent.attr in _LOOKS:
        return _LOOKS[parent.attr]
    name = assigned(parent)
    return used.get(key(name, source), _ALL) if name else _ALL


def assigned(node):
    """The name that a statement gives to a value; empty where it gives none."""
    if isinstance(node, ast.AnnAssign | ast.Assign):
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def shortest(tree):
    """The shortest text that a parsed pattern takes, roughly: groups once, repeats at their least."""
    return "".join(least(op, value) for op, value in tree)


def least(op, value, times=None):
    """The same for one piece; ``times``: of a repeat, that often."""
    if op is codes.LITERAL:
        return chr(value)
    if op is codes.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if op is codes.ANY:
        return "a"
    if op is codes.IN:
        return one_of(value)
    if op is codes.SUBPATTERN:
        return shortest(value[-1])
    if op is codes.ATOMIC_GROUP:
        return shortest(value)
    if op is codes.BRANCH:
        return shortest(value[1][0])
    if op in REPEATS:
        low, _high, inner = value
        return shortest(inner) * min(low if times is None else times, 70)
    return ""


REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def one_of(rows):
    """A character of a set."""
    return next(char for char in _TRIED if is_in(char, rows))


_TRIED = 'a0A -_./="\n' + "".join(map(chr, range(33, 0x180))) + "\u180b\ufe00\U000e0100"
_CLASSES = {
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


def is_in(char, rows):
    """Whether a set has a character."""
    turned = rows[0][0] is codes.NEGATE
    for op, value in rows:
        if (
            (op is codes.LITERAL and ord(char) == value)
            or (op is codes.RANGE and value[0] <= ord(char) <= value[1])
            or (op is codes.CATEGORY and _CLASSES[value](char))
        ):
            return not turned
    return turned


def pieces(tree, before=""):
    """What a pattern repeats: pairs of a text that leads there and one that is taken again."""
    for op, value in tree:
        if op in REPEATS:
            low, high, inner = value
            if high is codes.MAXREPEAT or high > 8:
                once = shortest(inner)
                if once:
                    yield before, once
                for _, deeper in pieces(inner, ""):
                    yield before, once + deeper
                    yield before, deeper + once
            yield from pieces(inner, before)
            before += least(op, value, max(low, 0))
        elif op is codes.SUBPATTERN:
            yield from pieces(value[-1], before)
            before += shortest(value[-1])
        elif op is codes.ATOMIC_GROUP:
            yield from pieces(value, before)
            before += shortest(value)
        elif op is codes.BRANCH:
            for branch in value[1]:
                yield from pieces(branch, before)
            before += least(op, value)
        elif op in (codes.ASSERT, codes.ASSERT_NOT):
            yield from pieces(value[1], before)
        else:
            before += least(op, value)


def literals(tree):
    """Characters that a pattern names."""
    for op, value in tree:
        if op is codes.LITERAL:
            yield chr(value)
        elif op is codes.IN:
            yield from (chr(row) for kind, row in value if kind is codes.LITERAL)
            yield one_of(value)
        elif op in REPEATS:
            yield from literals(value[2])
        elif op is codes.SUBPATTERN:
            yield from literals(value[-1])
        elif op is codes.ATOMIC_GROUP:
            yield from literals(value)
        elif op is codes.BRANCH:
            for branch in value[1]:
                yield from literals(branch)


def trials(found):
    """Texts that a pattern may choke on, as what leads there and what is repeated."""
    tree = _parser.parse(found.pattern, found.flags)
    out = dict.fromkeys(pieces(tree))
    leads = dict.fromkeys(("", *(lead for lead, _ in out)))
    single = dict.fromkeys((*literals(tree), " ", "a"))
    for lead in list(leads)[:6]:
        out.update(dict.fromkeys((lead, one) for one in list(single)[:16]))
    # a whole one again and again, without its end
    whole = shortest(tree)
    for cut in {whole, whole[:-1], whole[: len(whole) // 2]} - {""}:
        out["", cut] = None
    return list(out)


def fault(pattern):
    """What is wrong with a pattern, ``None`` for one that is linear."""
    for lead, again in trials(pattern.found):
        for end in ("", "\0"):
            for look in pattern.looks:
                found = choked(pattern.found, look, lead, again, end)
                if found:
                    return f"{look} takes {found} for {lead!r}, then {again!r} again and again"
    return None


def choked(found, look, lead, again, end):
    """How much one text takes that is too much; empty when nothing is."""
    for size in (16, 24, 256, CHARS):  # small ones first: some need more than a life for the last
        text = lead + again * (size // len(again)) + end
        if isinstance(found.pattern, bytes):
            text = text.encode("latin-1", "replace")
        allowed = SECONDS * max(size / CHARS, 0.25)
        if measuring.least(lambda text=text: use(found, look, text), allowed) > allowed:
            return f"more than {allowed * 1000:.1f} ms of {size} characters"
    taken = memory(found, look, text)
    return f"{taken} bytes of {size} characters" if taken > BYTES * CHARS else ""


def use(found, look, text):
    """Look with a pattern as its code does."""
    if look == "search":
        for _ in found.finditer(text):
            pass
    else:
        getattr(found, look)(text)


def memory(found, look, text):
    """Bytes of memory that the first finding takes."""
    tracemalloc.start()
    getattr(found, look)(text)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken


def test_every_pattern_is_linear(sources):
    """In what it is fed of its own pieces."""
    found, dynamic = patterns(sources)
    assert set(DYNAMIC) == dynamic
    assert len(found) > 150, "the patterns moved: this test would pass by seeing nothing"
    assert SLOW.keys() <= {one.name for one in found}
    assert [] == [(one.name, bad) for one in found if one.name not in SLOW and (bad := fault(one))]


@pytest.mark.parametrize(
    ("text", "look"),
    [
        (r"data:([^,;]*)((?:;[^,;]*)*),", "match"),
        (r"(a+)+$", "match"),
        (r"\s*,\s*\s*x", "search"),
        (r"[a-z]+\d", "search"),
        (r"(?:\w+\.?)*!", "fullmatch"),
        (r'"(?:[^"\\]|\\.)*"', "match"),
        (r"<!--.*?-->|<.*>", "search"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(text, look):
    """By its time or its memory."""
    assert fault(Pattern("x", re.compile(text), frozenset({look})))


def test_a_new_pattern_cannot_slip_in(invent):
    """Wherever and however it is written."""
    text = """
import re
from typing import Annotated
import msgspec
_ONE = re.compile("a")
_TWO = (re.compile("b"), re.compile("c").findall)
Name = Annotated[str, msgspec.Meta(pattern="d")]
def f(x, y):
    _ONE.fullmatch(x)
    re.sub("e", "", x)
    return re.search(y, x)
"""
    source = invent.of("src/trivium/wire/sse.py", text)
    found, dynamic = patterns([source], {"wire.sse": {"re": re}})
    assert {
        "a": {"fullmatch"}, "b": _ALL, "c": {"search"}, "d": {"search"}, "e": {"search"},
    } == {one.found.pattern: one.looks for one in found}  # fmt: skip
    assert {"wire.sse"} == dynamic
