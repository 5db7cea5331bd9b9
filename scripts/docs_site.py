"""Lays out the site of documents for its generator, and finishes what that built.

    docs_site.py stage FOLDER          pages of docs/ with all they link to, and the settings
    docs_site.py finish FOLDER SITE    Markdown beside each page, llms.txt; every link looked at

docs/README.md is the order of the site: its headings are the parts, its links the pages. A file
outside docs/ to which a page links is taken along under repository/, so no link is dead offline.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec
from docs_check import problems
from docs_openapi import pages as openapi_pages

from trivium.edge import openapi

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "scripts" / "docs_site.toml"
ASSETS = ROOT / "scripts" / "docs_assets"
REFERENCE = PurePosixPath("reference")
DECISIONS = PurePosixPath("decisions")
OUTSIDE = PurePosixPath("repository")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^(```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
FENCE_OF = {".py": "python", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".sh": "sh"}
GIST = 40
"""Characters of a page's first words in llms.txt, at least, where there are so many."""
SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the generator would have browsers fetch, so that search works from files."""
SHIM_HERE = "assets/javascripts/iframe-worker.js"
PICTURE = ".svg"
"""Shown as it is, though it is text."""
SITE_URL = os.environ.get("SITE_URL", "")  # noqa: TID251 - a program of the repository's own
SUMMARY = "One address and one key in front of any model vendor or engine, in three request shapes."


def placed(path: PurePosixPath) -> PurePosixPath:
    """Where a file of the repository is on the site, as Markdown or as it is."""
    on_site = path.relative_to("docs") if path.parts[0] == "docs" else OUTSIDE / path
    if path.name == "README.md":
        return on_site.with_name("index.md")
    if (ROOT / path).is_dir():
        return on_site / "index.md"
    if on_site.suffix == ".md" or not _is_text(ROOT / path):
        return on_site
    return on_site.with_name(on_site.name.lstrip(".") + ".md")


def _is_text(path: Path) -> bool:
    if path.suffix == PICTURE:
        return False
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def tracked(folder: PurePosixPath) -> list[PurePosixPath]:
    """Files below a folder that belong to the repository."""
    argv = ["git", "ls-files", "-z", "--", str(folder)]
    listed = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    return [PurePosixPath(name) for name in listed.stdout.split("\0") if name]


@dataclass
class Staging:
    """Pages being written below a folder, and those still to come."""

    folder: Path
    done: set[PurePosixPath] = field(default_factory=set)
    todo: list[PurePosixPath] = field(default_factory=list)

    def run(self) -> None:
        """Write docs/ and everything that is linked to from there."""
        self.todo = [p for p in tracked(PurePosixPath("docs")) if p.suffix not in {".png", PICTURE}]
        while self.todo:
            path = self.todo.pop()
            if path not in self.done:
                self.done.add(path)
                self.write(path)
        for name, text in openapi_pages(openapi.document()).items():
            self.put(
                REFERENCE / name.replace("README", "index"), text.replace("README.md", "index.md")
            )

    def put(self, where: PurePosixPath, text: str) -> None:
        """Write one page."""
        target = self.folder / where
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def write(self, path: PurePosixPath) -> None:
        """Write what stands for a file or folder of the repository."""
        source, where = ROOT / path, placed(path)
        if source.is_dir():
            self.put(where, self.listing(path))
        elif path.suffix == ".md":
            self.put(where, self.relinked(path, source.read_text(encoding="utf-8")))
        elif _is_text(source):
            text = source.read_text(encoding="utf-8").rstrip()
            fence = "````" if "```" in text else "```"
            self.put(
                where, f"# {path}\n\n{fence}{FENCE_OF.get(path.suffix, 'text')}\n{text}\n{fence}\n"
            )
        else:
            (self.folder / where).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / where)

    def listing(self, path: PurePosixPath) -> str:
        """A folder: its README, if it has one, and its files."""
        readme, files = path / "README.md", tracked(path)
        text = f"# {path}\n"
        if readme in files:
            self.done.add(readme)
            text = self.relinked(readme, (ROOT / readme).read_text(encoding="utf-8"))
        lines = []
        for name in files:
            if name != readme:
                self.todo.append(name)
                lines.append(f"- [{name}]({_relative(placed(name), placed(path))})")
        return text.rstrip() + "\n\n## Files\n\n" + "\n".join(lines) + "\n"

    def relinked(self, page: PurePosixPath, text: str) -> str:
        """A page's text with links as they are on the site."""

        def replaced(match: re.Match[str]) -> str:
            before, link, anchor, after = match.groups()
            target = PurePosixPath(os.path.normpath(page.parent / link))
            if not (ROOT / target).exists():
                raise SystemExit(f"{page}: {link} leads nowhere")
            readme = target / "README.md"
            if target.parts[0] == "docs" and (ROOT / target).is_dir() and (ROOT / readme).exists():
                target = readme
            self.todo.append(target)
            return f"{before}{_relative(placed(target), placed(page))}{anchor or ''}{after}"

        parts = FENCE.split(text)
        return "".join(p if p.startswith("```") else LINK.sub(replaced, p) for p in parts)


