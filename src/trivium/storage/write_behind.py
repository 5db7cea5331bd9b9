"""The background writer behind each queue: when it writes, how much, and what it logs.

A queue keeps its rows itself, and its ``flush`` writes all of it in batches and says whether the
database took it. Here are the pauses, which grow while the database is away, the end of the worker,
and the log: one line when the database goes and one when it is back, and lost rows at most once a
minute.
"""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from trivium.clock import Clock

PAUSE_S_MAX: Final = 30.0
"""Longest pause between two tries while the database is away."""
CLOSE_S: Final = 5.0
"""How long the end of a worker may wait for what is not written yet."""
DROPPED_LOG_S: Final = 60.0
"""What was lost is told at most this often."""

log = structlog.get_logger()


def next_batch(waiting: int, least: int, most: int) -> int:
    """Return how many rows to write in the next transaction: the longer the queue, the more.

    A transaction costs a busy worker so many turns of the loop that it would never catch up with
    small ones; a large one keeps the loop busy for milliseconds.
    """
    return min(waiting, max(least, min(waiting // 2, most)))


class WriteBehind(ABC):
    """A queue that is written in the background."""

    def __init__(
        self,
        name: str,
        *,
        pause_s: float,
        again_s: float = 0.0,
        woken: bool = False,
        gathers: bool = True,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """``name``: in the log. ``again_s``: the least pause after a failure.

        ``woken``: it waits for ``wake`` and then, if it ``gathers``, pauses before it writes, else
        after; otherwise it writes every ``pause_s``.
        """
        self._name = name
        self._pause_s = pause_s
        self._again_s = again_s
        self._wake = asyncio.Event()
        self._woken = woken
        self._gathers = gathers
        self._clock = clock
        self._sleep = sleep
        self._task: asyncio.Task[None] | None = None
        self._is_down = False
        self._untold = 0
        self._told_at = float("-inf")
        self.dropped = 0
        """Lost since the start."""

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many are not stored yet."""

    @abstractmethod
    async def flush(self) -> bool:
        """Write everything that waits; ``False`` when the database is away."""

    def wake(self) -> None:
        """Tell the writer that the queue is no longer empty."""
        self._wake.set()

    def start(self) -> None:
        """Begin to write in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self, limit_s: float = CLOSE_S) -> None:
        """Stop, and write the queue within the limit. Rows lost then are logged."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not await self.flush():
                    await self._sleep(0.1)
        self.drop(self.waiting)
        self._told_at = float("-inf")
        self._tell_dropped()

    def drop(self, count: int = 1) -> None:
        """Count rows that are lost."""
        self.dropped += count
        self._untold += count

    def away(self, error: Exception) -> bool:
        """Note that the database did not take a batch; ``False``: it has to be tried again."""
        if not self._is_down:
            log.warning("writes_wait", queue=self._name, error=str(error), waiting=self.waiting)
        self._is_down = True
        return False

    def back(self) -> bool:
        """Note that the database took a batch. Returns ``True``."""
        if self._is_down:
            log.info("writes_flow_again", queue=self._name, waiting=self.waiting)
        self._is_down = False
        return True

    async def _run(self) -> None:
        pause = self._pause_s
        while True:
            if self._woken:
                await self._wake.wait()
            if self._gathers:
                await self._sleep(pause)
            self._wake.clear()
            if await self.flush():
                pause = self._pause_s
            else:
                self._wake.set()
                pause = min(max(2 * max(pause, self._pause_s), self._again_s), PAUSE_S_MAX)
            self._tell_dropped()
            if not self._gathers:
                await self._sleep(pause)

    def _tell_dropped(self) -> None:
        now = self._clock.monotonic()
        if self._untold and now - self._told_at >= DROPPED_LOG_S:
            log.error("writes_dropped", queue=self._name, count=self._untold, total=self.dropped)
            self._untold = 0
            self._told_at = now
