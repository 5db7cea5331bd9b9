"""Docstrings say more than the names they stand under."""

import ast
import re

import pytest

WORDS_MIN = 4
"""A docstring of fewer words has no room for a subject, a verb and an object."""

KINDS = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
EMPTY = frozenset(
    re.findall(r"\w+", "a an and are as by for in is it its of on or return that the to with")
)
"""Words that join others and say nothing themselves."""


def documented(node, name):
    """(line, dotted name, docstring) of a module and of every class and function in it."""
    text = ast.get_docstring(node) if isinstance(node, KINDS) else None
    if text is not None:
        yield getattr(node, "lineno", 1), name, text
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, KINDS)
        yield from documented(child, f"{name}.{child.name}" if named else name)


def words(text):
    """What a text says, word by word: ``FunctionCall`` and ``the call of a function`` are alike."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return {word.removesuffix("s") for word in set(re.findall(r"[a-z0-9]+", apart)) - EMPTY}


def says_little(name, text):
    """Whether a docstring is too short, or repeats the words of the name."""
    return len(text.split()) < WORDS_MIN or words(text) <= words(name)


def riddles(source):
    """Docstrings of a source that say little, one line each for the report."""
    name = source.where.removeprefix("src/trivium/").removesuffix(".py")
    return [
        f"{source.where}:{line} {text!r}"
        for line, name, text in documented(source.tree, name)
        if says_little(name, text)
    ]


def test_docstrings_say_more_than_names(sources):
    """Subject, verb, object: what is returned, when, in which unit."""
    found = [line for source in sources for line in riddles(source)]
    assert [] == found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        '"""Nobody is answered."""',
        'class Purse:\n    """One key\'s budgets."""',
        'class FunctionCall:\n    """A call of a function of an x."""',
        'def user_by_id():\n    """Return the user that is by the id."""',
        'class A:\n    if True:\n        async def close(self):\n            """Give everything back."""',
    ],
)
def test_a_docstring_that_says_little_is_caught(invent, text):
    """Too short, or the name again; of modules, classes, functions and methods."""
    assert 1 == len(riddles(invent.of("src/trivium/x.py", text)))


def test_a_docstring_that_says_something_passes(invent):
    """One word more than the name is enough."""
    text = 'class Purse:\n    """The budgets of one key, with what is spent of each."""'
    assert [] == riddles(invent.of("src/trivium/x.py", text))
