"""What one subject (a key, a user, a model, a channel) used of its limits a minute. Pure.

Two buckets: the running minute of the clock, and the one before, which counts by the share of it
that still lies within the last sixty seconds. So a clock minute never gets more than the limit, and
any ``t`` seconds (up to sixty) never more than ``limit x (1 + t / 60)``. What was reserved too much
is given back to the minute it was reserved in, if that still counts. What is used beyond the
reservation counts when it is known; of that, what exceeds a minute's limit counts in the next.

``admission/script.py`` says the same in Lua; a test holds the two together.
"""

import math
from enum import Enum, unique
from typing import Final

from trivium.admission.shared import MeterCounts
from trivium.settings.limits import RateLimits

MINUTE_S: Final = 60


@unique
class Subject(Enum):
    """Whose limit it is."""

    KEY = "key"
    END_USER = "end_user"
    """Of a key."""
    USER = "user"
    TEAM = "team"
    MODEL = "model"
    CHANNEL = "channel"

    __hash__ = object.__hash__


@unique
class Of(Enum):
    """The three things that a limit can count."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    CONCURRENCY = "concurrency"


class Meter:
    """The counters of one subject. Times: a minute's number since the epoch, seconds into it."""

    __slots__ = (
        "limits",
        "minute",
        "name",
        "requests",
        "requests_before",
        "running",
        "subject",
        "tokens",
        "tokens_before",
    )

    def __init__(self, subject: Subject, name: str, limits: RateLimits) -> None:
        self.subject = subject
        self.name = name
        """Unique among all subjects: ``key:7``."""
        self.limits = limits
        self.minute = 0
        self.requests = 0
        self.requests_before = 0
        self.tokens = 0
        self.tokens_before = 0
        self.running = 0
        """Slots taken in this worker."""

    def fits(self, minute: int, into: float, tokens: int) -> bool:
        """Whether one more request with so many tokens may run."""
        if minute != self.minute:
            self.roll(minute)
        limits = self.limits
        left = MINUTE_S - into
        limit = limits.requests
        if (
            limit is not None
            and (self.requests + 1) * MINUTE_S + self.requests_before * left > limit * MINUTE_S
        ):
            return False
        limit = limits.tokens
        if (
            limit is not None
            and (self.tokens + tokens) * MINUTE_S + self.tokens_before * left > limit * MINUTE_S
        ):
            return False
        limit = limits.concurrency
        return limit is None or self.running < limit

    def take(self, tokens: int) -> None:
        """Count one more request. ``fits`` must have said yes before."""
        self.requests += 1
        self.tokens += tokens
        self.running += 1

    def correct(self, minute: int, now_minute: int, more: int) -> None:
        """Add ``more`` tokens to the minute they were reserved in; a negative number gives back."""
        self.roll(now_minute)
        if more > 0:
            self.tokens += more
        elif minute == self.minute:
            self.tokens = max(0, self.tokens + more)
        elif minute == self.minute - 1:
            self.tokens_before = max(0, self.tokens_before + more)

    def first(self) -> Of:
        """Return the first of the limits that this meter has."""
        limits = self.limits
        if limits.requests is not None:
            return Of.REQUESTS
        return Of.TOKENS if limits.tokens is not None else Of.CONCURRENCY

    def leave(self) -> None:
        """Give a slot back."""
        self.running = max(0, self.running - 1)

    def adopt(self, minute: int, counts: MeterCounts) -> None:
        """Replace the counts by those of the shared state. Slots that other workers hold are not
        counted here.
        """
        self.minute = minute
        self.requests = counts.requests
        self.requests_before = counts.requests_before
        self.tokens = counts.tokens
        self.tokens_before = counts.tokens_before

    def roll(self, minute: int) -> None:
        """Move the counters on to a minute. A clock that was set back starts from zero."""
        passed = minute - self.minute
        if -1 <= passed <= 0:
            return
        self.minute = minute
        self.requests_before = self.requests if passed == 1 else 0
        self.requests = 0
        self.tokens, self.tokens_before = rolled(self.tokens, self.limits.tokens, passed)

    def obstacle(
        self, into: float, tokens: int, running: int | None = None
    ) -> tuple[Of, float] | None:
        """Return what keeps a request out and for how many seconds; ``None``: nothing does.

        ``running``: slots taken by all workers, where that is known. How long running requests will
        take is unknown, so the answer for a slot is one second.
        """
        limits = self.limits
        found: tuple[Of, float] | None = None
        if limits.concurrency is not None:
            taken = self.running if running is None else running
            if taken >= limits.concurrency:
                found = Of.CONCURRENCY, 1.0
        for of, limit, now, before, wanted in (
            (Of.REQUESTS, limits.requests, self.requests, self.requests_before, 1),
            (Of.TOKENS, limits.tokens, self.tokens, self.tokens_before, tokens),
        ):
            if limit is None:
                continue
            wait = delay(limit, now, before, into, wanted)
            if wait > 0 and (found is None or wait > found[1]):
                found = of, wait
        return found


def rolled(tokens: int, limit: int | None, passed: int) -> tuple[int, int]:
    """The count of the running and of the last minute, so many minutes later."""
    if passed < 0:
        return 0, 0
    if limit is None:
        return 0, tokens if passed == 1 else 0
    return (max(0, tokens - passed * limit), min(limit, max(0, tokens - (passed - 1) * limit)))


def delay(limit: int, now: int, before: int, into: float, wanted: int) -> float:
    """Seconds until so much more fits; 0: at once. ``wanted`` is no more than the limit."""
    waited, left = 0.0, MINUTE_S - into
    if now + wanted > limit:
        passed = math.ceil((now + wanted - limit) / limit)
        waited, left = left + (passed - 1) * MINUTE_S, float(MINUTE_S)
        now, before = rolled(now, limit, passed)
    if not before:
        return waited
    return waited + max(0.0, left - MINUTE_S * (limit - now - wanted) / before)


def remaining(limit: int, now: int, before: int, into: float) -> int:
    """How much would fit at once."""
    if not before:
        return limit - now if now < limit else 0
    return max(0, math.floor(limit - now - before * (MINUTE_S - into) / MINUTE_S))


def reset(now: int, before: int, into: float) -> float:
    """Seconds until nothing counts any more."""
    left = MINUTE_S - into
    if now:
        return left + MINUTE_S
    return left if before else 0.0
