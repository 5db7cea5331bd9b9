"""Limits of one subject."""

import pytest

from trivium.settings.limits import RateLimits, limits


@pytest.mark.parametrize("given", [(1, None, None), (None, 1, None), (None, None, 1), (1, 2, 3)])
def test_any_limit_makes_limits(given):
    """What was not given stays unlimited."""
    assert RateLimits(*given) == limits(*given)


def test_no_limit_is_none():
    """Whoever has no limits is known by one look."""
    assert limits(None, None, None) is None
