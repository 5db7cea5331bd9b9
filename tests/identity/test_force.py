"""Without a snapshot nothing is put in force here."""

import pytest

from trivium.identity.force import left_to_others


@pytest.mark.asyncio
async def test_without_a_snapshot_there_is_nothing_to_do():
    """The command line changes keys and ends."""
    assert await left_to_others() is None
