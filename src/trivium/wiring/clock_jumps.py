"""Logs when the time of day jumps: set by hand, by a virtual machine that was asleep, by NTP.

No timer uses the time of day, so nothing stands still. What ends at a moment (keys, sessions, a
minute's limits) ends earlier or later, and the log should explain that.
"""

import asyncio
from typing import Final

import structlog

from trivium.clock import Clock

LOOK_S: Final = 1.0
LEAST_S: Final = 2.0
"""Less is the drift that NTP mends every day."""

log = structlog.get_logger()


class ClockJumps:
    """Compares the time of day with the clock that never goes back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apart = clock.now() - clock.monotonic()

    def look(self) -> None:
        """Log how far the time of day has jumped since the last look, if it has."""
        apart = self._clock.now() - self._clock.monotonic()
        jumped = apart - self._apart
        self._apart = apart
        if abs(jumped) >= LEAST_S:
            log.warning("clock_jumped", seconds=round(jumped, 1))

    async def run(self) -> None:
        """Look at intervals, without end."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()
