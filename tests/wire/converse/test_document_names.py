"""Names of documents: few characters, each once, in linear time."""

import re

import pytest

from trivium.wire.converse.document_names import DocumentNames, permitted

LEGAL = re.compile(r"(?!.*\s\s)[A-Za-z0-9\s()\[\]-]{1,200}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("report", "report"),
        ("report.pdf", "report pdf"),
        ("a  b\tc", "a b c"),
        ("Q3 (final) [v2]-x", "Q3 (final) [v2]-x"),
        ("../../etc/passwd", "etc passwd"),
        ("Größe", "Gr e"),
        ("報告", "document"),
        ("", "document"),
        ("...", "document"),
        ("x" * 300, "x" * 200),
        ("x" * 199 + " y", "x" * 199),
        ("\n" * 5000 + "late", "document"),
    ],
)
def test_a_name_has_only_what_is_permitted(name, expected):
    """Anything else is a blank, never two in a row; nothing left is a neutral name."""
    assert expected == permitted(name)
    assert LEGAL.fullmatch(permitted(name))


def test_no_two_documents_have_the_same_name():
    """Not in other letters' case either; a number is added, and those that have it are heeded."""
    names = DocumentNames()
    taken = [names.take(one) for one in ("a", "A", "a (2)", "a", "", "", "x" * 300, "x" * 300)]
    assert ["a", "A (2)", "a (2) (2)", "a (3)", "document", "document (2)"] == taken[:6]
    assert ["x" * 200, "x" * 180 + " (2)"] == taken[6:]
    assert len(taken) == len({one.lower() for one in taken})
    assert all(LEGAL.fullmatch(one) for one in taken)


def test_names_do_not_depend_on_what_follows():
    """A history that grows keeps its beginning."""
    short, long = DocumentNames(), DocumentNames()
    rows = ["a", "b", "a", "c", "a"]
    assert [short.take(one) for one in rows[:3]] == [long.take(one) for one in rows][:3]
