"""The site of documents: what it takes along, what is looked at, what agents read."""

import re
import shutil
import subprocess
from pathlib import Path

import docs_check
import docs_openapi
import docs_site
import msgspec
import pytest

from end_to_end.browsing import ARGUMENTS, chromium
from trivium.edge import openapi

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """Everything the generator would be given."""
    folder = tmp_path_factory.mktemp("docs") / "build"
    docs_site.stage(folder)
    return folder


def test_every_page_is_taken_along(staged):
    """And is reached from the index, in its order."""
    pages = {p.relative_to(staged / "pages").as_posix() for p in staged.rglob("pages/**/*.md")}
    listed = [page for pages in docs_site.parts(staged / "pages").values() for page in pages]
    assert len(listed) == len(set(listed))
    ours = {page for page in pages if not page.startswith("repository/")} - {"index.md"}
    assert ours <= set(listed), ours - set(listed)
    assert set(listed) <= pages, set(listed) - pages


def test_files_outside_the_documents_are_taken_along(staged):
    """A link to an example, a README or a folder of deploy/ leads to what is there."""
    example = (staged / "pages/repository/examples/oauth-client/app.py.md").read_text()
    assert "```python" in example
    assert "app.py" in (staged / "pages/oauth.md").read_text()
    assert "(../operate/install.md" in (staged / "pages/repository/index.md").read_text()


def test_a_dead_link_ends_the_staging():
    """The page and the link are named."""
    staging = docs_site.Staging(Path("/nowhere"))
    with pytest.raises(SystemExit, match=r"docs/x\.md: gone\.md leads nowhere"):
        staging.relinked(docs_site.PurePosixPath("docs/x.md"), "[a](gone.md)")


def test_every_operation_of_the_description_has_its_place():
    """With its parameters, and links to schemas that are there."""
    pages = docs_openapi.pages(openapi.document())
    text = "\n".join(pages.values())
    document = msgspec.json.decode(openapi.document())
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert f"## {method.upper()} {path}\n\n{operation['summary']}" in text
    headings = {
        name.lower() for name in re.findall(r"^## (\w+)$", pages["schemas.md"], re.MULTILINE)
    }
    assert set(re.findall(r"schemas\.md#(\w+)", text)) <= headings


def test_members_below_members_are_named_by_their_path():
    """Choices and lists included; where others are allowed it is said."""
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "items": {"properties": {"b": {"type": ["string", "null"]}}}},
            "c": {
                "anyOf": [{"const": "x"}, {"$ref": "#/components/schemas/Y"}],
                "deprecated": True,
            },
        },
        "additionalProperties": True,
    }
    assert [
        ("`a`", "list of any", "Required."),
        ("`a[].b`", "string or null", ""),
        ("`c`", "`x` or [Y](schemas.md#y)", "Deprecated."),
        ("`…`", "any", ""),
    ] == list(docs_openapi.members(schema, ""))


def test_the_first_sentence_of_a_page_is_its_gist():
    """Comments, tables and code are none; a short opening is followed by the next."""
    text = "# T\n\n<!-- x -->\n```\n# no\n```\n\nFor operators. What [a](b.md) *key* may do, and what not. More.\n"
    assert "For operators. What a *key* may do, and what not." == docs_site.gist(text)


def test_dead_links_and_what_comes_from_elsewhere_are_found(tmp_path):
    """Links within the site, anchors, scripts and styles."""
    (tmp_path / "a.html").write_text(
        '<h1 id="here"></h1><a href="#here"></a><a href="b.html#no"></a><a href="gone.html"></a>'
        '<a href="https://example.org/"></a><a href="/b.html"></a><img src="data:x">'
        '<script src="https://example.org/x.js"></script><link rel="canonical" href="https://x/">'
    )
    (tmp_path / "b.html").write_text("")
    (tmp_path / "s.css").write_text("a { background: url(https://example.org/p.png) }")
    assert [
        "a.html: loads https://example.org/x.js",
        "a.html: b.html#no has no such heading",
        "a.html: gone.html leads nowhere",
        "a.html: /b.html is not relative",
        "s.css: loads https://example.org/p.png",
    ] == docs_check.problems(tmp_path)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it, from the files as they lie here."""
    if not (ROOT / ".docs").exists() and not shutil.which("zensical"):
        subprocess.run([ROOT / "scripts" / "docs.sh"], check=True, timeout=600)
    folder = tmp_path_factory.mktemp("site")
    generator = shutil.which("zensical") or ROOT / ".docs" / "bin" / "zensical"
    docs_site.stage(folder)
    argv = [generator, "build", "--strict", "--config-file", folder / "zensical.toml"]
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=300)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert [] == docs_site.finish(folder, folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_the_site_is_whole(site):
    """Markdown beside each page, and what agents read leads to it."""
    for page in site.rglob("*.html"):
        assert page.name == "404.html" or page.with_suffix(".md").is_file(), page
    links = re.findall(r"^- \[.*?\]\((\S+?)\)", (site / "llms.txt").read_text(), re.MULTILINE)
    assert len(links) > 50
    assert [] == [link for link in links if not (site / link).is_file()]
    assert (site / "llms-full.txt").stat().st_size > 500_000


@pytest.mark.slow
@pytest.mark.browser
def test_pages_opened_as_files_are_searched(site):
    """Nothing is fetched from elsewhere, and the search finds a word of a page."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("overdraft")
        page.get_by_role("link", name="The command line").last.wait_for(timeout=20_000)
        browser.close()
    assert [] == [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
