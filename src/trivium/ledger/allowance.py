"""What one worker may spend of one account or budget without asking: a lease, counted down in
memory.

``leased`` is what the database has set aside for this worker, as last confirmed; ``held`` what its
running requests may cost at most; ``spent`` what settled ones did cost that is not booked yet. What
is left of the lease may be held by further requests::

    free = leased - held - spent

Each turn with the database (``ledger/ledger_sync.py``) books settlements and renews the lease at
once. What it is to be afterwards is a *wish*. A lease shrinks here before the database hears of it
and grows only when the database has said so: the worker never relies on more than is set aside,
whatever becomes of the turn.

Sizing: enough for what is held and awaited, and ahead of it what was asked for in the last seconds
and what the last requests came to in ``ahead_s``, so that a database that is away for as long is
not felt; but no more than a quarter of what the account has left beyond the need. So as a balance
runs low, leases shrink to exact holds.

What is too little here may be idle elsewhere. Whoever finds too little in the database calls: the
leases of the other workers are marked there, and each gives back what it does not use as soon as it
sees the mark, and leases nothing ahead for a while. A refusal is final when the database had too
little and every other lease was answered for since the request came; never before.
"""

from collections import deque
from enum import Enum, unique
from typing import Final

from trivium.ledger.model import Holder, LeaseRequest, LeaseState, Waiting
from trivium.settings.budget import Budget

AHEAD_S: Final = 3
"""Seconds of recent demand leased ahead: some turns of the default ``flush_s``."""
AHEAD_HOLDS: Final = 4
"""And at least so many requests like the last one."""
_LOW_HOLDS: Final = AHEAD_HOLDS // 2
SHARE: Final = 4
"""Of what an account has beyond the need, one part in so many is leased ahead."""
IDLE_S: Final = 15.0
"""An account nobody asked for so long, or for ``ahead_s`` if that is longer, gets its lease back.
"""
FADE_MS: Final = 10_000
"""A demand that has ceased is forgotten within some such times."""
COST_FADE_MS: Final = 60_000
"""What requests come to is remembered for longer: it is what a long absence of the database costs.
"""
SHORT_S: Final = 5.0
"""For so long an account with too little leases nothing ahead, here and at whoever was called."""
PATIENCE_S: Final = 3.0
"""How long a request waits for what others may give back."""


@unique
class LeaseVerdict(Enum):
    """What happens to a request that waited for a turn."""

    GRANTED = "granted"
    REFUSED = "refused"
    """There is too little: the database has said so."""
    AGAIN = "again"
    """It is to be asked for in another turn, at once."""
    LATER = "later"
    """In another turn, when others have had time to give back."""
    UNKNOWN = "unknown"
    """It has waited for long enough, and there may be enough or not."""


