"""Log lines that a failing dependency would write by the thousand: one of a kind every so often.

The first is written at once; what follows within the pause is counted and told with the next.
"""

from typing import Any, Final

import structlog

from trivium.clock import Clock

PAUSE_S: Final = 10.0
"""Between two lines of one kind."""
KINDS_MAX: Final = 1000
"""Kinds remembered. They are named by the operator's configuration, not by callers."""

log = structlog.get_logger()


class LogThrottle:
    """Tells operators what goes wrong, without drowning them in it."""

    def __init__(self, clock: Clock, pause_s: float = PAUSE_S) -> None:
        self._clock = clock
        self._pause_s = pause_s
        self._told: dict[tuple[str, ...], tuple[float, int]] = {}
        """When a kind was last told, and how often it was not told since."""

    def log(self, level: str, event: str, kind: tuple[str, ...], **fields: Any) -> None:
        """Log ``event`` unless its kind was told a moment ago. ``level``: info, warning, error."""
        now = self._clock.monotonic()
        at, silent = self._told.get(kind, (float("-inf"), 0))
        if now - at < self._pause_s:
            self._told[kind] = (at, silent + 1)
            return
        if len(self._told) >= KINDS_MAX:
            self._told.clear()
        self._told[kind] = (now, 0)
        if silent:
            fields["more_before"] = silent
        getattr(log, level)(event, **fields)
