"""Tells when the time of day jumps: set by hand, by a virtual machine that was asleep, by NTP.

Nothing waits by the time of day, so nothing stands still. What was to end at a moment (keys,
sessions, a minute's limits) ends earlier or later, which somebody should be able to explain.
"""

import asyncio
from typing import Final

import structlog

from trivium.clock import Clock

LOOK_S: Final = 1.0
LEAST_S: Final = 2.0
"""Less is the drift that NTP mends every day."""

log = structlog.get_logger()


class Jumps:
    """Compares the time of day with the clock that never goes back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apart = clock.now() - clock.monotonic()

    def look(self) -> None:
        """Say how far it has jumped since the last look, if it has."""
        apart = self._clock.now() - self._clock.monotonic()
        jumped = apart - self._apart
        self._apart = apart
        if abs(jumped) >= LEAST_S:
            log.warning("clock_jumped", seconds=round(jumped, 1))

    async def run(self) -> None:
        """Look again and again, for ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()
