"""Files stay under 400 non-empty lines, functions under 70, and names say what is inside."""

import ast

import pytest

LINES_MAX = 400
FUNCTION_LINES_MAX = 70
REFUSED = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "manager"})


def long_file(where, text):
    """Whether a file outgrew the limit, as one line for the report."""
    count = sum(1 for line in text.splitlines() if line.strip())
    return [f"{where} has {count} non-empty lines"] if count > LINES_MAX else []


def long_functions(source):
    """Functions that outgrew the limit."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count = (node.end_lineno or node.lineno) - node.lineno + 1
            if count > FUNCTION_LINES_MAX:
                found.append(f"{source.where}:{node.lineno} {node.name} has {count} lines")
    return found


def refused(where):
    """Parts of a path that would fit anything and so say nothing."""
    return [part for part in where.removesuffix(".py").split("/") if set(words(part)) & REFUSED]


def words(name):
    """``test_http_utils`` is made of test, http and utils."""
    return name.lower().replace("-", "_").split("_")


def test_no_file_outgrows_its_reader(sources, tests):
    """A file can be read in one sitting."""
    found = [line for s in sources + tests for line in long_file(s.where, s.text)]
    assert [] == found, "\n".join(found)


def test_no_function_outgrows_a_screen(sources):
    """A function can be seen whole."""
    found = [line for source in sources for line in long_functions(source)]
    assert [] == found, "\n".join(found)


def test_no_name_would_fit_anything(sources, tests):
    """A file is named after its job."""
    assert [] == [s.where for s in sources + tests if refused(s.where)]


def test_a_long_file_is_caught():
    """The limit is on lines with something in them."""
    assert long_file("x.py", "x = 1\n" * 401)
    assert [] == long_file("x.py", "x = 1\n\n" * 400)


@pytest.mark.parametrize("head", ["def f():", "async def f():", "class A:\n  def f(self):"])
def test_a_long_function_is_caught(invent, head):
    """Methods and coroutines count like functions."""
    long = head + "\n    x = 1" * 70
    short = head + "\n    x = 1" * 69
    assert long_functions(invent.of("src/trivium/x.py", long))
    assert [] == long_functions(invent.of("src/trivium/x.py", short))


@pytest.mark.parametrize(
    "where",
    [
        "src/trivium/utils.py",
        "src/trivium/common/x.py",
        "src/trivium/wire/chat_helpers.py",
        "src/trivium/key_manager.py",
        "tests/misc/test_x.py",
    ],
)
def test_a_name_that_says_nothing_is_caught(where):
    """The refused names are refused as words of a name, too."""
    assert refused(where)


def test_a_telling_name_passes():
    """Only whole words count."""
    assert [] == refused("src/trivium/wire/commonmark.py")
