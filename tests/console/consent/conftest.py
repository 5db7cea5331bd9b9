"""A browser that an application sends to us."""

import pytest_asyncio

from console.consent.asking import Asking


@pytest_asyncio.fixture
async def asking(database):
    """Nobody is logged in."""
    async with Asking.over(database) as made:
        yield made
