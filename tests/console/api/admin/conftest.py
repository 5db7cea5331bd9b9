"""The admin API in this process, and a script that calls it."""

import pytest_asyncio

from console.api.admin.calling import Script


@pytest_asyncio.fixture
async def script(database):
    """With a token of an administrator's."""
    async with Script.over(database) as made:
        yield made
