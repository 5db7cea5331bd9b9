"""The console's whole application, with an OAuth application in it."""

import pytest_asyncio

from console.api.calling import Caller
from console.consent.asking import Asking
from console.visiting import console_over
from trivium.clock import FixedClock


@pytest_asyncio.fixture
async def caller(database):
    """An application's server that calls the endpoints."""
    async with Caller.over(console_over(database, FixedClock())) as made:
        yield made


@pytest_asyncio.fixture
async def asking(database):
    """A browser that an application sends to us; nobody is logged in."""
    async with Asking.over(database) as made:
        yield made
