"""How long each part of a call may take, and what a caller reads when it took longer.

No call has a timer: a running call knows the earliest moment at which anything can be overdue,
and one ticker looks at all of them. So a limit is in force to within one tick.
"""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.routing.model import TimeLimits

TICK_S: Final = 0.25
"""How often the ticker looks: an error of a quarter second in limits of whole seconds."""


class Deadlines:
    """The limits of one call. Times are the loop's seconds."""

    __slots__ = ("_limits", "_total_at", "headed", "paused", "seen")

    def __init__(self, limits: TimeLimits, started: float) -> None:
        self._limits = limits
        self._total_at = started + limits.total
        self.seen = started
        """When the request was written, or the answer last read from."""
        self.headed = False
        """Whether the head of the answer has come."""
        self.paused = False
        """Whether reading stands still by our own will."""

    def due(self) -> float:
        """The earliest moment at which :meth:`overdue` may say something, as things stand."""
        limit = self._limits.idle if self.headed else self._limits.first_byte
        at, total_at = self.seen + limit, self._total_at
        return at if at < total_at else total_at  # noqa: FURB136 - a call less, twice a request

    def overdue(self, now: float) -> Fault | None:
        """The limit that has passed, if one has. Time spent paused counts for the total alone."""
        limits = self._limits
        if now >= self._total_at:
            return _late("did not finish its answer", limits.total, "total")
        if self.paused:
            self.seen = now
        elif not self.headed:
            if now >= self.seen + limits.first_byte:
                return _late("did not begin to answer", limits.first_byte, "first-byte")
        elif now >= self.seen + limits.idle:
            return _late("sent nothing more", limits.idle, "idle")
        return None


def connecting(limit: float) -> Fault:
    """No connection came about in time."""
    return Fault(
        Kind.UPSTREAM_TIMEOUT,
        f"No connection to the upstream came about within {limit:g} s (connect limit).",
    )


def _late(what: str, limit: float, name: str) -> Fault:
    return Fault(Kind.UPSTREAM_TIMEOUT, f"The upstream {what} within {limit:g} s ({name} limit).")
