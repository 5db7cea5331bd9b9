"""Rows that are imported when they are first asked for."""

import sys

import pytest

from trivium.wire.late_rows import LateRows

PLACE = "trivium.wire.vertex.vectors"


def table():
    return LateRows({"a": 1}, {"b": f"{PLACE}:PREDICT", "c": "trivium.wire.sse:NOBODY"})


def test_a_late_row_is_imported_by_who_asks_for_it(monkeypatch):
    """Listing and looking for a name import nothing; the value is the module's own."""
    monkeypatch.delitem(sys.modules, PLACE, raising=False)
    rows = table()
    assert (["a", "b", "c"], 3, True, False) == (list(rows), len(rows), "b" in rows, "d" in rows)
    assert rows["a"] == 1
    assert PLACE not in sys.modules
    found = rows["b"]
    assert found is sys.modules[PLACE].PREDICT
    assert rows["b"] is found


@pytest.mark.parametrize(("name", "error"), [("d", KeyError), ("c", AttributeError)])
def test_a_row_that_is_none_is_an_error(name, error):
    with pytest.raises(error):
        table()[name]


def test_a_row_that_is_none_has_a_default():
    assert table().get("d", 2) == 2
