"""What sources and pages point to exists."""

import re

import pytest

PAGE = re.compile(
    r"(?<![\w/])((?:docs|tests|bench|src/trivium)/[\w./-]*\w\.(?:md|py|toml|json|c|sh))\b"
)
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
ANCHOR = re.compile(r"\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


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


def anchors(text):
    """Those of a page's headings, as Markdown viewers make them."""
    found = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        if found[slug]:
            found[f"{slug}-{found[slug]}"] = 0
    return found.keys()


def dead_anchors(page, text):
    """Links into Markdown pages whose heading is not there."""
    return [
        f"{page.name}: {link}#{anchor}"
        for link, anchor in ANCHOR.findall(text)
        if (target := page.parent / link if link else page).suffix == ".md"
        and target.is_file()
        and anchor not in anchors(target.read_text(encoding="utf-8"))
    ]


def unindexed(docs):
    """Pages below ``docs`` to which neither its README nor, for decisions, the architecture links."""
    indexes = (docs / "README.md", docs / "ARCHITECTURE.md")
    index, architecture = (
        {(page.parent / link).resolve() for link in LINK.findall(page.read_text(encoding="utf-8"))}
        for page in indexes
    )
    return [
        page.relative_to(docs).as_posix()
        for page in sorted(docs.rglob("*.md"))
        if page.resolve() not in index
        and page != indexes[0]
        and (page.parent.name != "decisions" or page.resolve() not in architecture)
    ]


INSTALLED = frozenset({"node_modules", ".venv", "build", "site"})


def pages(root):
    """Our Markdown: the pages at the root and everything below docs."""
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


def all_pages(root):
    """That of every other folder as well; a piece of news is read where the changelog is."""
    folders = [
        f for f in root.iterdir() if f.is_dir() and f.name not in INSTALLED and f.name[0] != "."
    ]
    below = [page for folder in folders for page in sorted(folder.rglob("*.md"))]
    texts = {page: page.read_text(encoding="utf-8") for page in [*root.glob("*.md"), *below]}
    return [
        (root / page.name if page.name.startswith("+") else page, text)
        for page, text in texts.items()
        if not INSTALLED & set(page.relative_to(root).parts)
    ]


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
    assert [] == [line for page, text in all_pages(root) for line in dead_links(page, text)]


def test_links_of_the_pages_lead_to_headings(root):
    """Nor at the top of a long page whose part was renamed."""
    found = [line for page, text in all_pages(root) for line in dead_anchors(page, text)]
    assert [] == found, "\n".join(found)


def test_pages_name_files_that_exist(root):
    """A test or a script that a page points to can be opened."""
    found = [
        line
        for page in pages(root)
        for line in dead_mentions(
            page.name, page.read_text(encoding="utf-8"), lambda name: (root / name).exists()
        )
    ]
    assert [] == found, "\n".join(found)


def test_the_index_leads_to_every_page(root):
    """Whoever looks for a page finds it from docs/README.md."""
    assert [] == unindexed(root / "docs")


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


def test_a_dead_anchor_is_caught(tmp_path):
    """Also on the page itself; repeated headings are numbered, examples are no headings."""
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# One, `two` & [three](x.md)\n## Again\n## Again\n```\n# not\n```\n")
    text = "[a](other.md#one-two--three) [b](other.md#again-1) [c](other.md#not) [d](#here) [e](#no)\n# Here"
    page.write_text(text)
    assert ["page.md: other.md#not", "page.md: #no"] == dead_anchors(page, text)


def test_a_page_outside_the_index_is_caught(tmp_path):
    """The architecture is an index of decisions alone."""
    (tmp_path / "decisions").mkdir()
    for name in ("a.md", "b.md", "decisions/0001-a.md", "decisions/0002-b.md"):
        (tmp_path / name).write_text("")
    (tmp_path / "README.md").write_text("[a](a.md) [map](ARCHITECTURE.md#decisions)")
    (tmp_path / "ARCHITECTURE.md").write_text("[b](b.md) [1](decisions/0001-a.md)")
    assert ["b.md", "decisions/0002-b.md"] == unindexed(tmp_path)
