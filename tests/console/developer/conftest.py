"""The owner of an application, in a browser."""

import pytest_asyncio

from console.developer.writing import writing


@pytest_asyncio.fixture
async def owner(database):
    """Logged in."""
    async with writing(database) as made:
        yield made
