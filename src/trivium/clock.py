"""The only place that reads a clock. Everything above takes a :class:`Clock` or plain numbers."""

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings of time."""

    def now(self) -> float:
        """Seconds since the epoch, for what is stored or shown."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start that never goes back, for durations and deadlines."""
        ...


class SystemClock:
    """The machine's own clock."""

    now = staticmethod(time.time)  # noqa: TID251 - this is the door
    monotonic = staticmethod(time.monotonic)


class FixedClock:
    """A clock that stands until it is moved. Shipped for everybody's tests."""

    def __init__(self, now: float = 1_790_000_000.0) -> None:
        self.at = now

    def now(self) -> float:
        """Where it stands."""
        return self.at

    def monotonic(self) -> float:
        """The same reading."""
        return self.at

    def advance(self, seconds: float) -> None:
        """Move both readings forward."""
        self.at += seconds
