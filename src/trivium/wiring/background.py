"""Work that runs beside the requests until the worker ends."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any


async def background(stack: contextlib.AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run something beside the requests until the worker ends."""
    task = asyncio.get_running_loop().create_task(work)

    async def end() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)
