"""The attempts of one request that run at once. ``pipeline/hedging.py`` says when there are any."""

import asyncio
from typing import Protocol

from trivium.pipeline.services import Flow
from trivium.routing.channel_health import HealthKey
from trivium.routing.model import Step


class Contender(Flow, Protocol):
    """An attempt that may be outrun by another."""

    __slots__ = ()

    step: Step

    def release(self) -> None:
        """Hang up, whatever state the call is in."""
        ...


class Race:
    """The attempts of one request that run at once, each in a task of its own."""

    __slots__ = ("_attempts", "_keys", "after_s", "winner")

    def __init__(self, after_s: float) -> None:
        self.after_s = after_s
        """Seconds without anything of an answer after which the second begins."""
        self.winner: Contender | None = None
        self._keys: dict[asyncio.Task[object], HealthKey] = {}
        self._attempts: dict[asyncio.Task[object], Contender] = {}

    def enter(self, key: HealthKey) -> None:
        """The running task is about to call this."""
        self._keys[_task()] = key

    def call(self, attempt: Contender) -> None:
        """The running task calls it by this attempt."""
        self._attempts[_task()] = attempt

    def win(self, attempt: Contender) -> tuple[HealthKey | None, list[HealthKey]]:
        """Let one win and hang up on the others; returns whose health it tells of, and those that
        were outrun.
        """
        self.winner = attempt
        own: HealthKey | None = None
        outrun: list[HealthKey] = []
        for task, key in self._keys.items():
            other = self._attempts.get(task)
            if other is attempt:
                own = key
                continue
            if other is not None:
                other.release()
            if not task.done():
                task.cancel()
                outrun.append(key)
        return own, outrun


def _task() -> "asyncio.Task[object]":
    task = asyncio.current_task()
    assert task is not None
    return task
