"""Of what is there and what is not: what the load balancer hears."""

import pytest

from trivium.edge.readiness import Readiness


@pytest.mark.parametrize(
    ("needed", "wanted", "status"),
    [
        (True, True, "ok"),
        (True, False, "degraded"),
        (False, True, "unavailable"),
        (False, False, "unavailable"),
    ],
)
def test_what_is_needed_decides(needed, wanted, status):
    """What is only wanted is told, and no reason to be taken out of service."""
    found = Readiness(needed={"a": needed, "b": True}, wanted={"c": wanted})
    assert status == found.status
    assert {"a": needed, "b": True, "c": wanted} == found.parts
