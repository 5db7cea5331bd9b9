"""What one worker may spend of one account without asking: a lease, counted down in memory.

``leased`` is what the database has set aside for this worker, as last confirmed; ``held`` what its
running requests may cost at most; ``spent`` what settled ones did cost that is not booked yet. What
is left of the lease may be held by further requests::

    free = leased - held - spent

Each turn with the database (``ledger/turns.py``) books settlements and renews the lease at once.
What it is to be afterwards is a *wish*. A lease shrinks here before the database hears of it and
grows only when the database has said so: the worker never relies on more than is set aside,
whatever becomes of the turn.

Sizing: enough for what is held and awaited, and ahead of it what was asked for in the last seconds,
but no more than a quarter of what the account has left beyond the need. So as a balance runs low,
leases shrink to exact holds.
"""

from collections import deque
from typing import Final

from trivium.ledger.lease import Standing, Waiting, Wish

AHEAD_S: Final = 3
"""Seconds of recent demand leased ahead: some turns of the default ``flush_s``."""
AHEAD_HOLDS: Final = 4
"""And at least so many requests like the last one."""
_LOW_HOLDS: Final = AHEAD_HOLDS // 2
SHARE: Final = 4
"""Of what an account has beyond the need, one part in so many is leased ahead."""
IDLE_S: Final = 15.0
"""An account nobody asked for so long gets its lease back."""
FADE_MS: Final = 10_000
"""A demand that has ceased is forgotten within some such times."""


class Allowance:
    """One account at one worker."""

    __slots__ = (
        "_asked",
        "_last",
        "_low",
        "_planned_at",
        "_rate",
        "held",
        "is_low",
        "learned_at",
        "leased",
        "pool",
        "refused_until",
        "spent",
        "touched_at",
        "user_id",
        "waiting",
    )

    def __init__(self, user_id: int, now: float) -> None:
        """``now`` and all times here: monotonic seconds."""
        self.user_id = user_id
        self.leased = 0
        self.held = 0
        self.spent = 0
        self.is_low = False
        """Whether it was time to renew when something was last held: more than half of what one
        leases ahead was in use.
        """
        self.pool = 0
        """The most this worker could have leased, as last heard."""
        self.refused_until = 0.0
        """Until then what exceeds the pool is refused without asking again, and nothing is leased
        ahead: what is too little here may complete another worker's hold.
        """
        self.learned_at = now
        """When a turn was last made, or asked for ahead of need."""
        self.touched_at = now
        self.waiting: deque[Waiting] = deque()
        self._asked = 0
        self._last = 0
        self._rate = 0
        self._low = 0
        self._planned_at = now

    @property
    def free(self) -> int:
        """What further requests may hold; below zero after a cost above its hold."""
        return self.leased - self.held - self.spent

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to remember."""
        return not (self.leased or self.held or self.spent or self.waiting)

    def take(self, amount: int) -> bool:
        """Hold an amount if the lease covers it."""
        # HOT: once a request
        free = self.leased - self.held - self.spent - amount
        if free < 0:
            return False
        self.held += amount
        self._asked += amount
        self._last = amount
        self.is_low = free < _LOW_HOLDS * amount or free < self._low
        return True

    def give_back(self, amount: int, cost: int) -> None:
        """End a hold: what it cost waits to be booked, the rest is free again."""
        self.held -= amount
        self.spent += cost

    def wish(self, booked: int, now: float) -> Wish:
        """What the lease should be after a turn that books ``booked`` of what is spent.

        The lease shrinks at once to what will be kept.
        """
        self._fade(now)
        awaited = 0
        for waiting in self.waiting:
            if not waiting.granted.done():
                waiting.counted = True
                awaited += waiting.hold.amount_nanos
                self._last = max(self._last, waiting.hold.amount_nanos)
        used = self.held + self.spent - booked
        need = used + awaited
        is_short = now < self.refused_until
        ahead = 0 if is_short or now - self.touched_at > IDLE_S else self._wanted_ahead()
        spare = max(0, self.pool - booked - need) // SHARE
        keep = max(0, min(self.leased - booked, max(used, need + min(ahead, spare))))
        self.leased = min(self.leased, keep + booked)
        return Wish(keep=keep, need=need, ahead=ahead)

    def learn(self, standing: Standing, booked: int) -> None:
        """Take over what a turn came to."""
        self.leased = standing.leased
        self.pool = standing.pool
        self.spent -= booked

    def _wanted_ahead(self) -> int:
        return max(self._rate * AHEAD_S, AHEAD_HOLDS * self._last)

    def _fade(self, now: float) -> None:
        """Fold the demand since the last time into the rate, in nano-dollars a second."""
        passed_ms = max(1, int((now - self._planned_at) * 1000))
        if self._asked:
            self.touched_at = now
        fresh = self._asked * 1000 // max(passed_ms, 1000)
        self._rate = max(fresh, self._rate - self._rate * min(passed_ms, FADE_MS) // FADE_MS)
        self._low = AHEAD_S * self._rate // 2
        self._asked = 0
        self._planned_at = now


def granted(wish: Wish, pool: int) -> int:
    """The lease after a turn: what was asked for as far as the pool goes, never below ``keep``.

    ``pool``: what the account has for this worker, its present lease included, after the bookings.
    """
    ahead = min(wish.ahead, max(0, pool - wish.need) // SHARE)
    return max(wish.keep, min(wish.need + ahead, pool), 0)
