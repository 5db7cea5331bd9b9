"""Bounds what callers whose requests are refused may write: each new `Idempotency-Key` is a row of
the database before limits and balance are looked at.

Whoever was refused again and again, with nothing admitted between, has one new key claimed a
second; its others are looked up, which writes nothing, and answered if they are known.
"""

from typing import Final

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.idempotency.key import NAME

PATIENCE: Final = 10
"""Refusals one after another that cost nothing more."""
PAUSE_S: Final = 1.0
"""From one new name to the next, then."""
CALLERS_MAX: Final = 10_000
"""Callers that are known; of more the oldest are forgotten."""
REFUSALS: Final = frozenset(
    {Kind.RATE_LIMITED, Kind.LIMIT_TOO_LOW, Kind.BUDGET_SPENT, Kind.BALANCE_TOO_LOW}
)
"""What limits and balances say of a request, before anything was called."""


class _Refused:
    """How often a caller was refused, what it was told last, and when it may try again."""

    __slots__ = ("again_at", "count", "fault")

    def __init__(self, fault: Fault) -> None:
        self.count = 0
        self.again_at = 0.0
        self.fault = fault


class ClaimRefusals:
    """Which callers of a worker are refused again and again, by their gateway keys."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._refused: dict[int, _Refused] = {}

    def note(self, key_id: int, fault: Fault | None) -> None:
        """A request with a new name was answered: with this fault, or well."""
        if fault is None or fault.kind not in REFUSALS:
            self._refused.pop(key_id, None)
            return
        found = self._refused.get(key_id)
        if found is None:
            if len(self._refused) >= CALLERS_MAX:
                del self._refused[next(iter(self._refused))]
            found = self._refused[key_id] = _Refused(fault)
        found.count += 1
        found.fault = fault
        found.again_at = self._clock.monotonic() + PAUSE_S

    def of(self, key_id: int) -> Fault | None:
        """What a new name of this caller is told, instead of being claimed; ``None``: it may be."""
        found = self._refused.get(key_id)
        if found is None or found.count < PATIENCE:
            return None
        now = self._clock.monotonic()
        if now >= found.again_at:
            found.again_at = now + PAUSE_S  # one goes through: others wait for how it ends
            return None
        last = found.fault
        return Fault(
            last.kind,
            "Requests of this gateway key are refused again and again, so that one with a new "
            f"`{NAME}` is tried a second. The last was told: {last.message}",
            code=last.code,
            retry_after=max(last.retry_after or 0.0, PAUSE_S),
        )
