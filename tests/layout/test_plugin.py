"""What packages of others import is what the gateway promises them, and no more."""

import ast

import pytest

import trivium.plugin


def private(tree):
    """Imports of ours that are not of ``trivium.plugin``, and names that it has not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == "trivium")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "trivium":
            public = trivium.plugin.__all__ if node.module == "trivium.plugin" else ()
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in public)


def test_the_example_imports_what_is_public(root):
    """Whoever copies it depends on nothing that may change."""
    files = sorted((root / "examples" / "vendor-plugin").rglob("*.py"))
    assert len(files) > 3
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    assert [] == [name for tree in trees for name in private(tree)]


def test_what_is_public_is_there_and_in_order():
    """A name that went would be missed by others first."""
    names = trivium.plugin.__all__
    assert len(set(names)) == len(names)
    assert all(hasattr(trivium.plugin, name) for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "import trivium.faults",
        "from trivium.faults import Fault",
        "from trivium.plugin import Composer",
        "def f():\n    from trivium.wire import sse",
    ],
)
def test_an_import_of_what_is_private_is_caught(text):
    """The rule can fail."""
    assert list(private(ast.parse(text)))
