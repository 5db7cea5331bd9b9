"""Counters of vendors."""

import pytest

from trivium.wire.counts import NonsenseError, count


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(None, 0), (0, 0), (12, 12), ("12", 12), ("0", 0), (5.0, 5), (0.0, 0)],
)
def test_whole_numbers_count(value, wanted):
    """Numbers may come as text; absent is none."""
    assert wanted == count(value)


@pytest.mark.parametrize(
    "value",
    [
        5.5,
        -1,
        -1.0,
        "-1",
        "",
        " 3",
        "1e3",
        "²",
        "9" * 5000,
        float("inf"),
        float("nan"),
        True,
        [1],
        {"n": 1},
    ],
)
def test_nonsense_is_not_taken_for_zero(value):
    """Half a bill would be worse than an estimate."""
    with pytest.raises(NonsenseError):
        count(value)
