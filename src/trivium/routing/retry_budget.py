"""Which attempt comes after which: one budget a request, and no retry that makes things worse.

Pure: what happened, when, and a draw come in; the next attempt comes out, or nothing.

* Each step of the plan once, in order; at once, for another channel is not in trouble.
* A refused or exhausted credential is followed by the channel's next one.
* Then, where the operator allows repeats, the steps that may do better after a pause, with jitter,
  so that callers that failed together do not come back together. A vendor that asks for more
  patience than that is not asked again: the caller is told how long.
* What failed slowly is not tried again: the vendor has worked through the whole prompt once, may
  still be at it, and the next one would begin anew. The caller's SDK is told not to either.
"""

from typing import Final

from trivium.faults import Kind
from trivium.routing.candidates import Failure, Next
from trivium.routing.model import Step
from trivium.settings.model import RoutingSettings

PAUSE_MAX_S: Final = 5.0
_OTHER_KEY: Final = frozenset({Kind.UPSTREAM_CREDENTIAL, Kind.UPSTREAM_RATE_LIMITED})
"""What another credential of the same channel may do better."""


class AttemptSequence:
    """The attempts of one request."""

    __slots__ = ("_again", "_budget", "_made", "_queue", "_repeats", "_since")

    def __init__(self, budget: RoutingSettings, since: float) -> None:
        """``since``: when the request came."""
        self._budget = budget
        self._since = since
        self._queue: list[Step] = []
        """Steps to come, the next one last."""
        self._again: list[tuple[Step, float]] = []
        self._made = 0
        self._repeats = 0

    def plan(self, steps: tuple[Step, ...]) -> None:
        """Go on with these steps, for the first model or the next."""
        self._queue = list(reversed(steps))
        self._again = []

    def first(self, now: float) -> Next | None:
        """The first attempt of a plan; ``None``: the budget is spent."""
        return self._begin(now)

    def beside(self, step: Step, now: float) -> Step | None:
        """Another channel's step to be made at the same time; ``None``: there is none."""
        if self.spent(now):
            return None
        for at in range(len(self._queue) - 1, -1, -1):
            if self._queue[at].binding.channel is not step.binding.channel:
                self._made += 1
                return self._queue.pop(at)
        return None

    def after(self, step: Step, failure: Failure, now: float, draw: float) -> Next | None:
        """What follows a failure; ``None``: nothing, of this plan. ``draw``: from 0 to below 1."""
        fault = failure.fault
        if not fault.row.fallback or self.slow(failure):
            return None
        if failure.others and fault.kind in _OTHER_KEY:
            self._queue.append(step)
        elif fault.row.again:
            self._again.append((step, fault.retry_after or 0.0))
        return self._begin(now, draw)

    def slow(self, failure: Failure) -> bool:
        """Whether the upstream has spent so long on it that nobody should begin anew."""
        return failure.sent and failure.took_s > self._budget.slow_s

    def spent(self, now: float) -> bool:
        """Whether no attempt may begin any more."""
        return self._made >= self._budget.attempts_max or (
            self._made > 0 and now - self._since > self._budget.attempts_s
        )

    def _begin(self, now: float, draw: float = 0.0) -> Next | None:
        if self.spent(now):
            return None
        if self._queue:
            self._made += 1
            return Next(self._queue.pop())
        budget = self._budget
        pause = min(budget.repeat_pause_s * 2.0**self._repeats, PAUSE_MAX_S)
        while self._again and self._repeats < budget.repeats:
            step, asked_s = self._again.pop(0)
            # at least half of the pause, and never before the vendor's own time
            wait = max(asked_s, pause * (0.5 + draw / 2))
            if wait <= PAUSE_MAX_S and now + wait - self._since <= budget.attempts_s:
                self._made += 1
                self._repeats += 1
                return Next(step, wait)
        return None
