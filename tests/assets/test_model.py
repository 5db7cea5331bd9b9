"""Ids of files."""

import pytest

from trivium.assets.model import ID


@pytest.mark.parametrize(
    "name", ["", "ab", "../" + "a" * 37, "A" * 40, "a" * 39, "a" * 41, "a" * 40 + "\n", "a/" * 20]
)
def test_nothing_but_an_id_is_one(name):
    """No letter of it can mean anything to a file system or a bucket."""
    assert ID.fullmatch(name) is None
