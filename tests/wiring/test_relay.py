"""What a request may call is built from the settings."""

import contextlib

import pytest

from trivium.settings.section import FetchSettings
from trivium.wiring import relay


@pytest.mark.asyncio
@pytest.mark.parametrize("enabled", [False, True])
async def test_files_are_fetched_where_the_operator_has_said_so(enabled):
    """Nobody fetches any by default."""
    async with contextlib.AsyncExitStack() as stack:
        found = relay.foreign(FetchSettings(enabled=enabled), lambda: None, stack)
        assert enabled is (found is not None)
