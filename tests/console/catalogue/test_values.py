"""Values as fields have them, and back."""

import pytest

from trivium.console.catalogue.values import as_json, number, put, said


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("", None), (" 5 ", 5), ("-1", -1), ("2.50", 2.5), ("1e3", 1000.0), ("5 s", "5 s"),
        ("9" * 40, "9" * 40), ("٣", "٣"), ("nan", "nan"),
    ],
)  # fmt: skip
def test_numbers_are_read_and_anything_else_stays(typed, value):
    """For the settings' own check to refuse."""
    assert (value, type(value)) == (number(typed), type(number(typed)))


def test_values_are_found_by_their_path_and_put_there():
    """Absent is empty."""
    document = {"a": {"b": 2.5}, "c": True, "d": "x"}
    assert ["2.5", "true", "x", "", ""] == [
        said(document, path) for path in ("a.b", "c", "d", "a.e", "d.f")
    ]
    made = {}
    for path, value in (("a.b", 1), ("a.c", 2), ("d", "x"), ("e.f", None), ("g.x.y", 3)):
        put(made, path, value)
    assert {"a": {"b": 1, "c": 2}, "d": "x", "g": {"x.y": 3}} == made


def test_what_people_edit_is_indented():
    """And nothing for nothing."""
    assert ("", '{\n  "a": 1\n}') == (as_json({}), as_json({"a": 1}))
