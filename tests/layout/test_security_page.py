"""What the security page says was tested was: every test it names is there."""

import re

NAMED = re.compile(r"`([\w/]+\.py)`: ((?:`test_\w+`(?:, )?)+)")


def absent(page, tests):
    """Tests that the page names and nobody wrote. ``tests``: their folder."""
    found = []
    for file, names in NAMED.findall(page):
        path = tests / file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found += [
            f"{file}: {name}"
            for name in re.findall(r"test_\w+", names)
            if not re.search(rf"def {name}\(", text)
        ]
    return found


def test_every_named_test_is_there(root):
    """A claim without its test is a wish."""
    page = (root / "docs" / "security.md").read_text(encoding="utf-8")
    assert len(NAMED.findall(page)) > 30
    assert [] == absent(page, root / "tests")


def test_a_test_that_is_gone_is_caught(tmp_path):
    """In a file that is there, and in one that is not."""
    (tmp_path / "test_a.py").write_text("def test_one():\n    pass\n")
    page = "| x | `test_a.py`: `test_one`, `test_two`; `b/test_b.py`: `test_three` |"
    assert ["test_a.py: test_two", "b/test_b.py: test_three"] == absent(page, tmp_path)