def _relative(target: PurePosixPath, page: PurePosixPath) -> str:
    return os.path.relpath(target, page.parent)


def heading(text: str) -> str:
    """A page's title without its marks."""
    found = re.search(r"^# +(.+?) *$", text, re.MULTILINE)
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", found[1]) if found else ""


def parts(folder: Path) -> dict[str, list[str]]:
    """The site's parts with their pages, in the order of the index."""
    found: dict[str, list[str]] = {}
    seen = {"index.md"}

    def add(part: str, pages: list[str]) -> None:
        fresh = [page for page in dict.fromkeys(pages) if page not in seen]
        seen.update(fresh)
        found.setdefault(part, []).extend(fresh)

    for section in (folder / "index.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        part, _, rest = section.partition("\n")
        links = [match[2] for match in LINK.finditer(rest)]
        add(part.strip(), [link for link in links if link.endswith(".md")])
    add("Decisions", [f"{DECISIONS}/{p.name}" for p in sorted((folder / DECISIONS).glob("*.md"))])
    reference = [f"{REFERENCE}/{p.name}" for p in sorted((folder / REFERENCE).glob("*.md"))]
    add("HTTP reference", sorted(reference, key=lambda p: not p.endswith("index.md")))
    return {part: pages for part, pages in found.items() if pages}


def stage(build: Path) -> None:
    """Write everything the generator needs."""
    shutil.rmtree(build, ignore_errors=True)
    folder = build / "pages"
    Staging(folder).run()
    shutil.copytree(ROOT / "docs" / "screenshots", folder / "screenshots", dirs_exist_ok=True)
    nav = ['  { "Documentation" = "index.md" },']
    for part, pages in parts(folder).items():
        titles = [(heading((folder / page).read_text(encoding="utf-8")), page) for page in pages]
        listed = ", ".join(f"{{ {_quoted(title)} = {_quoted(page)} }}" for title, page in titles)
        nav.append(f"  {{ {_quoted(part)} = [{listed}] }},")
    given = f"site_url = {_quoted(SITE_URL)}\n" if SITE_URL else ""
    given += "nav = [\n" + "\n".join(nav) + "\n]"
    config = CONFIG.read_text(encoding="utf-8").replace("nav = []", given)
    (build / "zensical.toml").write_text(config, encoding="utf-8")


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


def gist(text: str) -> str:
    """A page's first sentence, plain; more of them where the first is a few words."""
    body = FENCE.sub("", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
    for block in body.split("\n\n"):
        plain = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", " ".join(block.split()))
        # decisions begin with their day
        if plain and not re.match(r"[#|-]|\d{4}-", plain) and not block.startswith("    "):
            says = ""
            for sentence in re.split(r"(?<=[.:]) ", plain):
                says = f"{says} {sentence}".strip()
                if len(says) >= GIST:
                    break
            return says.removesuffix(":")
    return ""


def finish(build: Path, site: Path) -> list[str]:
    """Put Markdown beside each page and write llms.txt; what is wrong with the site."""
    folder = build / "pages"
    for page in folder.rglob("*.md"):
        shutil.copyfile(page, site / page.relative_to(folder))
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(
            text.replace(SHIM, os.path.relpath(site / SHIM_HERE, page.parent)), encoding="utf-8"
        )
    shutil.copyfile(ASSETS / "iframe-worker.js", site / SHIM_HERE)
    base = SITE_URL and SITE_URL.rstrip("/") + "/"
    index = [f"# Trivium\n\n> A model gateway. {SUMMARY}\n"]
    index.append(
        "Every page is also plain Markdown: `.md` in place of `.html`. All of them in one file: "
        f"[llms-full.txt]({base}llms-full.txt).\n"
    )
    whole = []
    for part, pages in parts(folder).items():
        index.append(f"## {'Optional' if part == 'Decisions' else part}\n")
        for page in pages:
            text = (folder / page).read_text(encoding="utf-8")
            says = gist(text)
            index.append(f"- [{heading(text)}]({base}{page})" + (f": {says}" if says else ""))
            whole.append(f"<!-- {page} -->\n\n{text.strip()}\n")
        index.append("")
    (site / "llms.txt").write_text("\n".join(index), encoding="utf-8")
    (site / "llms-full.txt").write_text("\n".join(whole), encoding="utf-8")
    return problems(site)


def main() -> None:
    """Do what the command line says."""
    match sys.argv[1:]:
        case ["stage", build]:
            stage(Path(build))
        case ["finish", build, site]:
            found = finish(Path(build), Path(site))
            sys.stderr.writelines(f"{line}\n" for line in found)
            sys.exit(1 if found else 0)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
