"""Work that runs beside the requests until the worker ends."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

import structlog

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

PAUSE_S: Final = 1.0
"""After a first crash; doubles with each."""
PAUSE_S_MAX: Final = 60.0

log = structlog.get_logger()


async def background(stack: contextlib.AsyncExitStack, work: Work) -> None:
    """Run something beside the requests until the worker ends.

    If it crashes, that is logged and it is started again. Otherwise it would be missed only when
    keys are no longer revoked, or a channel is never tried again.
    """
    task = asyncio.get_running_loop().create_task(_kept_up(work))

    async def end() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)


async def _kept_up(work: Work) -> None:
    pause_s = PAUSE_S
    while True:
        try:
            return await work()
        except Exception:
            log.exception("background_crashed", work=_name(work), again_in_s=pause_s)
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, PAUSE_S_MAX)


def _name(work: Work) -> str:
    return str(getattr(getattr(work, "func", work), "__qualname__", work))
