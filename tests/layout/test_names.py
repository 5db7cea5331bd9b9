"""Names are the field's words: no private ones, and no class name that means two things."""

import ast
import re

import pytest

PRIVATE = {
    "story": "context",
    "purse": "budget, counter",
    "errand": "buffered_call, vendor_call",
    "pulse": "heartbeats",
    "lookout": "key_refresher",
    "honesty": "losses",
    "outlasting": "abandoned",
    "studio": "video_services",
    "film": "video",
    "dialect": "shape, protocol",
    "desk": "emails",
    "wish": "the request's own class, preferences",
}
"""Words that the glossary does not have, and what we say instead."""
HIDING = {
    "affording": "continuation",
    "asking": "client",
    "board": "breaker_log",
    "doubt": "key_recheck, purge_time",
    "drawing": "images",
    "elsewhere": "by what is there: vendor_files",
    "endpoint": "operation",
    "familiar": "head_cache",
    "fetching": "fetch_inputs",
    "forms": "structs, for what is read of JSON",
    "halves": "text_repair",
    "keeping": "archive, store",
    "looking": "body_check",
    "placing": "answer_losses",
    "probing": "health_probe",
    "rehearsing": "explain",
    "stories": "end_to_end",
    "telling": "by what is told: fault_log, rate_limit_headers",
    "wishing": "routing_preferences",
}
"""Words that a module is not called by: they hide the noun."""
MODULES: dict[str, str] = {
    "console.forms": "forms of pages",
    "console.endpoint": "a route of the web application for programs",
}
"""Modules with such a word, and why."""
FOREIGN: dict[str, str] = {
    "storage.bulk_insert": "SQLAlchemy says dialect",
    "console.account.key_edit": "a desk is where the pages of one key are handled",
}
"""Modules whose parameters and classes may have one, and why."""

SHARED: dict[str, str] = {
    "Bucket": "one for each vendor, taken from its module by name",
    "Exchange": "a protocol of the pipeline, and what fulfils it",
    "Heartbeats": "a protocol of the pipeline, and what fulfils it",
    "Recorder": "protocols of whoever records, and what fulfils them",
    "Router": "a protocol of the pipeline, and what fulfils it",
    "Translator": "a protocol of the pipeline, and what fulfils it",
    "UrlFetcher": "a protocol of the pipeline, and what fulfils it",
}
"""Class names that stand in several modules, and why."""


def parts(name):
    """The words of a name, in lower case: ``BudgetUsage`` and ``budget_usage`` have the same."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def private(name, words=PRIVATE):
    """The words of a name that we do not say."""
    return [word for word in parts(name) if word in words]


def names(tree):
    """Classes of a module, and parameters of its functions: (line, name)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def riddles(source):
    """Private words in a module's own name, in its classes and in what its functions take."""
    found, every = [], PRIVATE | HIDING
    if source.module not in MODULES:
        found += [
            f"{source.where}: {word}: {every[word]}" for word in private(source.module, every)
        ]
    if source.module not in FOREIGN:
        found += [
            f"{source.where}:{line} {name}: {PRIVATE[word]}"
            for line, name in names(source.tree)
            for word in private(name)
        ]
    return found


def role(module):
    """What a module is for, in whichever shape: ``wire.chat.stream`` is ``wire.*.stream``."""
    return re.sub(r"^wire\.\w+\.", "wire.*.", module)


def twice(sources):
    """Public classes of one name in modules of several roles."""
    found: dict[str, set[str]] = {}
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, set()).add(source.module)
    return {name: where for name, where in found.items() if len(set(map(role, where))) > 1}


def test_names_are_the_fields_words(sources):
    """Whoever searches for *failover* or *heartbeat* finds it."""
    found = [line for source in sources for line in riddles(source)]
    assert [] == found, "\n".join(found)


def test_a_class_name_means_one_thing(sources):
    """But for the same role in each shape, and for what is listed."""
    found = {name: sorted(where) for name, where in twice(sources).items() if name not in SHARED}
    assert {} == found
    assert set(SHARED) <= set(twice(sources)), "an exception is stale"


def test_headings_are_the_fields_words(root):
    """Readers search by them."""
    heads = [
        (page.name, line)
        for page in sorted((root / "docs").rglob("*.md"))
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.match(r"#+ ", line)
    ]
    assert len(heads) > 100
    assert [] == [(page, line) for page, line in heads if private(line)]


def test_the_glossary_has_each_word_once(root):
    """Two rows for one word would be two meanings."""
    page = (root / "docs" / "glossary.md").read_text(encoding="utf-8")
    said = re.findall(r"(?m)^\| ([^|]+?) \|", page)
    said = [word for row in said for word in row.split(", ") if word not in {"word", "---"}]
    assert len(said) > 30
    assert sorted(set(said)) == sorted(said)


@pytest.mark.parametrize(
    ("where", "text", "named"),
    [
        ("src/trivium/pipeline/story.py", "X = 1", ["context"]),
        ("src/trivium/edge/x.py", "class Purse:\n    pass\n", ["budget, counter"]),
        ("src/trivium/edge/x.py", "def f(story):\n    pass\n", ["context"]),
        ("src/trivium/edge/x.py", "class History:\n    pass\n", []),
    ],
)
def test_a_private_word_is_caught(invent, where, text, named):
    """Wherever it stands; a word inside of another is none."""
    found = riddles(invent.of(where, text))
    assert len(named) == len(found)
    assert all(word in line for word, line in zip(named, found, strict=True))


def test_two_meanings_are_caught(invent):
    """The same role in each shape is one meaning."""
    text = "class Reader:\n    pass\n"
    shapes = [invent.of(f"src/trivium/wire/{name}/read_stream.py", text) for name in ("a", "b")]
    assert {} == twice(shapes)
    assert {"Reader"} == set(twice([*shapes, invent.of("src/trivium/edge/x.py", text)]))
