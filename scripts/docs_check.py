"""Looks at every link of a folder of pages, as a browser without a network would follow it."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src"}
"""What a browser fetches by itself: none of it may come from elsewhere."""
URL_OF_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)")
INERT = {"canonical", "prev", "next", "alternate"}
"""Relations of a ``link`` that nothing is fetched for."""


class Page(HTMLParser):
    """A page's anchors, links and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names or points to."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in LOADED and LOADED[tag] in given and given.get("rel") not in INERT:
            self.loads.append(given[LOADED[tag]])


def problems(site: Path) -> list[str]:
    """Dead links and anchors, and what would be fetched from elsewhere; a line each."""
    pages = {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    pages.pop(site.resolve() / "404.html", None)  # shown at any address, so its links are absolute
    found = []
    for path, page in sorted(pages.items()):
        where = path.relative_to(site.resolve())
        found += [f"{where}: loads {url}" for url in page.loads if _elsewhere(url)]
        for url in page.links + page.loads:
            if not _elsewhere(url) and not url.startswith(("mailto:", "data:", "javascript:")):
                found += [f"{where}: {url} {fault}" for fault in _faults(path, url, pages)]
    for style in site.rglob("*.css"):
        urls = URL_OF_STYLE.findall(style.read_text(encoding="utf-8"))
        found += [f"{style.relative_to(site)}: loads {url}" for url in urls if _elsewhere(url)]
    return found


def _elsewhere(url: str) -> bool:
    return bool(urlsplit(url).netloc)


def _faults(page: Path, url: str, pages: dict[Path, Page]) -> list[str]:
    """What is wrong with a link within the site."""
    path, anchor = urldefrag(url)
    if path.startswith("/"):
        return ["is not relative"]
    target = (page.parent / unquote(path)).resolve() if path else page
    if not target.is_file():
        return ["leads nowhere"]
    if target in pages and unquote(anchor) not in pages[target].anchors:
        return ["has no such heading"]
    return []
