"""What stores share: a limit of time, and a word on what is not installed."""

import pytest

from trivium.settings.secret_stores.store import StoreError, bounded, missing_library


def test_a_result_and_an_error_come_through():
    """The thread is nobody's business."""

    def fails():
        raise KeyError("x")

    assert 7 == bounded(lambda: 7, 5)
    with pytest.raises(KeyError):
        bounded(fails, 5)


def test_what_is_not_installed_is_named():
    """With the extra that brings it."""
    error = missing_library("hvac", "vault")
    assert "needs the package hvac" in str(error)
    assert "pip install 'trivium[vault]'" in str(error)
    assert error.whole
    assert not StoreError("x").whole
