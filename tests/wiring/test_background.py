"""Work beside the requests ends with the worker."""

import asyncio
import contextlib

import pytest
from structlog.testing import capture_logs

from trivium.wiring import background as module
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
        await background(stack, work)
        await asyncio.sleep(0)
        assert ["runs"] == said
    assert ["runs", "cleaned up"] == said


@pytest.mark.asyncio
async def test_what_crashes_is_told_and_begun_again(monkeypatch):
    """And does not spoil the end of the worker."""
    monkeypatch.setattr(module, "PAUSE_S", 0.001)
    begun = []

    async def work():
        begun.append(True)
        if len(begun) < 3:
            raise LookupError("nobody foresaw this")
        await asyncio.Event().wait()

    with capture_logs() as logs:
        async with contextlib.AsyncExitStack() as stack:
            await background(stack, work)
            while len(begun) < 3:
                await asyncio.sleep(0.001)
    assert [("background_crashed", 0.001), ("background_crashed", 0.002)] == [
        (line["event"], line["again_in_s"]) for line in logs
    ]
    assert "work" in logs[0]["work"]


@pytest.mark.asyncio
async def test_what_has_ended_is_not_begun_again():
    """Some of it has an end of its own."""
    begun = []

    async def work():
        begun.append(True)

    async with contextlib.AsyncExitStack() as stack:
        await background(stack, work)
        await asyncio.sleep(0.01)
    assert [True] == begun


@pytest.mark.asyncio
async def test_what_is_ended_while_it_waits_to_begin_again_ends():
    """At once."""

    async def work():
        raise LookupError("again and again")

    with capture_logs():
        async with contextlib.AsyncExitStack() as stack:
            await background(stack, work)
            await asyncio.sleep(0.01)
