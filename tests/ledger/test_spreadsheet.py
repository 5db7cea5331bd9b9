"""What a spreadsheet opens does nothing of its own."""

import csv
import io

import pytest

from trivium.ledger.spreadsheet import csv_lines, spreadsheet_cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("@x", "'@x"), ("\tx", "'\tx"), ("-x", "'-x"),
        ("-1.50", "-1.50"), ("1.50", "1.50"), ("", ""), ("gpt-5", "gpt-5"), ("-", "'-"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula(text, cell):
    """What a spreadsheet would run is quoted; amounts below zero are not."""
    assert cell == spreadsheet_cell(text)


def test_lines_are_read_back_as_they_were():
    """Quotes, commas and line ends within cells; the heads come first, also without a row."""
    rows = [('a "b", c', "line\r\nline"), ("=x", "ü")]
    read = list(csv.reader(io.StringIO("".join(csv_lines(("one", "two"), rows)), newline="")))
    assert [["one", "two"], ['a "b", c', "line\r\nline"], ["'=x", "ü"]] == read
    assert ["one\r\n"] == list(csv_lines(("one",), ()))
