"""The collector, the logs and the signals as they were."""

import gc
import logging

import pytest
import structlog


@pytest.fixture(autouse=True)
def put_back():
    """The collector, the logs and the signals as they were."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, gc.get_threshold()
    yield
    root.handlers[:], level, threshold = before
    root.setLevel(level)
    structlog.reset_defaults()
    gc.set_threshold(*threshold)
