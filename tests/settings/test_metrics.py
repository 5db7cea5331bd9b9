"""Numbers are shown to whom the operator means, or the settings are refused."""

import pytest

from trivium.settings.metrics import Metrics, relations


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
    assert [] == list(relations(Metrics(**values), admin_listen))


def test_numbers_for_everybody_are_refused():
    """With what would be right."""
    (problem,) = relations(Metrics(enabled=True), None)
    assert ("metrics", "enabled") == problem.path
    assert "metrics.token" in problem.what
