"""What sources and pages point to exists."""

import re

import pytest

PAGE = re.compile(r"\b((?:docs|tests|bench|src/trivium)/[\w./-]*\w\.(?:md|py|toml|json|c|sh))\b")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def dead_mentions(where, text, exists):
    """Repository paths that a text names and that are not there."""
    return [f"{where}: {name}" for name in PAGE.findall(text) if not exists(name)]


def dead_links(page, text):
    """Relative links of a Markdown page that lead nowhere."""
    return [
        f"{page.name}: {link}"
        for link in LINK.findall(text)
        if not (page.parent / link).resolve().exists()
    ]


def pages(root):
    """Our Markdown: the pages at the root and everything below docs."""
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


def test_sources_name_pages_that_exist(sources, root):
    """A docstring that cites a decision or a table can be followed."""
    found = [
        line
        for s in sources
        for line in dead_mentions(s.where, s.text, lambda n: (root / n).is_file())
    ]
    assert [] == found, "\n".join(found)


def test_links_of_the_pages_lead_somewhere(root):
    """Nobody ends on a missing page."""
    assert [] == [
        line for page in pages(root) for line in dead_links(page, page.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    "text", ["see docs/decisions/0099-nothing.md.", '"""Twin: tests/wire/test_nothing.py"""']
)
def test_a_dead_mention_is_caught(text):
    """The rule can fail."""
    assert dead_mentions("x.py", text, lambda _: False)
    assert [] == dead_mentions("x.py", text, lambda _: True)


def test_a_dead_link_is_caught(tmp_path):
    """Links to addresses are not ours to check; links to files are."""
    page = tmp_path / "page.md"
    (tmp_path / "there.md").write_text("")
    text = "[a](there.md#part) [b](https://example.org/x) [c](#part) [d](gone.md)"
    assert ["page.md: gone.md"] == dead_links(page, text)
