"""Acts are kept long enough for the database, or for ever."""

import pytest

from trivium.settings.audit import Audit, retention


@pytest.mark.parametrize("days", [0, 30, 400, 100_000])
def test_a_retention_the_database_can_follow(days):
    """Zero, or not below what its triggers keep."""
    assert retention(days) is None


@pytest.mark.parametrize(
    ("days", "said"), [(1, "at least 30"), (29, "at least 30"), (-1, "from 0"), (10**6, "from 0")]
)
def test_a_retention_it_would_refuse(days, said):
    """Told at start, not by a sweeper that fails every ten minutes."""
    assert said in retention(days)


def test_the_default_is_valid():
    """Whoever sets nothing keeps a year and more."""
    assert retention(Audit().retention_days) is None
