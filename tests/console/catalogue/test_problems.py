"""Problems find their member, in the words that they came in."""

import pytest

from trivium.catalogue.model import EntryName
from trivium.console.catalogue.problems import PROBLEMS_MAX, of_document, placed

MAIN = EntryName("channel", "main")


@pytest.mark.parametrize(
    ("at", "line", "placed_at"),
    [
        (MAIN, 'database: channels["main"].api_key is missing: x', ("api_key", "is missing: x")),
        (MAIN, 'database, version 3: channels["main"].headers.x-a must be', ("headers.x-a", "must be")),
        (MAIN, 'database: channels["main"] is wrong', ("", "is wrong")),
        (MAIN, 'database: channels["main2"].name is taken', ("", None)),
        (MAIN, 'trivium.toml:3: channels["main"].name is taken', ("", None)),
        (
            EntryName("model", "a/b"),
            'database: models["a/b"].bindings[12].weight must be 0',
            ("bindings.12.weight", "must be 0"),
        ),
        (EntryName("group", "g"), "database: groups.g must be a factor", ("", "must be a factor")),
        (EntryName("group", "g"), "database: groups.gg must be a factor", ("", None)),
        (
            EntryName("routing", "routing"),
            "database: routing.repeats must be 0 to 10",
            ("repeats", "must be 0 to 10"),
        ),
    ],
)  # fmt: skip
def test_a_line_is_about_a_member(at, line, placed_at):
    """Of this entry; of another it is told whole."""
    member, words = placed_at
    assert [(member, line if words is None else words)] == placed([line], at)


def test_a_page_tells_so_many():
    """And no more."""
    assert PROBLEMS_MAX == len(placed(["x"] * 1_000, MAIN))


@pytest.mark.parametrize(
    ("message", "placed_at"),
    [
        ("headers/x-a: is no reference", ("headers.x-a", "is no reference")),
        ("the name of a channel must", ("name", "the name of a channel must")),
        ("the document has: too much", ("", "the document has: too much")),
        ("reason: must be", ("reason", "must be")),
    ],
)
def test_a_document_that_was_refused_at_once(message, placed_at):
    """Its message begins with the place, where it is about one."""
    assert placed_at == of_document(message)
