"""What one worker let in by itself while the shared state was away, reported when it is back.

For every meter it keeps two things: what this worker let in, which is added to what others let in;
and the last counts the shared state gave, which a server that restarted with empty memory has lost.
Counts are by minutes of this worker's clock: the current one and the one before, as in `meter.py`.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from trivium.admission.meter import MINUTE_S, Meter

REACH: Final = 1
"""Minutes back that still count."""


class Missed(msgspec.Struct, frozen=True, gc=False):
    """What the shared state has to add to one meter: counts of this minute and the one before."""

    meter: Meter
    own: tuple[int, int, int, int]
    """Requests, requests before, tokens, tokens before that were let in alone."""
    known: tuple[int, int, int, int]
    """The same as they stood before: counted by all together, and already told once."""


class _Own:
    """Counts of one meter."""

    __slots__ = ("before", "minute", "now")

    def __init__(self, minute: int) -> None:
        self.minute = minute
        self.now = [0, 0]
        """Requests, tokens."""
        self.before = [0, 0]

    def roll(self, minute: int) -> None:
        passed = minute - self.minute
        if passed:
            self.before = self.now if passed == 1 else [0, 0]
            self.now = [0, 0]
            self.minute = minute


class OfflineUsage:
    """Counts by meter that the shared state has not seen. Minutes are numbers since the epoch."""

    def __init__(self) -> None:
        self._own: dict[Meter, _Own] = {}

    def took(self, meters: Iterable[Meter], minute: int, tokens: int) -> None:
        """Count a request that was let in with ``tokens`` reserved."""
        for meter in meters:
            own = self._own.get(meter)
            if own is None:
                own = self._own[meter] = _Own(minute)
            own.roll(minute)
            own.now[0] += 1
            own.now[1] += tokens

    def corrected(self, meters: Iterable[Meter], minute: int, now: float, more: int) -> None:
        """Add ``more`` tokens to a minute in which a request was let in; a negative number takes
        away. ``now`` is in seconds.
        """
        for meter in meters:
            own = self._own.get(meter)
            if own is None:
                continue
            own.roll(int(now // MINUTE_S))
            if more > 0 or minute == own.minute:
                own.now[1] = max(0, own.now[1] + more)
            elif minute == own.minute - 1:
                own.before[1] = max(0, own.before[1] + more)

    def told(self, meters: Iterable[Meter], now: float) -> list[Missed]:
        """Return what these meters missed as of ``now`` (seconds), and forget it here."""
        minute = int(now // MINUTE_S)
        counted, self._own = self._own, {}
        missed = []
        for meter in meters:
            if abs(minute - meter.minute) > REACH:
                continue
            meter.roll(minute)
            own = counted.get(meter)
            if own is None:
                own = _Own(minute)
            own.roll(minute)
            (requests, tokens), (requests_before, tokens_before) = own.now, own.before
            mine = (requests, requests_before, tokens, tokens_before)
            whole = (meter.requests, meter.requests_before, meter.tokens, meter.tokens_before)
            known = (
                max(0, whole[0] - mine[0]),
                max(0, whole[1] - mine[1]),
                max(0, whole[2] - mine[2]),
                max(0, whole[3] - mine[3]),
            )
            if any(mine) or any(known):
                missed.append(Missed(meter=meter, own=mine, known=known))
        return missed