class Allowance:
    """What one worker may spend of one account or budget."""

    __slots__ = (
        "_ahead_ms",
        "_asked",
        "_cost_rate",
        "_counted",
        "_is_final",
        "_last",
        "_low",
        "_planned_at",
        "_rate",
        "_round",
        "_round_at",
        "budget",
        "held",
        "holder",
        "is_counted",
        "is_low",
        "is_touched",
        "learned_at",
        "leased",
        "others",
        "payer",
        "pool",
        "refused_until",
        "short_until",
        "spent",
        "touched_at",
        "waiting",
    )

    def __init__(
        self, holder: Holder, now: float, ahead_s: float = 0.0, budget: Budget | None = None
    ) -> None:
        """``now`` and all times here: monotonic seconds. ``ahead_s``: of what requests come to."""
        self.holder = holder
        self.budget = budget
        """As it was when something was last held; ``None``: an account."""
        self.payer = 0
        """Of a budget: whose account paid last."""
        self.is_counted = True
        """Whether what was spent before the budget was given is known."""
        self.leased = 0
        self.held = 0
        self.spent = 0
        self.is_low = False
        """Whether it was time to renew when something was last held: more than half of what one
        leases ahead was in use.
        """
        self.is_touched = False
        """Whether it is among those whose lease is looked at with the next flush."""
        self.pool = 0
        """The most this worker could have leased, as last heard."""
        self.others = 0
        """What others have leased, as last heard where there was too little."""
        self.refused_until = 0.0
        """Until then what exceeds all the account has, leased or not, is refused without asking
        again.
        """
        self.short_until = 0.0
        """Until then nothing is leased ahead: what is too little here may complete another worker's
        hold.
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
        self._ahead_ms = int(ahead_s * 1000)
        self._cost_rate = 0
        self._counted = 0
        """Of what is spent, so much is in the cost rate already."""
        self._round = 0
        """The call that is not answered by all yet; 0: there is none."""
        self._round_at = now
        """When it began, or the last one did."""
        self._is_final = False

    @property
    def free(self) -> int:
        """What further requests may hold; below zero after a cost above its hold."""
        return self.leased - self.held - self.spent

    @property
    def is_done(self) -> bool:
        """Whether nothing is leased, held, unbooked or waited for any more."""
        return not (self.leased or self.held or self.spent or self.waiting)

    def take(self, amount: int) -> bool:
        """Hold an amount if the lease covers it."""
        free = self.leased - self.held - self.spent - amount
        if free < 0:
            return False
        self.held += amount
        self._asked += amount
        self._last = amount
        self.is_low = free < _LOW_HOLDS * amount or free < self._low
        return True

    def lend(self, amount: int, each: int) -> None:
        """Hold an amount that is free, for requests of ``each``, whose demand is told later."""
        self.held += amount
        free = self.leased - self.held - self.spent
        self.is_low = free < _LOW_HOLDS * each or free < self._low

    def told(self, back: int, cost: int, asked: int, last: int) -> None:
        """What became of what was lent: so much is not held any more, of which ``cost`` was spent;
        requests of ``asked`` together took it, the last of which was of ``last``.
        """
        self.held -= back
        self.spent += cost
        if asked:
            self._asked += asked
            self._last = last

    def give_back(self, amount: int, cost: int) -> None:
        """End a hold: its cost waits to be booked, the rest is free again."""
        self.held -= amount
        self.spent += cost

    def wanted(self, booked: int, now: float, *, steady: bool = False) -> LeaseRequest:
        """What the lease should be after a turn that books ``booked`` of what is spent.

        The lease shrinks at once to what will be kept. ``steady``: it does not shrink, because the
        database is away and would not hear of it.
        """
        self._fade(now)
        awaited, room = self._count()
        used = self.held + self.spent - booked
        need = used + sum(awaited)
        yields = bool(room) or now < self.short_until
        budget = self.budget
        is_soft = budget is not None and budget.soft
        ahead = 0 if yields or is_soft or self.is_idle(now) else self._wanted_ahead()
        spare = self.pool - booked - need
        if steady:
            keep = self.leased - booked
        else:
            # where there is too little for all, a part that suffices for nobody is not kept
            target = used if spare < 0 else need + min(ahead, spare // SHARE)
            keep = min(self.leased - booked, max(used, target))
        keep = max(0, keep)
        self.leased = min(self.leased, keep + booked)
        if not self._round:
            self._round_at = now
        if is_soft:
            keep = need = self.leased = 0  # it is counted, and refuses nobody
        limit, since = (0, 0) if budget is None else (budget.amount_nanos, budget.since)
        return LeaseRequest(
            keep, need, ahead, awaited, room, self._round, yields, limit, self.payer, since
        )

    def learn(self, standing: LeaseState, booked: int, now: float) -> None:
        """Take over the outcome of a turn."""
        self.leased = standing.leased
        self.pool = standing.pool
        self.others = standing.others
        self.spent -= booked
        self._counted -= booked
        self.learned_at = now
        self._is_final = standing.is_final
        self.is_counted = standing.is_counted
        self._round = 0 if standing.is_final else standing.round
        if standing.is_wanted:
            self.yield_(now)

    def yield_(self, now: float) -> None:
        """Another worker has too little: lease nothing ahead for a while."""
        self.short_until = now + SHORT_S

    def answer(self, waiting: Waiting, now: float) -> LeaseVerdict:
        """Decide about a waiting request after a turn; takes what it needs."""
        amount = waiting.hold.amount_nanos
        if not self.is_counted:
            is_late = now > waiting.since + PATIENCE_S
            return LeaseVerdict.UNKNOWN if is_late else LeaseVerdict.LATER
        if waiting.is_row:
            is_enough = amount <= self.pool - self.leased
            is_short = not is_enough
        else:
            is_enough = self.take(amount)
            # costs above their holds may have used up a lease that was granted
            is_short = self.held + self.spent + amount > self.pool
        if is_enough:
            return LeaseVerdict.GRANTED
        if not waiting.counted:
            return LeaseVerdict.AGAIN
        if is_short:
            self.short_until = max(self.short_until, now + SHORT_S)
            is_heard = self._is_final and (not self.others or waiting.since <= self._round_at)
            if is_heard or amount > max(0, self.pool) + self.others:
                return LeaseVerdict.REFUSED
        if now > waiting.since + PATIENCE_S:
            return LeaseVerdict.UNKNOWN
        return LeaseVerdict.LATER if is_short and self._round else LeaseVerdict.AGAIN

    def is_idle(self, now: float) -> bool:
        """Whether nobody has asked for so long that the lease goes back."""
        return now - self.touched_at > max(IDLE_S, self._ahead_ms / 1000)

    def _count(self) -> tuple[tuple[int, ...], int]:
        """What is awaited, and how much room rows need; the turn that begins asks for it."""
        awaited, room = [], 0
        for waiting in self.waiting:
            if waiting.granted.done():
                continue
            waiting.counted = True
            amount = waiting.hold.amount_nanos
            if waiting.is_row:
                room = max(room, amount)
            else:
                awaited.append(amount)
                self._last = max(self._last, amount)
        return tuple(awaited), room

    def _wanted_ahead(self) -> int:
        soon = max(self._rate * AHEAD_S, AHEAD_HOLDS * self._last)
        return soon + self._cost_rate * self._ahead_ms // 1000

    def _fade(self, now: float) -> None:
        """Fold the demand since the last time into the rates, in nano-dollars a second."""
        passed_ms = max(1, int((now - self._planned_at) * 1000))
        if self._asked:
            self.touched_at = now
        self._rate = _rate(self._rate, self._asked, passed_ms, FADE_MS)
        self._cost_rate = _rate(
            self._cost_rate, self.spent - self._counted, passed_ms, COST_FADE_MS
        )
        self._low = AHEAD_S * self._rate // 2
        self._asked = 0
        self._counted = self.spent
        self._planned_at = now


def _rate(old: int, amount: int, passed_ms: int, fade_ms: int) -> int:
    """A rate after some time in which so much was added, or what is left of the old one."""
    fresh = amount * 1000 // max(passed_ms, 1000)
    return max(fresh, old - old * min(passed_ms, fade_ms) // fade_ms)


def granted(wanted: LeaseRequest, pool: int) -> int:
    """The lease after a turn: what was asked for as far as the pool goes, never below ``keep``.

    ``pool``: what the account has for this worker, its present lease included, after the bookings.
    Of what is awaited each is granted whole or not at all, in the order of asking.
    """
    room = pool - wanted.room
    if wanted.need <= room:
        lease = wanted.need + min(wanted.ahead, (room - wanted.need) // SHARE)
    else:
        lease = wanted.need - sum(wanted.awaited)
        for amount in wanted.awaited:
            if lease + amount <= pool:
                lease += amount
        lease = min(lease, pool)
    return max(wanted.keep, lease, 0)
