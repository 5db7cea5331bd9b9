"""How often something may be asked in a minute, in this process's memory. See ``sharing`` for what
all workers count together.

Every moment within the last sixty seconds is kept, so any sixty seconds have at most the limit. The
memory is bounded: of too many subjects the one that was quiet longest is forgotten.
"""

import math
from collections import OrderedDict, deque
from typing import Final

from trivium.clock import Clock

MINUTE_S: Final = 60.0
SUBJECTS_MAX: Final = 10_000


class Rate:
    """At most so many requests a minute for each subject."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self.limit = limit
        self._clock = clock
        self._taken: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, subject: str) -> int | None:
        """Return the whole seconds until one more request fits; ``None``: it fits now."""
        taken = self._taken.get(subject)
        if taken is None:
            return None
        now = self._clock.monotonic()
        while taken and taken[0] <= now - MINUTE_S:
            taken.popleft()
        if not taken:
            del self._taken[subject]
            return None
        if len(taken) < self.limit:
            return None
        return max(1, math.ceil(taken[0] + MINUTE_S - now))

    def count(self, subject: str) -> None:
        """Count one request of this subject, whether it fits or not."""
        taken = self._taken.setdefault(subject, deque(maxlen=self.limit))
        taken.append(self._clock.monotonic())
        self._taken.move_to_end(subject)
        if len(self._taken) > SUBJECTS_MAX:
            self._taken.popitem(last=False)

    def take(self, subject: str) -> int | None:
        """Count one request if it fits and return ``None``; else return the seconds until it
        does.
        """
        wait = self.wait(subject)
        if wait is None:
            self.count(subject)
        return wait
