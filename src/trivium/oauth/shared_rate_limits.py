"""So many a minute over all workers and nodes, where they share a state.

What is counted there is counted here as well: while the shared state is away each worker goes on
alone with what it has seen itself, as limits on requests do (``admission/service.py``), and says
what it has counted when the state is back.

In this process's memory every moment within the last sixty seconds is kept, so any sixty seconds
have at most the limit. The memory is bounded: of too many subjects the one that was quiet longest
is forgotten.
"""

import math
from collections import OrderedDict, deque
from typing import Final, Literal

from trivium.clock import Clock
from trivium.shared.connection import Down
from trivium.shared.state import SharedState

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
        """Count one request if it fits, and return ``None``, else the seconds until it does."""
        wait = self.wait(subject)
        if wait is None:
            self.count(subject)
        return wait


_MICROSECONDS: Final = 1_000_000

# KEYS: of a subject the moments of the last minute, newest first, at most as many as fit into it.
# ARGV: how many fit, a step of `SharedCounters`. Gives the microseconds to wait; 0: it fits now.
MOMENTS: Final = """
local at = redis.call('TIME')
local now = at[1] * 1000000 + at[2]
local oldest = redis.call('LINDEX', KEYS[1], ARGV[1] - 1)
local left = oldest and oldest + MINUTE - now or 0
if left > 0 and ARGV[2] ~= 'count' then return left end
if ARGV[2] ~= 'wait' then
  redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
  redis.call('PEXPIRE', KEYS[1], MINUTE / 1000)
end
return 0
""".replace("MINUTE", str(int(MINUTE_S) * _MICROSECONDS))

SCRIPTS: Final = (MOMENTS,)

Step = Literal["wait", "count", "take"]


class SharedCounters:
    """Where all count. ``first``: position of ``SCRIPTS`` among the state's."""

    def __init__(self, state: SharedState, first: int) -> None:
        self._state = state
        self._first = first

    async def ask(self, name: str, subject: str, limit: int, step: Step) -> int | None:
        """Do as the method ``step`` of ``Rate``. Raises Down."""
        left: int = await self._state.call(
            self._first, [_key(name, subject)], [limit, step], read=int
        )
        return -(-left // _MICROSECONDS) or None

    def send(self, name: str, subject: str, limit: int) -> None:
        """Count one more when the state is back. Never waits."""
        told: list[str | int] = [limit, "count"]
        self._state.send(self._first, [_key(name, subject)], told, again=told)


def _key(name: str, subject: str) -> str:
    return f"trivium:rate:{name}:{subject}"


class SharedRate:
    """A ``Rate`` of this ``name`` that all workers count in, where there is a shared state."""

    def __init__(self, own: Rate, name: str, shared: SharedCounters | None) -> None:
        self._own = own
        self._name = name
        self._shared = shared

    async def wait(self, subject: str) -> int | None:
        """Return the whole seconds until one more request fits; ``None``: it fits now."""
        is_up, left = await self._ask(subject, "wait")
        return left if is_up else self._own.wait(subject)

    async def count(self, subject: str) -> None:
        """Count one request of this subject, here and where all count, whether it fits or not."""
        self._own.count(subject)
        is_up, _ = await self._ask(subject, "count")
        if not is_up:
            self._send(subject)

    async def take(self, subject: str) -> int | None:
        """Count one request if it fits, and return ``None``, else the seconds until it does."""
        is_up, left = await self._ask(subject, "take")
        if not is_up:
            left = self._own.take(subject)
            if left is None:
                self._send(subject)
        elif left is None:
            self._own.count(subject)
        return left

    async def _ask(self, subject: str, step: Step) -> tuple[bool, int | None]:
        """Whether the shared state is there, and what it says."""
        if self._shared is None:
            return False, None
        try:
            return True, await self._shared.ask(self._name, subject, self._own.limit, step)
        except Down:
            return False, None

    def _send(self, subject: str) -> None:
        if self._shared is not None:
            self._shared.send(self._name, subject, self._own.limit)
