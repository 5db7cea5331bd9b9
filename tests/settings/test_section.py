"""What every table of the file has in common."""

import pytest

from trivium.settings.section import AuditSettings, MetricsSettings, Section, relations, retention


class Example(Section, frozen=True):
    """A table with a secret in it."""

    password: str


def test_what_is_written_in_a_table_is_never_shown():
    """Keys and passwords may stand in any of them, so a representation shows none of it."""
    assert "Example(...)" == repr(Example(password="hunter2"))


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
    assert retention(AuditSettings().retention_days) is None


@pytest.mark.parametrize(
    ("values", "admin_listen"),
    [
        ({}, None),
        ({"token": "t"}, None),
        ({"enabled": True, "token": "t"}, None),
        ({"enabled": True}, "127.0.0.1:9090"),
    ],
)
def test_numbers_that_callers_cannot_read_are_right(values, admin_listen):
    """Off, behind a token, or on a port of their own."""
    assert [] == list(relations(MetricsSettings(**values), admin_listen))


def test_numbers_for_everybody_are_refused():
    """With what would be right."""
    (problem,) = relations(MetricsSettings(enabled=True), None)
    assert ("metrics", "enabled") == problem.path
    assert "metrics.token" in problem.what
