"""Counters of vendors."""

import pytest

from trivium.wire.counts import count


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (0, 0),
        (12, 12),
        ("12", 12),
        ("0", 0),
        (5.0, 5),
        (5.5, None),
        (-1, None),
        (-1.0, None),
        ("-1", None),
        ("", None),
        (" 3", None),
        ("1e3", None),
        ("²", None),
        ("9" * 5000, None),
        (float("inf"), None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([1], None),
        ({"n": 1}, None),
    ],
)
def test_only_whole_numbers_count(value, wanted):
    """Numbers may come as text; what is no counter is ignored."""
    assert wanted == count(value)
