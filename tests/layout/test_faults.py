"""The page of faults: every fault has its test and its row, and no cell is empty."""

import re

from end_to_end.test_outages import BEGIN, END, FAULTS, HEADS


def test_every_fault_has_a_test_and_a_whole_row(root):
    """In the order of the list."""
    page = (root / "docs/operate/faults.md").read_text()
    tests = (root / "tests/end_to_end/test_outages.py").read_text()
    table = page.partition(BEGIN)[2].partition(END)[0].strip().splitlines()
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    assert rows[0] == list(HEADS.values())
    assert [row[0] for row in rows[2:]] == list(FAULTS)
    for row in rows[2:]:
        assert len(row) == len(HEADS)
        assert all(row), row
    for name in FAULTS.values():
        assert f"async def {name}(" in tests
