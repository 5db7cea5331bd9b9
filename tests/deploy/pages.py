"""What pages of docs show of the files in deploy/: whole files, and the chart's values as a table.

A file stands in a code block below ``<!-- file: deploy/… -->``, the table below
``<!-- values: deploy/chart/values.yaml -->``. `scripts/deployment_pages.py` writes them anew.
"""

import json
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
VALUES = ROOT / "deploy" / "chart" / "values.yaml"
_FILE = re.compile(r"(?ms)^<!-- file: (\S+) -->\n```(\w*)\n.*?^```$")
_VALUES = re.compile(r"(?m)^(<!-- values: \S+ -->)\n(?:\n|\|.*\n)*")


def pages():
    """Every page of ours."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown():
    """Files that some page shows."""
    return {name for page in pages() for name, _ in _FILE.findall(page.read_text("utf-8"))}


def written(text):
    """A page's text with what it shows as it is now."""

    def block(found):
        body = (ROOT / found[1]).read_text(encoding="utf-8")
        return f"<!-- file: {found[1]} -->\n```{found[2]}\n{body}```"

    text = _FILE.sub(block, text)
    return _VALUES.sub(lambda found: f"{found[1]}\n\n{table()}\n\n", text).rstrip("\n") + "\n"


def table():
    """The chart's values, as a table."""
    head = ["| value | default | meaning |", "|---|---|---|"]
    lines = [
        f"| `{path}` | {'' if default is None else f'`{default}`'} | {meaning} |"
        for path, default, meaning in rows()
    ]
    return "\n".join([*head, *lines])


def rows(path=VALUES):
    """(value, default, meaning) of each value that has a comment of its own, in the file's order."""
    text = path.read_text(encoding="utf-8")
    return list(_rows(yaml.compose(text), "", text.splitlines()))


def uncommented(path=VALUES):
    """Values that neither have a comment nor stand below one."""
    text = path.read_text(encoding="utf-8")
    return list(_bare(yaml.compose(text), "", text.splitlines()))


def _members(node):
    return node.value if isinstance(node, yaml.MappingNode) else []


def _meaning(key, lines):
    """The comment right above a key, in one line."""
    found = []
    for line in reversed(lines[: key.start_mark.line]):
        bare = line.strip()
        if not bare.startswith("#"):
            break
        found.insert(0, bare.lstrip("#").strip())
    return " ".join(found)


def _speaks(node, lines):
    return any(_meaning(key, lines) or _speaks(value, lines) for key, value in _members(node))


def _rows(node, prefix, lines):
    for key, value in _members(node):
        path, meaning = prefix + key.value, _meaning(key, lines)
        inside = _speaks(value, lines)
        if meaning:
            yield path, None if inside else _default(value), meaning
        if inside:
            yield from _rows(value, f"{path}.", lines)


def _bare(node, prefix, lines):
    for key, value in _members(node):
        if _speaks(value, lines):
            yield from _bare(value, f"{prefix}{key.value}.", lines)
        elif not _meaning(key, lines):
            yield prefix + key.value


def _default(node):
    """One line, short; what is longer stands in the file."""
    value = yaml.load(yaml.serialize(node), yaml.SafeLoader)
    if isinstance(value, str) and "\n" in value:
        return "…"
    return json.dumps(value, ensure_ascii=False)
