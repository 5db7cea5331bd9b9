"""The table of scopes; that it has every route is shown in ``console/api/admin/test_scopes.py``."""

import pytest

from trivium.oauth.admin.routes import is_known, needed
from trivium.settings.workloads import AdminScope


def test_a_route_needs_one_scope():
    """By its method."""
    assert AdminScope.READ is needed("GET", "/api/admin/users")
    assert AdminScope.USERS is needed("POST", "/api/admin/users")
    assert AdminScope.MONEY is needed("POST", "/api/admin/users/{user}/credit")
    assert None is needed("POST", "/api/admin/tokens/{token}/rotate")


def test_an_unknown_route_is_not_one_that_needs_none():
    """It is told apart."""
    assert is_known("DELETE", "/api/admin/tokens/{token}")
    assert not is_known("DELETE", "/api/admin/users/{user}")
    with pytest.raises(KeyError):
        needed("DELETE", "/api/admin/users/{user}")
