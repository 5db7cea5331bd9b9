"""docs/media.md says which tests hold the media endpoints, and nothing is left untested."""

from pathlib import Path

import pytest

from end_to_end.media.table import (
    COLUMNS,
    PENDING,
    SPECIFIED,
    document,
    endpoints,
    missing,
    named,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "media.md"


def test_the_page_is_what_the_modules_say():
    """`scripts/media_table.py` writes it anew."""
    assert document() == PAGE.read_text(encoding="utf-8")


def test_every_row_of_the_description_is_there():
    """Once, with its own path; what is still to come is named, and only that."""
    found = {one.number: one.path for one in endpoints() if one.number is not None}
    assert {n: path for n, path in SPECIFIED.items() if n not in PENDING} == found


@pytest.mark.parametrize("endpoint", endpoints(), ids=lambda one: one.path)
def test_no_cell_is_untested(endpoint):
    """Every column has its tests, or a reason in words."""
    assert set(COLUMNS) == set(endpoint.cells)
    assert [] == [column for column, held in endpoint.cells.items() if not held]
    assert [] == [rule for rule, tests in endpoint.rules if not tests]


@pytest.mark.parametrize("endpoint", endpoints(), ids=lambda one: one.path)
def test_every_test_that_is_named_exists(endpoint):
    """A test that is renamed takes its row along."""
    assert [] == [test for test in named(endpoint) if missing(test)]


def test_a_test_that_is_not_there_is_missed():
    """The rule can fail: for a file and for a name."""
    assert missing("end_to_end/test_media_table.py::test_nothing")
    assert missing("end_to_end/nowhere.py::test_nothing")
    assert not missing("end_to_end/test_media_table.py::test_a_test_that_is_not_there_is_missed")
