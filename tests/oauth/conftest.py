"""The service, once on each engine."""

import pytest_asyncio

from oauth.world import World


@pytest_asyncio.fixture
async def world(database, clock):
    """People, an application and every service."""
    return await World.made(database, clock)
