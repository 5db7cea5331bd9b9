"""Recorded wires say where they come from, and none lies about unused."""

import re

import pytest

ORIGIN = re.compile(r"\b(recorded|documented)\b", re.IGNORECASE)
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def unsourced(fixtures):
    """Folders of fixtures that do not say whether they were recorded, or when."""
    found = []
    for folder in folders(fixtures):
        note = folder / "SOURCE.md"
        text = note.read_text(encoding="utf-8") if note.is_file() else ""
        if not (ORIGIN.search(text) and DATE.search(text)):
            found.append(folder.name)
    return found


def orphaned(fixtures, tests):
    """Fixture files that no test names and no test reads by their folder."""
    return [
        path.relative_to(fixtures).as_posix()
        for folder in folders(fixtures)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "SOURCE.md" and not used(path, folder, tests)
    ]


def folders(fixtures):
    """Folders right below the fixtures."""
    return sorted(path for path in fixtures.glob("*") if path.is_dir())


def used(path, folder, tests):
    """Whether some test writes the file's name or stem, or goes through its folder."""
    for text in tests:
        if path.name in text or f"{path.name.split('.')[0]}" in words(text):
            return True
        if folder.name in text and re.search(r"\b(r?glob|iterdir|walk)\(", text):
            return True
    return False


def words(text):
    """Names as a test may write them: ``text_stream``, ``text-stream``."""
    return set(re.findall(r"[\w-]+", text))


def test_every_folder_says_where_it_comes_from(root):
    """A wire without a source proves nothing."""
    assert [] == unsourced(root / "tests" / "fixtures")


def test_no_fixture_is_left_over(root, tests):
    """What no test reads is not evidence but litter."""
    texts = [source.text for source in tests]
    assert [] == orphaned(root / "tests" / "fixtures", texts)


@pytest.mark.parametrize("note", [None, "", "Recorded long ago.", "Read 2026-11-21."])
def test_a_folder_without_a_source_is_caught(tmp_path, note):
    """The origin and the date are both asked for."""
    folder = tmp_path / "vendor"
    folder.mkdir()
    if note is not None:
        (folder / "SOURCE.md").write_text(note)
    assert ["vendor"] == unsourced(tmp_path)
    (folder / "SOURCE.md").write_text("Documented, not recorded; read 2026-11-21.")
    assert [] == unsourced(tmp_path)


def test_an_unused_fixture_is_caught(tmp_path):
    """A file counts as used when a test names it or goes through its folder."""
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "text-stream.sse").write_text("data: 1\n\n")
    (tmp_path / "vendor" / "SOURCE.md").write_text("")
    assert ["vendor/text-stream.sse"] == orphaned(tmp_path, ["read('other')"])
    assert [] == orphaned(tmp_path, ["read('vendor/text-stream.sse')"])
    assert [] == orphaned(tmp_path, ["read('text-stream')"])
    assert [] == orphaned(tmp_path, ["(FIXTURES / 'vendor').glob('*.sse')"])
