"""An organisation with everybody in it, and a browser for each."""

import contextlib

import pytest
import pytest_asyncio

from console.company import Company
from console.visiting import console_over


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


@pytest_asyncio.fixture
async def company(console):
    async with contextlib.AsyncExitStack() as stack:
        made = Company(console, stack)
        await made.found()
        yield made
