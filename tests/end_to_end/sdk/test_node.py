"""The official Node clients: `node --test` over tests/node, against the same gateway."""

import pytest

from end_to_end.sdk.node import ENGINE, FILES, SPEECH, VIDEOS, run

SCRIPTED = [name for name in FILES if name not in (ENGINE, SPEECH, VIDEOS)]


@pytest.mark.node
@pytest.mark.parametrize("name", SCRIPTED)
def test_the_node_clients(gateway, key, vendor, name):
    """Every test of one file passes; its output is the report when one does not."""
    run(name, gateway, key, vendor.origin)


def test_there_are_tests_to_run():
    """The folder is where it is looked for."""
    assert len(SCRIPTED) >= 4
    assert {ENGINE, VIDEOS} <= set(FILES)
    assert {ENGINE, SPEECH} <= set(FILES)
