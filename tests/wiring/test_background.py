"""Work beside the requests ends with the worker."""

import asyncio
import contextlib

import pytest

from trivium.wiring.background import background


@pytest.mark.asyncio
async def test_it_runs_until_the_stack_is_closed():
    """And its own cleanup is waited for."""
    said = []

    async def work():
        try:
            said.append("runs")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            said.append("cleaned up")

    async with contextlib.AsyncExitStack() as stack:
        await background(stack, work())
        await asyncio.sleep(0)
        assert ["runs"] == said
    assert ["runs", "cleaned up"] == said
