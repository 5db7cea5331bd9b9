"""The only place that reads a clock. Everything above takes a :class:`Clock` or plain numbers."""

import time
from typing import Final, Protocol


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
        """Return the reading that it was set to, in seconds."""
        return self.at

    def monotonic(self) -> float:
        """Return the same reading, as it is set by hand."""
        return self.at

    def advance(self, seconds: float) -> None:
        """Move both readings forward."""
        self.at += seconds


APART_S: Final = 60.0
"""A jump by less is of no account here: it is how clocks are set right."""
STEADY_S: Final = 86_400.0
"""After so long where it jumped to, a clock is believed: nobody has set it back."""


class Steady:
    """The time of day without its jumps, for what cannot be taken back: deleting by age.

    Begins with believing the clock. After a jump its own time goes on as before, until the clock is
    back there, or has stayed where it jumped to for ``steady_s``. Looks only when it is asked.
    """

    __slots__ = ("_apart", "_clock", "_since", "_steady_s", "_trusted")

    def __init__(self, clock: Clock, steady_s: float = STEADY_S) -> None:
        self._clock = clock
        self._steady_s = steady_s
        self._since = clock.monotonic()
        self._trusted = self._apart = clock.now() - self._since

    def jumped_s(self) -> float:
        """How far the clock is ahead of the believed time, in seconds; 0: it is believed."""
        at = self._clock.monotonic()
        apart = self._clock.now() - at
        if abs(apart - self._apart) >= APART_S:
            self._since = at
            self._apart = apart
        if abs(apart - self._trusted) < APART_S or at - self._since >= self._steady_s:
            self._trusted = self._apart = apart
        return apart - self._trusted

    def now(self) -> float:
        """The believed time, in seconds since the epoch."""
        return self._clock.now() - self.jumped_s()

    def earliest(self) -> float:
        """The believed time or the clock's, whichever is earlier: nothing is over before it."""
        return self._clock.now() - max(0.0, self.jumped_s())
